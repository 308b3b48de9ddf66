import { readFile, stat } from 'node:fs/promises';
import { OutboundFault } from '../../outbound/outbound.ts';
import { decoded, unzipped } from './encodings.ts';
import { SourceFault } from './faults.ts';
import {
  entriesMax,
  type FeedEntry,
  type Listing,
  type ListingRefusal,
  readListing,
  type SitemapEntry,
  tooMany,
} from './listings.ts';

export type Source = { refused: ListingRefusal[] /** Whether every entry could be read. */; isWhole: boolean } & (
  | { kind: 'feed'; entries: FeedEntry[] }
  | { kind: 'sitemap'; entries: SitemapEntry[] }
);

export type FetchOptions = { ask: typeof fetch; until: AbortSignal };

export const documentBytesMax = 50_000_000;
const sitemapsMax = 50;
const accepted = 'application/rss+xml, application/atom+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5';

/** Reads a feed or a sitemap from a web address or a file; for a sitemap index, all of its sitemaps. */
export async function readSource(address: string, reading: FetchOptions): Promise<Source> {
  const listing = await readDocument(address, reading);
  return listing.kind === 'index' ? readSitemaps(listing, reading) : listing;
}

export function isWebAddress(address: string): boolean {
  return /^https?:\/\//i.test(address);
}

/** The reason to show an operator why a source or page couldn't be read; other errors are rethrown. */
export function whyNot(error: unknown): string {
  if (error instanceof SourceFault || error instanceof OutboundFault) return error.message;
  throw error;
}

async function readSitemaps(index: Listing, reading: FetchOptions): Promise<Source> {
  const entries = new Map<string, SitemapEntry>();
  const refused = [...index.refused];
  let isWhole = index.isWhole && index.entries.length <= sitemapsMax;
  if (!isWhole) refused.push({ what: 'The index', why: `it lists more than ${sitemapsMax} sitemaps` });
  for (const { url } of index.entries.slice(0, sitemapsMax))
    try {
      const part = await readDocument(url, reading);
      if (part.kind !== 'sitemap') throw new SourceFault('it is not a sitemap');
      for (const entry of part.entries) if (!entries.has(entry.url)) entries.set(entry.url, entry);
      refused.push(...part.refused);
      isWhole &&= part.isWhole;
    } catch (error) {
      refused.push({ what: url, why: whyNot(error) });
      isWhole = false;
    }
  if (entries.size > entriesMax) refused.push(tooMany);
  isWhole &&= entries.size <= entriesMax;
  return { kind: 'sitemap', entries: [...entries.values()].slice(0, entriesMax), refused, isWhole };
}

async function readDocument(address: string, { ask, until }: FetchOptions): Promise<Listing> {
  if (!isWebAddress(address)) return readListing(decoded(unzipped(await fileBytes(address), documentBytesMax), null));
  const response = await ask(address, { signal: until, headers: { accept: accepted } });
  if (!response.ok) {
    await response.body?.cancel();
    throw new SourceFault(`it answers ${response.status}`);
  }
  const bytes = unzipped(Buffer.from(await response.arrayBuffer()), documentBytesMax);
  return readListing(decoded(bytes, response.headers.get('content-type')), response.url);
}

async function fileBytes(path: string): Promise<Buffer> {
  if ((await stat(path)).size > documentBytesMax) throw new SourceFault(`it has more than ${documentBytesMax} bytes`);
  return readFile(path);
}
