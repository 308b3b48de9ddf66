import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.ts';
import { problem } from '../../domain/problems.ts';
import { deviceSeconds } from '../../domain/sign-in/devices.ts';
import { isFresh } from '../../domain/sign-in/sessions.ts';
import type { Attempt } from '../../domain/sign-in/sign-in-failures.ts';
import {
  endStaffSession,
  findStaffSession,
  type NewStaffSession,
  type StaffSession,
} from '../../domain/sign-in/staff-sessions.ts';
import { browserOf } from '../browser/browser-names.ts';
import { cookieJar } from '../browser/cookies.ts';
import { formDoor, isLocalPath } from '../browser/forms.ts';

export type StaffVisits = ReturnType<typeof staffVisits>;

/**
 * What the console's handlers work with: the domain, the forms, and which of the staff is signed in. Its cookie is another than
 * the advisors': somebody may be both, and is signed in as each by itself.
 */
export function staffVisits(deps: Deps) {
  const cookies = cookieJar(deps.config.publicUrl);
  const forms = formDoor(cookies, deps.config);

  const sessionToken = (request: FastifyRequest) => cookies.read(request, 'staff');

  async function forget(request: FastifyRequest): Promise<void> {
    const token = sessionToken(request);
    if (token) await endStaffSession(deps, token);
  }

  async function sessionOf(request: FastifyRequest): Promise<StaffSession | null> {
    const token = sessionToken(request);
    const isUsed = request.headers['x-unattended'] === undefined;
    return token ? findStaffSession(deps, token, { isUsed }) : null;
  }

  return {
    deps,
    forms,
    sessionToken,
    sessionOf,
    /** Only if they signed in just now: for changes to how somebody signs in. */
    async freshSessionOf(request: FastifyRequest): Promise<StaffSession | null> {
      const session = await sessionOf(request);
      return session && isFresh(session) ? session : null;
    },
    attemptOf(request: FastifyRequest): Attempt {
      return {
        address: request.ip,
        device: cookies.read(request, 'device'),
        browser: browserOf(request),
        traceId: request.id,
      };
    },
    /** Signs the browser in, replacing anyone who was signed in. */
    async begin(request: FastifyRequest, reply: FastifyReply, { token, device }: NewStaffSession): Promise<void> {
      await forget(request);
      cookies.set(reply, 'staff', token);
      cookies.set(reply, 'device', device, deviceSeconds);
      forms.renewToken(reply);
    },
    async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      await forget(request);
      cookies.clear(reply, 'staff');
      forms.renewToken(reply);
    },
  };
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
