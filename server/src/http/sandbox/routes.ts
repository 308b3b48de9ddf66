import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../deps.ts';
import { requireKey } from '../../domain/callers.ts';
import type { SandboxClock } from '../../domain/clock.ts';
import { apiKeyOf } from '../authenticate.ts';
import { addClock } from './clock.ts';

/** What the sandbox adds at the origin. It needs the API key alone, and in production none of it exists. */
export function addSandbox(app: FastifyInstance, deps: Deps, clock: SandboxClock): void {
  app.register(async (scope) => {
    scope.addHook('onRequest', async (request) => requireKey(deps, apiKeyOf(request)));
    addClock(scope, clock);
  });
}
