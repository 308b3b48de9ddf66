import { draw } from './look/frame.tsx';
import './inbox/inbox.css';
import { goLive } from './api/live.ts';
import { client, conversationsQuery } from './api/queries.ts';
import { sessionQuery } from './api/session.ts';
import { router } from './routes.tsx';
import { notify } from './settings/notifications.ts';

// Asked for together: what the first screen shows doesn't depend on who it is for.
void client.prefetchInfiniteQuery(conversationsQuery('inbox'));
await draw(client, router, async () => goLive(await client.fetchQuery(sessionQuery), notify));
