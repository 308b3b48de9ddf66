import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import type { Agent, buildConnector } from 'undici';
import type { Reachable } from './addresses.ts';
import { OutboundFailed, OutboundFault, OutboundRefused, shown } from './faults.ts';
import { addressesOf } from './names.ts';

export type Undici = typeof import('undici');

export function addressOf(input: string | URL, base?: URL): URL {
  const url = URL.parse(String(input), base?.href);
  if (!url)
    throw new OutboundRefused(base ? `${shown(base)} redirects to an invalid address.` : 'That is not a web address.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new OutboundRefused(`Only http and https addresses are supported, not ${url.protocol}`);
  if (url.username || url.password)
    throw new OutboundRefused(`${shown(url)}: an address must not contain a user name or password.`);
  return url;
}

export type Exchange = {
  signal: AbortSignal /** With a reason, also aborts what is still running. */;
  end(reason?: unknown): void;
};

/** The caller gets the first reason that ended the exchange: their own, the timeout, or an error. */
export function begin(url: URL, timeoutMs: number, theirs: AbortSignal | null): Exchange {
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
export async function connect(mayReach: Reachable, timeoutMs: number): Promise<{ undici: Undici; agent: Agent }> {
  const undici = await import('undici');
  const open = undici.buildConnector({ lookup: checkedLookup(mayReach), allowH2: false, timeout: timeoutMs });
  // Only names are looked up, so IP addresses are checked here. Idle connections don't keep the process alive.
  const checked: buildConnector.connector = (options, callback) =>
    isIP(options.hostname) && !mayReach(options.hostname)
      ? callback(refusal(options.hostname, options.hostname), null)
      : open(options, callback);
  // With HTTP/2, requests to a server that doesn’t answer would wait for one another.
  return { undici, agent: new undici.Agent({ connect: checked, allowH2: false, headersTimeout: 0, bodyTimeout: 0 }) };
}

/** Checks the addresses that are then connected to, so a name can't resolve differently in between. */
function checkedLookup(mayReach: Reachable): LookupFunction {
  const find = callbackify(addressesOf);
  return (hostname, options, callback) => {
    find(hostname, (error, addresses) => {
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

/** fetch gives the reason for a failure in the causes of its error. */
export function faultOf(error: unknown, url: URL): OutboundFault {
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
