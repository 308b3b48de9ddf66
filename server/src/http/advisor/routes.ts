import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { type Deps, onReserved } from '../../deps.ts';
import type { FairQueue } from '../../domain/shared/fair-queue.ts';
import type { AuthorizationRequests } from '../../oauth/authorization-requests.ts';
import { addScript } from '../browser/page.ts';
import { addPagesIn } from '../browser/queued-pages.ts';
import { addConnectedApps } from './connected-apps.ts';
import { addConsent } from './consent.ts';
import { addInvitation } from './invitation.ts';
import { addPasskeys } from './passkeys.ts';
import { addSessions } from './sessions.ts';
import { addSignIn } from './sign-in.ts';
import { visits } from './visits.ts';

const invitationScript = readFileSync(new URL('browser/invitation.js', import.meta.url));
const passkeyScript = readFileSync(new URL('browser/passkeys.js', import.meta.url));
/** The library's single-file bundle. The package doesn't export it, but it is next to a file that is exported. */
const webauthnScript = readFileSync(
  new URL('../dist/bundle/index.umd.min.js', import.meta.resolve('@simplewebauthn/browser')),
);

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
    addScript(scope, '/invitation.js', invitationScript);
    addScript(scope, '/passkeys.js', passkeyScript);
    addScript(scope, '/webauthn.js', webauthnScript);
  });
  addPagesIn(queues.revocations, app, (scope) => {
    addConnectedApps(scope, visits(onReserved(deps)));
    addSessions(scope, visits(onReserved(deps)));
  });
}
