import type { FastifyReply, FastifyRequest } from 'fastify';
import { loopbackHosts } from '../../config.ts';
import { problem } from '../../domain/problems.ts';
import { hashSecret, matchesHash, newToken } from '../../domain/shared/secrets.ts';
import type { RawBody } from '../door/body.ts';
import type { CookieJar } from './cookies.ts';

const formBytesMax = 16 * 1024;
const formType = /^application\/x-www-form-urlencoded\s*(;|$)/i;
const jsonType = /^application\/json\s*(;|$)/i;

/** A form or a script's call that is refused, because it came from elsewhere or can't be read. */
export class FormRefused extends Error {
  readonly reason: 'foreign' | 'unreadable';

  constructor(reason: 'foreign' | 'unreadable') {
    super(`The form is ${reason}.`);
    this.reason = reason;
  }
}

/** A form's fields. A missing one is empty. */
export type Fields = (name: string) => string;

/**
 * The forms on our pages. Each has a token that the browser also keeps in a cookie: another site can make a browser post
 * here, but it can neither read the token nor set the cookie. The browser's headers must also name us as the origin.
 */
export function formDoor(
  cookies: CookieJar,
  config: { environment: string; publicUrl: string },
  bytesMax = formBytesMax,
) {
  const ours = ownOrigins(config);

  function giveToken(reply: FastifyReply): string {
    const token = newToken();
    cookies.set(reply, 'form', token);
    return token;
  }

  function requireOwn(request: FastifyRequest, token: string): void {
    const { origin, 'sec-fetch-site': site = 'same-origin' } = request.headers;
    if (origin !== undefined && !ours.includes(origin)) throw new FormRefused('foreign');
    if (site !== 'same-origin' && site !== 'none') throw new FormRefused('foreign');
    const kept = cookies.read(request, 'form');
    if (kept === null || !matchesHash(token, hashSecret(kept))) throw new FormRefused('foreign');
  }

  return {
    /** Whether somebody came here from a page of ours or typed the address: no other site sent them. */
    isOwnVisit({ headers: { host = '', 'sec-fetch-site': site = 'none' } }: FastifyRequest): boolean {
      return ours.some((origin) => new URL(origin).host === host) && (site === 'same-origin' || site === 'none');
    },
    /** The token for a page's forms: the one in the browser's cookie, or a new one for both. */
    token(request: FastifyRequest, reply: FastifyReply): string {
      return cookies.read(request, 'form') ?? giveToken(reply);
    },
    /** After signing in or out, so that a token from before no longer works. */
    renewToken(reply: FastifyReply): void {
      giveToken(reply);
    },
    /** The form's fields, once it is known to be ours. */
    read(request: FastifyRequest): Fields {
      const fields = new URLSearchParams(bodyOf(request, formType, bytesMax));
      const value = (name: string) => fields.get(name) ?? '';
      requireOwn(request, value('formToken'));
      requireStorable([...fields.values()]);
      return value;
    },
    /** A call of our script that is known to be ours by the token in its header. */
    requireOwnCall(request: FastifyRequest): void {
      requireOwn(request, String(request.headers['x-form-token'] ?? ''));
    },
    /** The JSON from our script, which sends the token in a header. */
    readJson(request: FastifyRequest): Record<string, unknown> {
      requireOwn(request, String(request.headers['x-form-token'] ?? ''));
      const given = parsed(bodyOf(request, jsonType, bytesMax));
      requireStorable(Object.values(given));
      return given;
    },
  };
}

type FormDoor = ReturnType<typeof formDoor>;

/** For a call of a script that changes something: it must come from our own page. */
export function requireOwnPage(forms: FormDoor, request: FastifyRequest): void {
  try {
    forms.requireOwnCall(request);
  } catch (error) {
    if (!(error instanceof FormRefused)) throw error;
    throw problem('forbidden', 'The request did not come from our own page: reload it and try again.');
  }
}

function bodyOf(request: FastifyRequest, type: RegExp, bytesMax: number): string {
  const raw = (request.body as RawBody | undefined) ?? Buffer.alloc(0);
  const isWanted = type.test(request.headers['content-type'] ?? '');
  if (!isWanted || raw === 'too large' || raw.length > bytesMax) throw new FormRefused('unreadable');
  return raw.toString();
}

/** PostgreSQL can't store NUL, and no browser lets anyone type it. */
function requireStorable(values: unknown[]): void {
  if (values.some((each) => typeof each === 'string' && each.includes('\0'))) throw new FormRefused('unreadable');
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return { ...value };
  } catch {
    // Refused below, like JSON that is not an object.
  }
  throw new FormRefused('unreadable');
}

/** Whether somebody can be sent on to it: a path on this site, and nothing that could lead elsewhere. */
export function isLocalPath(next: unknown): next is string {
  return typeof next === 'string' && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,2000}$/.test(next);
}

/** The origins of our pages: the public URL, and in the sandbox also the names of this machine. */
function ownOrigins({ environment, publicUrl }: { environment: string; publicUrl: string }): string[] {
  const { port } = new URL(publicUrl);
  if (environment !== 'sandbox') return [publicUrl];
  return [publicUrl, ...loopbackHosts.map((host) => `http://${host}${port && `:${port}`}`)];
}
