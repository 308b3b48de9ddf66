import { CrmFault } from '../../domain/ports.ts';

/** An address that secrets may be sent to: encrypted, or on this machine. */
export function safeAddress(text: string): URL {
  const url = URL.parse(text);
  if (!url) throw new CrmFault('Its address is not a web address.');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isThisMachine(url.hostname)))
    throw new CrmFault('Its address must begin with https://.');
  return url;
}

/** Providers that spread accounts over hosts, all of them their own. */
const manyHosts = ['.icloud.com'];
const shownLengthMax = 200;

/**
 * The address, if the server at `from` may lead us there with the password: itself, or with encryption the same host or another of its
 * provider's. A domain in common says nothing: whose `azurewebsites.net` or `co.uk` is depends on the labels before it.
 */
export function redirectTarget(from: URL, to: URL | null): URL {
  if (!to) throw new CrmFault('It leads to something that is not a web address.');
  if (to.origin === from.origin || (to.protocol === 'https:' && to.port === '' && isSameHost(from, to))) return to;
  const address = `${to.protocol}//${to.host}${to.pathname}`.slice(0, shownLengthMax);
  throw new CrmFault(`It leads to a different server: ${address}. If that is right, connect that address.`);
}

function isSameHost({ hostname: one }: URL, { hostname: other }: URL): boolean {
  return one === other || manyHosts.some((domain) => one.endsWith(domain) && other.endsWith(domain));
}

function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}
