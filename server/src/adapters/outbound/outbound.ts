import type { Agent, Dispatcher } from 'undici';
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
} from './exchanges.ts';

export { OutboundFailed, OutboundFault, OutboundLate, OutboundRefused, OutboundTooLarge } from './exchanges.ts';

type OutboundLimits = {
  /** For the whole exchange, from the DNS lookup to the body's last byte. */
  timeoutMs: number;
  /** For connecting alone, if that is to fail sooner. */
  connectMs?: number;
  bytesMax: number;
  /** A response that is too long or never ends is cut, since its status counts. Without it, that is a fault. */
  cuts?: true;
  /** How many redirects a GET follows. Without it a redirect is the response. */
  redirectsMax?: number;
};

type OutboundRequest = {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string | null;
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
 * whatever a name resolves to and wherever redirects lead, and with limits. The response is there in full; one takes a third of
 * the CPU time that a `fetch` takes. It throws an OutboundFault, or the reason that the caller's signal was aborted with.
 */
export function makeOutbound(allowedNetworks: readonly string[], limits: OutboundLimits): Outbound {
  const { timeoutMs, connectMs = timeoutMs, redirectsMax = 0 } = limits;
  const mayReach = reachable(allowedNetworks);
  let connecting: Promise<Agent> | undefined;

  return async (address, { method = 'GET', headers: given = {}, body = null, signal, beginBy } = {}) => {
    let url = addressOf(address);
    const exchange = begin(url, timeoutMs, signal ?? null);
    try {
      connecting ??= connect(mayReach, connectMs);
      const agent = await connecting;
      const dispatcher = beginBy === undefined ? agent : beginningBy(agent, url, beginBy);
      const headers = new Headers(given);
      headers.set('user-agent', 'assent/1');
      // A POST would be made twice.
      const hopsMax = method === 'GET' ? redirectsMax : 0;
      for (let hops = 0; ; hops += 1) {
        const response = await ask(dispatcher, url, { method, headers, body, signal: exchange.signal }, limits);
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

type Question = { method: 'GET' | 'POST'; headers: Headers; body: string | null; signal: AbortSignal };

async function ask(dispatcher: Dispatcher, url: URL, question: Question, limits: OutboundLimits): Promise<Response> {
  try {
    const {
      statusCode: status,
      headers,
      body,
    } = await dispatcher.request({
      ...question,
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      headers: Object.fromEntries(question.headers),
    });
    const bytes = await bytesOf(body, url, limits);
    const pairs = Object.entries(headers).flatMap(([name, values = []]) =>
      [values].flat().map((value): [string, string] => [name, value]),
    );
    return new Response(bytes.length > 0 ? bytes : null, { status, headers: pairs });
  } catch (error) {
    throw faultOf(error, url);
  }
}

async function bytesOf(body: AsyncIterable<Buffer>, url: URL, { bytesMax, cuts }: OutboundLimits) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > bytesMax) throw new OutboundTooLarge(`${shown(url)} answers with more than ${bytesMax} bytes.`);
    }
  } catch (error) {
    if (!cuts) throw error;
  }
  return Buffer.concat(chunks);
}
