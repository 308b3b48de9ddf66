import type { FastifyInstance } from 'fastify';
import { type Deps, onReserved } from '../../deps.ts';
import type { FairQueue } from '../../domain/shared/fair-queue.ts';
import type { AuthorizationRequests } from '../../oauth/authorization-requests.ts';
import { addPagesIn } from '../browser/queued-pages.ts';
import { addConnectedApps } from './connected-apps.ts';
import { addConsent } from './consent.ts';
import { addInvitation } from './invitation.ts';
import { addPasskeys } from './passkeys.ts';
import { addSessions } from './sessions.ts';
import { addSignIn } from './sign-in.ts';
import { visits } from './visits.ts';

/** The pages that advisors see: choose a password, sign in, allow an application, connected apps, passkeys, sessions. */
export function addAdvisorPages(
  app: FastifyInstance,
  deps: Deps,
  server: AuthorizationRequests,
  queues: { visits: FairQueue; revocations: FairQueue },
): void {
  const visiting = visits(deps);
  addPagesIn(queues.visits, app, (scope) => {
    addInvitation(scope, visiting);
    addSignIn(scope, visiting);
    addConsent(scope, visiting, server);
    addPasskeys(scope, visiting);
  });
  addPagesIn(queues.revocations, app, (scope) => {
    addConnectedApps(scope, visits(onReserved(deps)));
    addSessions(scope, visits(onReserved(deps)));
  });
}
