import type { OpenCrm } from '../domain/ports.ts';
import { makeOutbound } from '../outbound/outbound.ts';
import { openCardDav } from './carddav.ts';
import { openFile } from './file.ts';
import { openHttpsLookup } from './https-lookup.ts';

const requestMs = 30_000;
/** Radicale 3.1, which is what Debian has, takes half a minute to list 10,000 cards of one book. */
const listingMs = 120_000;
const listingBytesMax = 64 * 1024 * 1024;
const pageBytesMax = 8 * 1024 * 1024;

/** Opening asks nobody yet: what is wrong with the access comes out as a CrmFault of what is asked first. */
export function crmOpener(allowedNetworks: readonly string[]): OpenCrm {
  const askCardDav = makeOutbound(allowedNetworks, { timeoutMs: listingMs, bytesMax: listingBytesMax });
  const askHttps = makeOutbound(allowedNetworks, { timeoutMs: requestMs, bytesMax: pageBytesMax });
  return (access) => {
    if (access.kind === 'carddav') return openCardDav(access, askCardDav);
    return access.kind === 'https' ? openHttpsLookup(access, askHttps) : openFile(access);
  };
}
