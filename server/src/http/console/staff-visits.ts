import type { FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.ts';
import { problem } from '../../domain/problems.ts';
import { findStaffSession, type StaffSession, signOut } from '../../domain/sign-in/sessions.ts';
import { isLocalPath } from '../browser/forms.ts';
import { browserVisits } from '../browser/visits.ts';

export type StaffVisits = ReturnType<typeof staffVisits>;

/**
 * Which of the staff is signed in to the console. Its cookie is another than
 * the advisors': somebody may be both, and is signed in as each by itself.
 */
export function staffVisits(deps: Deps) {
  return browserVisits(deps, 'staff', {
    find: (token, request) => findStaffSession(deps, token, { isUsed: request.headers['x-unattended'] === undefined }),
    end: (token) => signOut(deps, token),
  });
}

export async function requireStaff({ sessionOf }: StaffVisits, request: FastifyRequest): Promise<StaffSession> {
  const session = await sessionOf(request);
  if (!session) throw problem('unauthorized', 'Nobody is signed in to the console in this browser: sign in again.');
  return session;
}

/** The next page, if it is one of the console's, also for a browser that takes dots out of it. */
export function consolePath(next: unknown): string {
  if (!isLocalPath(next)) return '/console';
  const { pathname, search, hash } = new URL(next, 'http://console');
  return /^\/console(\/|$)/.test(pathname) ? pathname + search + hash : '/console';
}
