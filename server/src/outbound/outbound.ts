import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Agent, buildConnector, RequestInit } from 'undici';
import { type Reachable, reachable } from './addresses.ts';
import { OutboundFailed, OutboundFault, OutboundRefused, shown } from './faults.ts';

export { OutboundFailed, OutboundFault, OutboundRefused } from './faults.ts';

export type OutboundLimits = {
  /** For the whole exchange, from the DNS lookup to the body's last byte. */
  timeoutMs: number;
  /** For connecting alone, if that is to fail sooner. */
  connectMs?: number;
  /** Of the decompressed body. */
  bytesMax: number;
  redirectsMax?: number;
};

type Undici = typeof import('undici');
type Hop = { url: URL; method: string; headers: Headers; body: Uint8Array<ArrayBuffer> | undefined };

const redirectsMaxByDefault = 5;
const redirects = [301, 302, 303, 307, 308];
const emptyStatuses = [204, 205, 304];
/** A credential may have any name, so only headers that can't be one are sent to a different origin. */
const keptAcrossOrigins = ['accept', 'accept-language', 'content-type', 'depth', 'prefer', 'user-agent'];
const bodyHeaders = ['content-encoding', 'content-language', 'content-location', 'content-type', 'content-length'];

/**
 * `fetch` for addresses that somebody else provided: http and https only, to public addresses and allowed networks only,
 * whatever a name resolves to and wherever redirects lead, and with limits. It throws an OutboundFault, or the reason that
 * the caller's signal was aborted with.
 */
export function makeOutbound(allowedNetworks: readonly string[], limits: OutboundLimits): typeof fetch {
  const mayReach = reachable(allowedNetworks);
  let connecting: Promise<{ undici: Undici; agent: Agent }> | undefined;

  return async (input, init) => {
    const given = addressOf(input instanceof Request ? input.url : input);
    const request = new Request(input, { ...init, signal: null });
    const exchange = begin(given, limits.timeoutMs, init?.signal ?? (input instanceof Request ? input.signal : null));
    try {
      connecting ??= connect(mayReach, limits.connectMs ?? limits.timeoutMs);
      const { undici, agent } = await connecting;
      const bytes = request.body ? new Uint8Array(await request.arrayBuffer()) : undefined;
      const headers = new Headers(request.headers);
      headers.set('user-agent', 'assent/1');
      let hop: Hop = { url: given, method: request.method, headers, body: bytes };
      for (let count = 0; ; count += 1) {
        const response = await ask(undici, agent, hop, exchange.signal);
        const location = redirects.includes(response.status) ? response.headers.get('location') : null;
        if (location === null || request.redirect === 'manual')
          return bounded(response, hop, { redirected: count > 0, bytesMax: limits.bytesMax, exchange });
        if (request.redirect === 'error') throw new OutboundFailed(`${shown(hop.url)} redirects.`);
        if (count >= (limits.redirectsMax ?? redirectsMaxByDefault))
          throw new OutboundFailed(`${shown(given)} redirects too often.`);
        await response.body?.cancel();
        hop = nextHop(hop, response.status, location);
      }
    } catch (error) {
      exchange.end(error);
      throw exchange.signal.reason;
    }
  };
}

function addressOf(input: string | URL, base?: URL): URL {
  const url = URL.parse(String(input), base?.href);
  if (!url)
    throw new OutboundRefused(base ? `${shown(base)} redirects to an invalid address.` : 'That is not a web address.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new OutboundRefused(`Only http and https addresses are supported, not ${url.protocol}`);
  if (url.username || url.password)
    throw new OutboundRefused(`${shown(url)}: an address must not contain a user name or password.`);
  return url;
}

type Exchange = {
  signal: AbortSignal /** With a reason, also aborts what is still running. */;
  end(reason?: unknown): void;
};

/** The caller gets the first reason that ended the exchange: their own, the timeout, or an error. */
function begin(url: URL, timeoutMs: number, theirs: AbortSignal | null): Exchange {
  theirs?.throwIfAborted();
  const ending = new AbortController();
  const abort = () => ending.abort(theirs?.reason);
  const late = () => ending.abort(new OutboundFailed(`${shown(url)} took longer than ${timeoutMs / 1000} s.`));
  const timer = setTimeout(late, timeoutMs).unref();
  theirs?.addEventListener('abort', abort);
  return {
    signal: ending.signal,
    end(reason) {
      clearTimeout(timer);
      theirs?.removeEventListener('abort', abort);
      if (reason !== undefined) ending.abort(reason);
    },
  };
}

/** Loaded at the first request: it takes a command a tenth of a second, and few commands make requests. */
async function connect(mayReach: Reachable, timeoutMs: number): Promise<{ undici: Undici; agent: Agent }> {
  const undici = await import('undici');
  const open = undici.buildConnector({ lookup: checkedLookup(mayReach), allowH2: false, timeout: timeoutMs });
  // Only names are looked up, so IP addresses are checked here. Idle connections don't keep the process alive.
  const checked: buildConnector.connector = (options, callback) =>
    isIP(options.hostname) && !mayReach(options.hostname)
      ? callback(refusal(options.hostname, options.hostname), null)
      : open(options, callback);
  return { undici, agent: new undici.Agent({ connect: checked, headersTimeout: 0, bodyTimeout: 0 }) };
}

/** Checks the addresses that are then connected to, so a name can't resolve differently in between. */
function checkedLookup(mayReach: Reachable): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const refused = addresses?.find(({ address }) => !mayReach(address));
      const [first] = addresses ?? [];
      if (error) callback(error, '');
      else if (refused) callback(refusal(hostname, refused.address), '');
      else if (options.all) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family);
    });
  };
}

