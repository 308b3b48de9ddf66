import { CrmFault } from '../../domain/ports.ts';

/** An address that contacts may come from: encrypted, or on this machine. */
export function safeAddress(text: string): URL {
  const url = URL.parse(text);
  if (!url) throw new CrmFault('Its address is not a web address.');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isThisMachine(url.hostname)))
    throw new CrmFault('Its address must begin with https://.');
  return url;
}

function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}
