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
import '../../../server/src/http/browser/palette.css';
import './look.css';
import '../shell/shell.css';
import { MantineProvider } from '@mantine/core';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type AnyRouter, RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { guardFocus } from './focus.ts';
import { Broken } from './parts.tsx';
import { styleNonce, theme, variables } from './theme.ts';

/** Draws a page, the app or the console, once what it can't be without is loaded. */
export async function draw(client: QueryClient, router: AnyRouter, load: () => Promise<unknown>): Promise<void> {
  guardFocus();
  const root = createRoot(document.getElementById('app') as HTMLElement);
  try {
    await load();
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
}
