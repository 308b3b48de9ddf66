import type { FastifyInstance } from 'fastify';
import { type Deps, onReserved } from '../../deps.ts';
import { requireApiKey } from '../../domain/access/callers.ts';
import type { SandboxClock } from '../../domain/ports.ts';
import type { CallLog } from '../../domain/sandbox/call-log.ts';
import { apiKeyOf } from '../door/checks.ts';
import { addClientPackage } from './client-package.ts';
import { addCredentials } from './credentials.ts';
import { addHandsetsPage } from './handsets-page.ts';
import { addHomePage } from './home-page.ts';
import { addLogPage } from './log-page.ts';
import { addSandboxRoute, ownRoutes, type SandboxWork } from './own-routes.ts';
import { addWebhooksPage } from './webhooks-page.ts';

/** The sandbox's own routes, which production doesn't have. They need the API key alone; what our pages use needs nothing. */
export function addSandbox(
  app: FastifyInstance,
  deps: Deps,
  clock: SandboxClock,
  { calls, ...work }: SandboxWork & { calls: CallLog },
): void {
  const { deliverDue = async () => {}, resetSandbox = async () => {} } = work;
  const routes = ownRoutes(deps, clock, { deliverDue, resetSandbox });
  app.register(async (scope) => {
    scope.addHook('onRequest', async (request) => requireApiKey(onReserved(deps), apiKeyOf(request)));
    for (const route of routes) addSandboxRoute(scope, route);
  });
  addHomePage(app, deps, { clock, deliverDue, resetSandbox });
  addClientPackage(app);
  addHandsetsPage(app, deps);
  addWebhooksPage(app, deps);
  addLogPage(app, deps, calls);
  addCredentials(app, deps);
}
