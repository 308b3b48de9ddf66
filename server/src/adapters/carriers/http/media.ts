import { type FetchedMedia, type IncomingMedia, MediaRefused, mediaBytesMax } from '../../../domain/ports.ts';
import { networksFor } from '../../outbound/addresses.ts';
import { makeOutbound, OutboundRefused, OutboundTooLarge } from '../../outbound/outbound.ts';
import type { NodeSettings } from './settings.ts';

const timeoutMs = 30_000;
const redirectsMax = 5;

/**
 * Fetches what came with a reply. Credentials go to the carrier's own address alone: where its response redirects to gets none,
 * nor does any other address that a reply names.
 */
export function mediaFetcher(
  node: NodeSettings,
  credentials?: { api: URL; headers: Record<string, string> },
): (media: IncomingMedia, until?: AbortSignal) => Promise<FetchedMedia> {
  const ask = makeOutbound(networksFor(node), { timeoutMs, bytesMax: mediaBytesMax, redirectsMax });
  return async ({ url, contentType }, until) => {
    try {
      const own = credentials && URL.parse(url)?.origin === credentials.api.origin ? credentials.headers : {};
      const response = await ask(url, { headers: own, ...(until && { signal: until }) });
      if (!response.ok) throw new Error(`The carrier answers with ${response.status}.`);
      const bytes = Buffer.from(await response.arrayBuffer());
      return { contentType: response.headers.get('content-type') ?? contentType, bytes };
    } catch (error) {
      const isFinal = error instanceof OutboundRefused || error instanceof OutboundTooLarge;
      throw isFinal ? new MediaRefused(error.message, { cause: error }) : error;
    }
  };
}
