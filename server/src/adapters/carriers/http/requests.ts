import { makeOutbound, OutboundFault, OutboundLate, OutboundRefused } from '../../outbound/outbound.ts';
import { jsonOf } from './fields.ts';

/** A carrier's answer. `body` is what its JSON says; undefined if it isn't JSON. */
export type CarrierResponse = { status: number; body: unknown; retryAfterMs: number | null };

export type Question = {
  url: URL;
  /** Makes it a POST. */
  body?: { type: string; text: string };
  /** By performance.now(): the latest moment to hand it to the socket. */
  beginBy?: number | undefined;
};

export type Ask = (question: Question) => Promise<CarrierResponse>;

/** The request certainly never reached the carrier: there was no connection to send it on. */
export class NotSent extends Error {}
/** There was no connection in time, so the request wasn't begun. */
export class NotBegun extends NotSent {}

/** The longest lists that are asked for have a hundred texts, each of at most 1,600 characters. */
const responseBytesMax = 1024 * 1024;
/** Well before the response is late: a text that found no connection isn't in doubt. */
const connectMsMax = 3_000;

/**
 * Requests to a carrier. It throws NotSent, or whatever else went wrong: then nobody knows what the carrier did. Redirects
 * aren't followed, since a text would then go to two addresses.
 */
export function makeAsk(networks: readonly string[], timeoutMs: number, credentials: Record<string, string>): Ask {
  const ask = makeOutbound(networks, {
    timeoutMs,
    connectMs: Math.min(timeoutMs / 2, connectMsMax),
    bytesMax: responseBytesMax,
  });
  return async ({ url, body, beginBy }) => {
    try {
      const response = await ask(url, {
        method: body ? 'POST' : 'GET',
        headers: { accept: 'application/json', ...credentials, ...(body && { 'content-type': body.type }) },
        body: body?.text ?? null,
        beginBy,
      });
      return {
        status: response.status,
        body: jsonOf(await response.text()),
        retryAfterMs: retryAfterMs(response.headers),
      };
    } catch (error) {
      if (error instanceof OutboundLate) throw new NotBegun(error.message, { cause: error });
      throw neverConnected(error) ? new NotSent((error as Error).message, { cause: error }) : error;
    }
  };
}

/** What is at an address; undefined if nothing is. */
export async function read(ask: Ask, url: URL): Promise<unknown> {
  const { status, body } = await ask({ url });
  if (status === 404) return undefined;
  if (status !== 200) throw new Error(`${url.host} answers with ${status}.`);
  return body;
}

/** Why there is no response to a lookup, for an operator. */
export function noLookup(base: URL): Error {
  return new Error(`${base.href} doesn’t answer as it should when a number is looked up: is it the right address?`);
}

/** In seconds, or a date. */
function retryAfterMs(headers: Headers): number | null {
  const text = headers.get('retry-after');
  if (text === null) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

/** Looking up the name, connecting, and TLS all come before the first byte of a request. */
const beforeSending =
  /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$|CERT|ISSUER|SIGNATURE/;

function neverConnected(error: unknown): boolean {
  if (error instanceof OutboundRefused) return true;
  if (!(error instanceof OutboundFault)) return false;
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) {
    const { code, syscall } = cause as NodeJS.ErrnoException;
    if (syscall === 'connect' || syscall === 'getaddrinfo' || beforeSending.test(code ?? '')) return true;
  }
  return false;
}
