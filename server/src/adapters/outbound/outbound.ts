import type { Agent, Dispatcher, RequestInit } from 'undici';
import { reachable } from './addresses.ts';
import {
  addressOf,
  begin,
  connect,
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
  /** How many redirects a GET follows. Without it a redirect is the response. */
  redirectsMax?: number;
};

type OutboundRequest = {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string | undefined;
  signal?: AbortSignal;
  /** By performance.now(): a request that isn't handed to the socket by then is an OutboundLate. */
  beginBy?: number | undefined;
};
export type Outbound = (address: string | URL, request?: OutboundRequest) => Promise<Response>;

const redirects = [301, 302, 303, 307, 308];
/** A credential may have any name, so only headers that can't be one are sent to a different origin. */
const keptAcrossOrigins = ['accept', 'accept-language', 'user-agent'];

/**
 * Requests to addresses that somebody else provided: http and https only, to public addresses and allowed networks only,
 * whatever a name resolves to and wherever redirects lead, and with limits. The response is there in full. It throws an
 * OutboundFault, or the reason that the caller's signal was aborted with.
 */
export function makeOutbound(allowedNetworks: readonly string[], limits: OutboundLimits): Outbound {
  const { timeoutMs, connectMs = timeoutMs, bytesMax, redirectsMax = 0 } = limits;
  const mayReach = reachable(allowedNetworks);
  let connecting: Promise<{ undici: Undici; agent: Agent }> | undefined;

  return async (address, { method = 'GET', headers: given = {}, body, signal, beginBy } = {}) => {
    let url = addressOf(address);
    const exchange = begin(url, timeoutMs, signal ?? null);
    try {
      connecting ??= connect(mayReach, connectMs);
      const { undici, agent } = await connecting;
      const dispatcher = beginBy === undefined ? agent : beginningBy(agent, url, beginBy);
      const headers = new Headers(given);
      headers.set('user-agent', 'assent/1');
      // A POST would be made twice.
      const hopsMax = method === 'GET' ? redirectsMax : 0;
      for (let hops = 0; ; hops += 1) {
        const request: RequestInit = { method, headers: [...headers], body, dispatcher, redirect: 'manual' };
        const response = await ask(undici, url, { ...request, signal: exchange.signal }, bytesMax);
        const location = redirects.includes(response.status) ? response.headers.get('location') : null;
        if (location === null || hopsMax === 0) {
          exchange.end();
          return response;
        }
        if (hops === hopsMax) throw new OutboundFailed(`${shown(url)} redirects too often.`);
        const next = addressOf(location, url);
        if (url.protocol === 'https:' && next.protocol === 'http:')
          throw new OutboundRefused(`${shown(url)} redirects from https to http.`);
        if (next.origin !== url.origin)
          for (const name of [...headers.keys()]) if (!keptAcrossOrigins.includes(name)) headers.delete(name);
        url = next;
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

async function ask(undici: Undici, url: URL, request: RequestInit, bytesMax: number): Promise<Response> {
  try {
    const { status, headers, body } = await undici.fetch(url, request);
    const tooLong = () => new OutboundTooLarge(`${shown(url)} answers with more than ${bytesMax} bytes.`);
    if (Number(headers.get('content-length')) > bytesMax) throw tooLong();
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of body ?? []) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > bytesMax) throw tooLong();
    }
    return new Response(bytes > 0 ? Buffer.concat(chunks) : null, { status, headers: [...headers] });
  } catch (error) {
    throw faultOf(error, url);
  }
}
