import type { OpenCrm } from '../../domain/ports.ts';
import { makeOutbound } from '../outbound/outbound.ts';

const requestMs = 10_000;
const responseBytesMax = 8 * 1024 * 1024;

/** Opening sends no request: a wrong address or secret is a CrmFault of the first lookup. */
export function crmOpener(allowedNetworks: readonly string[]): OpenCrm {
  const ask = makeOutbound(allowedNetworks, { timeoutMs: requestMs, bytesMax: responseBytesMax });
  return (access) => ({
    async lookup(phone, until) {
      // Schemas are loaded at the first request: without them, every command starts in half the time.
      const { openHttpsLookup } = await import('./https-lookup.ts');
      return openHttpsLookup(access, ask).lookup(phone, until);
    },
  });
}
