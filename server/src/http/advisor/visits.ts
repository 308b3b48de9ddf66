import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.ts';
import { deviceSeconds } from '../../domain/sign-in/devices.ts';
import {
  findSession,
  isFresh,
  type NewSession,
  noteSeen,
  type Session,
  signOut,
} from '../../domain/sign-in/sessions.ts';
import type { Attempt } from '../../domain/sign-in/sign-in-failures.ts';
import { browserOf } from '../browser/browser-names.ts';
import { cookieJar } from '../browser/cookies.ts';
import { formDoor, isLocalPath } from '../browser/forms.ts';

export type Visits = ReturnType<typeof visits>;

/** What these pages' handlers work with: the domain, the forms, and who is signed in. */
export function visits(deps: Deps) {
  const cookies = cookieJar(deps.config.publicUrl);
  const forms = formDoor(cookies, deps.config);

  const sessionToken = (request: FastifyRequest) => cookies.read(request, 'session');

  async function forget(request: FastifyRequest): Promise<void> {
    const token = sessionToken(request);
    if (token) await signOut(deps, token);
  }

  async function sessionOf(request: FastifyRequest): Promise<Session | null> {
    const token = sessionToken(request);
    const session = token ? await findSession(deps, token) : null;
    if (token && session) void noteSeen(deps, token, session);
    return session;
  }

  return {
    deps,
    forms,
    sessionToken,
    sessionOf,
    /** Only if the advisor signed in just now: for changes to how they sign in. */
    async freshSessionOf(request: FastifyRequest): Promise<Session | null> {
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
    async begin(request: FastifyRequest, reply: FastifyReply, session: NewSession): Promise<void> {
      await forget(request);
      cookies.set(reply, 'session', session.token);
      forms.renewToken(reply);
      cookies.set(reply, 'device', session.device, deviceSeconds);
    },
    async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      await forget(request);
      cookies.clear(reply, 'session');
      forms.renewToken(reply);
    },
  };
}

/** The next page, if it is a path on this site. Anything that could lead elsewhere becomes the advisor's first page. */
export function localPath(next: unknown): string {
  return isLocalPath(next) ? next : firstPage;
}

export const firstPage = '/connected-apps';
