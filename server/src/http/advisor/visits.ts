import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.ts';
import { deviceSeconds } from '../../domain/sign-in/devices.ts';
import { findSession, isFresh, type NewSession, type Session, signOut } from '../../domain/sign-in/sessions.ts';
import type { Attempt } from '../../domain/sign-in/sign-in-failures.ts';
import { type CookieJar, cookieJar } from '../browser/cookies.ts';
import { type FormDoor, formDoor } from '../browser/forms.ts';

/** What these pages' handlers work with: the domain, the forms, and who is signed in. */
export type Visits = {
  deps: Deps;
  forms: FormDoor;
  sessionOf(request: FastifyRequest): Promise<Session | null>;
  /** Only if the advisor signed in just now: for changes to how they sign in. */
  freshSessionOf(request: FastifyRequest): Promise<Session | null>;
  attemptOf(request: FastifyRequest): Attempt;
  /** Signs the browser in, replacing anyone who was signed in. */
  begin(request: FastifyRequest, reply: FastifyReply, session: NewSession): Promise<void>;
  end(request: FastifyRequest, reply: FastifyReply): Promise<void>;
};

export function visits(deps: Deps): Visits {
  const cookies: CookieJar = cookieJar(deps.config.publicUrl);
  const forms = formDoor(cookies, deps.config);

  async function forget(request: FastifyRequest): Promise<void> {
    const token = cookies.read(request, 'session');
    if (token) await signOut(deps, token);
  }

  async function sessionOf(request: FastifyRequest): Promise<Session | null> {
    const token = cookies.read(request, 'session');
    return token ? findSession(deps, token) : null;
  }

  return {
    deps,
    forms,
    sessionOf,
    async freshSessionOf(request) {
      const session = await sessionOf(request);
      return session && isFresh(session) ? session : null;
    },
    attemptOf(request) {
      return { address: request.ip, device: cookies.read(request, 'device'), traceId: request.id };
    },
    async begin(request, reply, session) {
      await forget(request);
      cookies.set(reply, 'session', session.token);
      forms.renewToken(reply);
      cookies.set(reply, 'device', session.device, deviceSeconds);
    },
    async end(request, reply) {
      await forget(request);
      cookies.clear(reply, 'session');
      forms.renewToken(reply);
    },
  };
}

/** The next page, if it is a path on this site. Anything that could lead elsewhere becomes the advisor's first page. */
export function localPath(next: unknown): string {
  return typeof next === 'string' && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,2000}$/.test(next) ? next : firstPage;
}

export const firstPage = '/connected-apps';
