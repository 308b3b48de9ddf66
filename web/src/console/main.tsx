import { draw } from '../look/frame.tsx';
import './console.css';
import { client } from './client.ts';
import { router } from './routes.tsx';
import { sessionQuery } from './session.ts';

await draw(client, router, () => client.fetchQuery(sessionQuery));