function refusal(hostname: string, address: string): OutboundRefused {
  const named = hostname === address ? address : `${hostname} is at ${address}, which`;
  return new OutboundRefused(`${named} is not a public address: allow it with OUTBOUND_ALLOWED_NETWORKS.`);
}

async function ask(undici: Undici, agent: Agent, hop: Hop, signal: AbortSignal): Promise<Response> {
  const { url, method, headers, body } = hop;
  try {
    const init: RequestInit = { method, headers: [...headers], body, signal, dispatcher: agent, redirect: 'manual' };
    // Its classes do the same as the global ones.
    return (await undici.fetch(url, init)) as unknown as Response;
  } catch (error) {
    throw faultOf(error, url);
  }
}

/** fetch gives the reason for a failure in the causes of its error. */
function faultOf(error: unknown, url: URL): OutboundFault {
  let cause = error;
  while (cause instanceof Error && !(cause instanceof OutboundFault) && cause.cause) cause = cause.cause;
  if (cause instanceof OutboundFault) return cause;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return new OutboundFailed(`${shown(url)} ${saidBy(code)}.`, { cause: error });
}

function saidBy(code: string): string {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'can’t be found: its name doesn’t resolve';
  if (code === 'ECONNREFUSED') return 'can’t be reached: the connection was refused';
  if (/CERT|TLS|SSL|SIGNATURE|ISSUER/.test(code)) return `has a certificate that can’t be trusted (${code})`;
  if (/^Z_|^ERR__?(ZLIB|BROTLI|ZSTD)/.test(code)) return 'sends data that can’t be decompressed';
  return `can’t be reached, or the connection broke${code && ` (${code})`}`;
}

/** As fetch redirects: a POST becomes a GET, except for 307 and 308. */
function nextHop(hop: Hop, status: number, location: string): Hop {
  const url = addressOf(location, hop.url);
  if (hop.url.protocol === 'https:' && url.protocol === 'http:')
    throw new OutboundRefused(`${shown(hop.url)} redirects from https to http.`);
  const toGet = (status === 303 && !['GET', 'HEAD'].includes(hop.method)) || (status <= 302 && hop.method === 'POST');
  const sameOrigin = url.origin === hop.url.origin;
  const headers = new Headers(
    [...hop.headers].filter(
      ([name]) => (sameOrigin || keptAcrossOrigins.includes(name)) && !(toGet && bodyHeaders.includes(name)),
    ),
  );
  return toGet ? { url, method: 'GET', headers, body: undefined } : { ...hop, url, headers };
}

type Bounds = { redirected: boolean; bytesMax: number; exchange: Exchange };

/** The answer with a body that counts its bytes and ends the exchange. */
function bounded(response: Response, { url, method }: Hop, { redirected, bytesMax, exchange }: Bounds): Response {
  const { status, statusText } = response;
  const headers = new Headers([...response.headers]);
  const body = method === 'HEAD' || emptyStatuses.includes(status) ? null : response.body;
  const tooLong = () => new OutboundFailed(`${shown(url)} answers with more than ${bytesMax} bytes.`);
  if (body && Number(headers.get('content-length')) > bytesMax) throw tooLong();
  if (!body) exchange.end();
  const answer = new Response(body && countedBody(body, { url, bytesMax, tooLong, exchange }), {
    status,
    statusText,
    headers,
  });
  return Object.defineProperties(answer, { url: { value: url.href }, redirected: { value: redirected } });
}

type Counting = { url: URL; bytesMax: number; tooLong(): OutboundFailed; exchange: Exchange };

function countedBody(body: ReadableStream, { url, bytesMax, tooLong, exchange }: Counting): ReadableStream {
  const reader = body.getReader();
  let bytes = 0;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        bytes += value?.byteLength ?? 0;
        if (bytes > bytesMax) throw tooLong();
        if (!done) return controller.enqueue(value);
        exchange.end();
        controller.close();
      } catch (error) {
        exchange.end(faultOf(error, url));
        throw exchange.signal.reason;
      }
    },
    async cancel(reason) {
      exchange.end();
      await reader.cancel(reason);
    },
  });
}
