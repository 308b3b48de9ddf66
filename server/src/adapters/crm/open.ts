import type { Crm, CrmAccess, OpenCrm } from '../../domain/ports.ts';
import { makeOutbound } from '../outbound/outbound.ts';

const requestMs = 30_000;
/** Radicale 3.1, which Debian ships, takes half a minute to list a book of 10,000 cards. */
const listingMs = 120_000;
const listingBytesMax = 64 * 1024 * 1024;
const pageBytesMax = 8 * 1024 * 1024;

/** Opening sends no request: a wrong access is a CrmFault of the first lookup or listing. */
export function crmOpener(allowedNetworks: readonly string[]): OpenCrm {
  const ask = {
    carddav: makeOutbound(allowedNetworks, { timeoutMs: listingMs, bytesMax: listingBytesMax }),
    https: makeOutbound(allowedNetworks, { timeoutMs: requestMs, bytesMax: pageBytesMax }),
  };
  return (access) => {
    // Parsers and schemas are loaded at the first request: without them, every command starts in half the time.
    const load = () => loadCrm(access, ask);
    return {
      lookup: async (phone, until) => (await load()).lookup(phone, until),
      async *list(known, until) {
        yield* (await load()).list(known, until);
      },
    };
  };
}

async function loadCrm(access: CrmAccess, ask: Record<'carddav' | 'https', typeof fetch>): Promise<Crm> {
  if (access.kind === 'file') return (await import('./file.ts')).openFile(access);
  if (access.kind === 'https') return (await import('./https-lookup.ts')).openHttpsLookup(access, ask.https);
  return (await import('./carddav.ts')).openCardDav(access, ask.carddav);
}
