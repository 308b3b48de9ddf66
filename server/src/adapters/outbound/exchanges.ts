import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import type { Agent, buildConnector } from 'undici';
import type { Reachable } from './addresses.ts';

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

type Exchange = {
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
export async function connect(mayReach: Reachable, timeoutMs: number): Promise<Agent> {
  const undici = await import('undici');
  const open = undici.buildConnector({ lookup: checkedLookup(mayReach), allowH2: false, timeout: timeoutMs });
  // Only names are looked up, so IP addresses are checked here. Idle connections don't keep the process alive.
  const checked: buildConnector.connector = (options, callback) =>
    isIP(options.hostname) && !mayReach(options.hostname)
      ? callback(refusal(options.hostname, options.hostname), null)
      : open(options, callback);
  // With HTTP/2, requests to a server that doesn’t answer would wait for one another.
  return new undici.Agent({ connect: checked, allowH2: false, headersTimeout: 0, bodyTimeout: 0 });
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

/** The reason for a failure may be in the causes of its error. */
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
  return `can’t be reached, or the connection broke${code && ` (${code})`}`;
}

/** For each of two tries. */
const lookupLimits = { timeout: 1_500, tries: 2 };

/**
 * The addresses of a name that somebody else wrote down. The system looks up two names at a time, and waits half a minute for a
 * name server that doesn't answer: two such names would hold up every other lookup, that of the database too. So it is only asked
 * about names without a dot, which nobody outside can own.
 */
export async function addressesOf(hostname: string): Promise<LookupAddress[]> {
  if (!hostname.includes('.')) return lookup(hostname, { all: true });
  const own = await ownAddressesOf(hostname);
  if (own.length > 0) return own;
  const resolver = new Resolver(lookupLimits);
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = [...known(v4, 4), ...known(v6, 6)];
  if (found.length > 0) return found;
  const cause = v4.status === 'rejected' ? v4.reason : undefined;
  throw Object.assign(new Error('The name doesn’t resolve.', { cause }), { code: 'ENOTFOUND' });
}

function known(answer: PromiseSettledResult<string[]>, family: number): LookupAddress[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
}

/** The system's own table, which the resolver doesn't read. */
async function ownAddressesOf(hostname: string): Promise<LookupAddress[]> {
  const table = await readFile('/etc/hosts', 'utf8').catch(() => '');
  return table.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    return names.includes(hostname.toLowerCase()) && isIP(address) ? [{ address, family: isIP(address) }] : [];
  });
}

/** Why a request to somebody else's address failed, in one line for an operator. */
export class OutboundFault extends Error {}

/** The request isn't allowed. */
export class OutboundRefused extends OutboundFault {}

/** No connection was there in time to begin the request, so nothing of it was sent. */
export class OutboundLate extends OutboundFault {}

/** The request was made and failed. */
export class OutboundFailed extends OutboundFault {}

/** Its response is larger than it may be. */
export class OutboundTooLarge extends OutboundFailed {}

const shownMax = 200;

/** An address without the parts that may be secret: user, password and query. */
export function shown({ protocol, host, pathname }: URL): string {
  const text = `${protocol}//${host}${pathname}`;
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
}
