import { CrmFault } from '../../domain/ports.ts';

/** An address that secrets may be sent to: encrypted, or on this machine. */
export function safeAddress(text: string): URL {
  const url = URL.parse(text);
  if (!url) throw new CrmFault('Its address is not a web address.');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isThisMachine(url.hostname)))
    throw new CrmFault('Its address must begin with https://.');
  return url;
}

/**
 * Whether a server may redirect us with the password: to itself, or with encryption to a host in the same domain, because
 * large providers spread their accounts over many hosts.
 */
export function mayRedirect(from: URL, to: URL): boolean {
  return from.origin === to.origin || (to.protocol === 'https:' && domainOf(to) === domainOf(from));
}

function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

/** The last two labels; an IP address is its own domain. */
function domainOf({ hostname }: URL): string {
  return /^[\d.]+$|^\[/.test(hostname) ? hostname : hostname.split('.').slice(-2).join('.');
}
