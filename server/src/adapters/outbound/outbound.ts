import type { Agent, Dispatcher, RequestInit } from 'undici';
import { reachable } from './addresses.ts';
import {
  addressOf,
  begin,
  connect,
  type Exchange,
  faultOf,
  OutboundFailed,
  OutboundLate,
  OutboundRefused,
  OutboundTooLarge,
  shown,
  type Undici,
} from './exchanges.ts';

export { OutboundFailed, OutboundFault, OutboundLate, OutboundRefused, OutboundTooLarge } from './exchanges.ts';

export type OutboundLimits = {
  /** For the whole exchange, from the DNS lookup to the body's last byte. */
  timeoutMs: number;
  /** For connecting alone, if that is to fail sooner. */
  connectMs?: number;
  /** Of the decompressed body. */
  bytesMax: number;
  redirectsMax?: number;
};

/** `beginBy`, by performance.now(): a request that isn't handed to the socket by then is an OutboundLate. */
type OutboundInit = globalThis.RequestInit & { beginBy?: number | undefined };
type Outbound = (input: string | URL | Request, init?: OutboundInit) => Promise<Response>;

type Hop = { url: URL; method: string; headers: Headers; body: Uint8Array<ArrayBuffer> | undefined };

const redirectsMaxByDefault = 5;
const redirects = [301, 302, 303, 307, 308];
const emptyStatuses = [204, 205, 304];
/** A credential may have any name, so only headers that can't be one are sent to a different origin. */
const keptAcrossOrigins = ['accept', 'accept-language', 'content-type', 'user-agent'];
const bodyHeaders = ['content-encoding', 'content-language', 'content-location', 'content-type', 'content-length'];

/**
 * `fetch` for addresses that somebody else provided: http and https only, to public addresses and allowed networks only,
 * whatever a name resolves to and wherever redirects lead, and with limits. It throws an OutboundFault, or the reason that
 * the caller's signal was aborted with.
 */
export function makeOutbound(allowedNetworks: readonly string[], limits: OutboundLimits): Outbound {
  const mayReach = reachable(allowedNetworks);
  let connecting: Promise<{ undici: Undici; agent: Agent }> | undefined;

  return async (input, init) => {
    const given = addressOf(input instanceof Request ? input.url : input);
    const request = new Request(input, { ...init, signal: null });
    const exchange = begin(given, limits.timeoutMs, init?.signal ?? (input instanceof Request ? input.signal : null));
    try {
      connecting ??= connect(mayReach, limits.connectMs ?? limits.timeoutMs);
      const { undici, agent } = await connecting;
      const dispatcher = init?.beginBy === undefined ? agent : beginningBy(agent, given, init.beginBy);
      const bytes = request.body ? new Uint8Array(await request.arrayBuffer()) : undefined;
      const headers = new Headers(request.headers);
      headers.set('user-agent', 'assent/1');
      let hop: Hop = { url: given, method: request.method, headers, body: bytes };
      for (let count = 0; ; count += 1) {
        const response = await ask(undici, dispatcher, hop, exchange.signal);
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

/**
 * Looks at the clock right before a request's first byte, since looking up a name and connecting may take seconds. The
 * connection is kept, so that the next request finds it.
 */
function beginningBy(agent: Agent, url: URL, beginBy: number): Dispatcher {
  return agent.compose((dispatch) => (options, handler) => {
    const punctual: Dispatcher.DispatchHandler = Object.create(handler);
    punctual.onRequestStart = (controller, context) => {
      if (performance.now() > beginBy) throw new OutboundLate(`${shown(url)} was not connected in time.`);
      handler.onRequestStart?.call(punctual, controller, context);
    };
    return dispatch(options, punctual);
  });
}

async function ask(undici: Undici, dispatcher: Dispatcher, hop: Hop, signal: AbortSignal): Promise<Response> {
  const { url, method, headers, body } = hop;
  try {
    const init: RequestInit = { method, headers: [...headers], body, signal, dispatcher, redirect: 'manual' };
    // Its classes do the same as the global ones.
    return (await undici.fetch(url, init)) as unknown as Response;
  } catch (error) {
    throw faultOf(error, url);
  }
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

/** The response with a body that counts its bytes and ends the exchange. */
function bounded(response: Response, { url, method }: Hop, { redirected, bytesMax, exchange }: Bounds): Response {
  const { status, statusText } = response;
  const headers = new Headers([...response.headers]);
  const body = method === 'HEAD' || emptyStatuses.includes(status) ? null : response.body;
  const tooLong = () => new OutboundTooLarge(`${shown(url)} answers with more than ${bytesMax} bytes.`);
  if (body && Number(headers.get('content-length')) > bytesMax) throw tooLong();
  if (!body) exchange.end();
  const counted = new Response(body && countedBody(body, { url, bytesMax, tooLong, exchange }), {
    status,
    statusText,
    headers,
  });
  return Object.defineProperties(counted, { url: { value: url.href }, redirected: { value: redirected } });
}

type ByteLimit = { url: URL; bytesMax: number; tooLong(): OutboundFailed; exchange: Exchange };

function countedBody(body: ReadableStream, { url, bytesMax, tooLong, exchange }: ByteLimit): ReadableStream {
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
