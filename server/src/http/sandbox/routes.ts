import type { FastifyInstance } from 'fastify';
import { type Deps, onReserved, type Reserved } from '../../deps.ts';
import { requireApiKey } from '../../domain/access/callers.ts';
import type { SandboxClock } from '../../sandbox/sandbox-clock.ts';
import { apiKeyOf } from '../door/authenticate.ts';
import { addClock } from './clock.ts';
import { addHandsets } from './handsets.ts';
import { addHandsetsPage } from './handsets-page.ts';

/** The sandbox's own routes, which production doesn't have. They need the API key alone; the phones' page needs nothing. */
export function addSandbox(
  app: FastifyInstance,
  deps: Deps & Reserved,
  clock: SandboxClock,
  deliverDue = async () => {},
): void {
  app.register(async (scope) => {
    scope.addHook('onRequest', async (request) => requireApiKey(onReserved(deps), apiKeyOf(request)));
    addClock(scope, clock, deliverDue);
    addHandsets(scope, deps);
  });
  addHandsetsPage(app, deps);
}
