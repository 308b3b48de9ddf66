import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { loopbackHosts } from '../../config.ts';
import { hashSecret, matchesHash } from '../../domain/shared/secrets.ts';
import type { RawBody } from '../door/body.ts';
import type { CookieJar } from './cookies.ts';

const formBytesMax = 16 * 1024;
const formType = /^application\/x-www-form-urlencoded\s*(;|$)/i;
const jsonType = /^application\/json\s*(;|$)/i;

/** A form, or a script's call, that isn't taken: it came from elsewhere, or can't be read. */
export class FormRefused extends Error {
  readonly reason: 'foreign' | 'unreadable';

  constructor(reason: 'foreign' | 'unreadable') {
    super(`The form is ${reason}.`);
    this.reason = reason;
  }
}

/** The fields of a form; one that wasn't sent is empty. */
export type Fields = (name: string) => string;

/**
 * The forms of our pages. Each carries a token that the browser also keeps in a cookie: another site can make a browser
 * post here, but can neither read the one nor set the other. What browsers say about where a post comes from must fit too.
 */
export function formDoor(
  cookies: CookieJar,
  config: { environment: string; publicUrl: string },
  bytesMax = formBytesMax,
) {
  const ours = ownOrigins(config);

  function newToken(reply: FastifyReply): string {
    const token = randomBytes(32).toString('base64url');
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
    /** The token for the forms of one page: the browser's own, or a fresh one for both. */
    token(request: FastifyRequest, reply: FastifyReply): string {
      return cookies.read(request, 'form') ?? newToken(reply);
    },
    /** For whoever signs in or out: what was read before must not count after. */
    renewToken(reply: FastifyReply): void {
      newToken(reply);
    },
    /** What the form says, once it is known to be ours. */
    read(request: FastifyRequest): Fields {
      const fields = new URLSearchParams(bodyOf(request, formType, bytesMax));
      const value = (name: string) => fields.get(name) ?? '';
      requireOwn(request, value('formToken'));
      // PostgreSQL stores no NUL, and no browser lets one be typed.
      if ([...fields.values()].some((each) => each.includes('\0'))) throw new FormRefused('unreadable');
      return value;
    },
    /** What our script says, which has the token in a header. */
    readJson(request: FastifyRequest): Record<string, unknown> {
      requireOwn(request, String(request.headers['x-form-token'] ?? ''));
      return parsed(bodyOf(request, jsonType, bytesMax));
    },
  };
}

export type FormDoor = ReturnType<typeof formDoor>;

function bodyOf(request: FastifyRequest, type: RegExp, bytesMax: number): string {
  const raw = (request.body as RawBody | undefined) ?? Buffer.alloc(0);
  const isWanted = type.test(request.headers['content-type'] ?? '');
  if (!isWanted || raw === 'too large' || raw.length > bytesMax) throw new FormRefused('unreadable');
  return raw.toString();
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return { ...value };
  } catch {
    // Told below, as is JSON that is no object.
  }
  throw new FormRefused('unreadable');
}

/** Where our pages are: at the public address, and in the sandbox at whatever name this machine has for itself. */
function ownOrigins({ environment, publicUrl }: { environment: string; publicUrl: string }): string[] {
  const { port } = new URL(publicUrl);
  if (environment !== 'sandbox') return [publicUrl];
  return [publicUrl, ...loopbackHosts.map((host) => `http://${host}${port && `:${port}`}`)];
}
