import type { Deps } from '../../deps.ts';
import { findSession, noteSeen, type Session, signOut } from '../../domain/sign-in/sessions.ts';
import { isLocalPath } from '../browser/forms.ts';
import { browserVisits } from '../browser/visits.ts';

export type Visits = ReturnType<typeof visits>;

export function advisorOf({ advisorId }: Session): { advisorId: number } {
  return { advisorId };
}

export function visits(deps: Deps) {
  return browserVisits(deps, 'session', {
    async find(token) {
      const session = await findSession(deps, token);
      if (session) void noteSeen(deps, token, session);
      return session;
    },
    end: (token) => signOut(deps, token),
  });
}

/** The next page, if it is a path on this site. Anything that could lead elsewhere becomes the advisor's first page. */
export function localPath(next: unknown): string {
  return isLocalPath(next) ? next : firstPage;
}

export const firstPage = '/connected-apps';
