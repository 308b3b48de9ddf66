import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../deps.ts';
import type { PoolShares } from '../../domain/access/pool-shares.ts';
import type { FairQueue } from '../../domain/shared/fair-queue.ts';
import { addPagesIn } from '../browser/queued-pages.ts';
import { addConsoleInvitation } from './invitation.ts';
import { addConsoleApi } from './routes.ts';
import { addSecurity } from './security.ts';
import { addConsoleSignIn } from './sign-in.ts';
import { staffVisits } from './staff-visits.ts';

/** The console: where the staff of firms and of the deployment sign in, and what its pages call. */
export function addConsole(
  app: FastifyInstance,
  deps: Deps,
  { share, visits }: { share: PoolShares; visits: FairQueue },
): void {
  const visiting = staffVisits(deps);
  addPagesIn(visits, app, (scope) => {
    addConsoleInvitation(scope, visiting);
    addConsoleSignIn(scope, visiting);
    addSecurity(scope, visiting);
  });
  addConsoleApi(app, visiting, share);
}
