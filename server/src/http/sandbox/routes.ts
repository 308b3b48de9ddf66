import type { FastifyInstance } from 'fastify';
import { type Deps, onReserved, type Reserved } from '../../deps.ts';
import { requireApiKey } from '../../domain/access/callers.ts';
import type { SandboxClock } from '../../sandbox/sandbox-clock.ts';
import { apiKeyOf } from '../door/authenticate.ts';
import { serveDocument } from '../openapi/document.ts';
import { sandboxDocument } from '../openapi/sandbox.ts';
import { clockRoutes } from './clock.ts';
import { handsetRoutes } from './handsets.ts';
import { addHandsetsPage } from './handsets-page.ts';
import { addSandboxRoute } from './route.ts';

/** The sandbox's own routes, which production doesn't have. They need the API key alone; the phones' page needs nothing. */
export function addSandbox(
  app: FastifyInstance,
  deps: Deps & Reserved,
  clock: SandboxClock,
  deliverDue = async () => {},
): void {
  const routes = [...handsetRoutes(deps), ...clockRoutes(clock, deliverDue)];
  app.register(async (scope) => {
    scope.addHook('onRequest', async (request) => requireApiKey(onReserved(deps), apiKeyOf(request)));
    for (const route of routes) addSandboxRoute(scope, route);
  });
  serveDocument(app, '/sandbox/openapi.json', () => sandboxDocument(deps.config.publicUrl, routes));
  addHandsetsPage(app, deps);
}
