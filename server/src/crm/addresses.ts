import { CrmFault } from '../domain/ports.ts';

/** An address that secrets may go to: encrypted, or on this machine. */
export function safeAddress(text: string): URL {
  const url = URL.parse(text);
  if (!url) throw new CrmFault('Its address is not a web address.');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isThisMachine(url.hostname)))
    throw new CrmFault('Its address must begin with https://.');
  return url;
}

/**
 * Where a server may send us on with the password: to itself, or encrypted to another host of its own domain, as large
 * providers keep each account on one of many.
 */
export function maySendOn(from: URL, to: URL): boolean {
  return from.origin === to.origin || (to.protocol === 'https:' && domainOf(to) === domainOf(from));
}

function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

/** By its last two labels; an address of digits is its own. */
function domainOf({ hostname }: URL): string {
  return /^[\d.]+$|^\[/.test(hostname) ? hostname : hostname.split('.').slice(-2).join('.');
}
