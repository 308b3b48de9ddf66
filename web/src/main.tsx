import '@fontsource-variable/inter/index.css';
import '@mantine/core/styles/baseline.css';
import '@mantine/core/styles/default-css-variables.css';
import '@mantine/core/styles/global.css';
import '@mantine/core/styles/UnstyledButton.css';
import '@mantine/core/styles/CloseButton.css';
import '@mantine/core/styles/Overlay.css';
import '@mantine/core/styles/Paper.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ModalBase.css';
import '@mantine/core/styles/Modal.css';
import '@mantine/core/styles/Menu.css';
import '@mantine/core/styles/Tooltip.css';
import '../../server/src/http/browser/palette.css';
import './look/look.css';
import './shell/shell.css';
import './inbox/inbox.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { goLive } from './api/live.ts';
import { client, conversationsQuery } from './api/queries.ts';
import { sessionQuery } from './api/session.ts';
import { Broken } from './look/parts.tsx';
import { styleNonce, theme, variables } from './look/theme.ts';
import { router } from './routes.tsx';
import { notify } from './settings/notifications.ts';

const root = createRoot(document.getElementById('app') as HTMLElement);
// Asked for together: what the first screen shows doesn't depend on who it is for.
void client.prefetchInfiniteQuery(conversationsQuery('inbox'));

try {
  const session = await client.fetchQuery(sessionQuery);
  goLive(session, notify);
  root.render(
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>,
  );
} catch (error) {
  // Signed out: the browser is on its way to the sign-in page.
  if ((error as { status?: number }).status !== 401) root.render(<Broken error={error} />);
}
