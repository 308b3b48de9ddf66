import type { ContentInput } from '../../../domain/content/content.ts';
import { toTime } from './dates.ts';
import { SourceFault } from './faults.ts';
import { inOneLine, plainText, shortened } from './text.ts';
import { readXml, type XmlElement, type XmlHead, type XmlRecord } from './xml.ts';

export type FeedEntry = Omit<ContentInput, 'type' | 'status'>;
export type SitemapEntry = { url: string; dateTimePublished: Date | null };
export type ListingRefusal = { what: string; why: string };

export type Listing =
  | { kind: 'feed'; entries: FeedEntry[]; refused: ListingRefusal[]; isWhole: boolean }
  | { kind: 'sitemap'; entries: SitemapEntry[]; refused: ListingRefusal[]; isWhole: boolean }
  | { kind: 'index'; entries: SitemapEntry[]; refused: ListingRefusal[]; isWhole: boolean };

export const entriesMax = 50_000;
export const tooMany: ListingRefusal = { what: 'The rest', why: `more than ${entriesMax} entries are listed` };
export const titleCodePointsMax = 500;
export const summaryCodePointsMax = 2_000;
export const keywordsMax = 50;
const keywordCodePointsMax = 100;
/** An item without a title gets the beginning of its text. */
const beginningCodePoints = 80;

type Kind = Listing['kind'];
type Reader = (record: XmlRecord, base: string | undefined) => FeedEntry | SitemapEntry | ListingRefusal;
const roots: Record<string, { kind: Kind; record: string; read: Reader }> = {
  rss: { kind: 'feed', record: 'item', read: readItem },
  'rdf:rdf': { kind: 'feed', record: 'item', read: readItem },
  feed: { kind: 'feed', record: 'entry', read: readAtomEntry },
  urlset: { kind: 'sitemap', record: 'url', read: readLocation },
  sitemapindex: { kind: 'index', record: 'sitemap', read: readLocation },
};

/** Reads an RSS or Atom feed, a sitemap or a sitemap index; `address` is the base for its relative links. */
export function readListing(document: string, address?: string): Listing {
  const entries = new Map<string, FeedEntry | SitemapEntry>();
  const refused: ListingRefusal[] = [];
  let kind: Kind | undefined;
  let isWhole = true;
  readXml(document, {
    recordName(root) {
      const known = roots[root];
      if (!known) throw new SourceFault('it is neither a feed nor a sitemap');
      kind = known.kind;
      return known.record;
    },
    take(record, head) {
      isWhole = entries.size + refused.length < entriesMax;
      if (!isWhole) {
        refused.push(tooMany);
        return 'enough';
      }
      const entry = roots[head.root.name]?.read(record, baseOf(head, address));
      if (entry && 'why' in entry) refused.push(entry);
      // A feed begins with its newest items, so of two with the same address the first one counts.
      else if (entry && !entries.has(entry.url)) entries.set(entry.url, entry);
      return 'more';
    },
  });
  return { kind, entries: [...entries.values()], refused, isWhole } as Listing;
}

function baseOf({ root, link }: XmlHead, address: string | undefined): string | undefined {
  return URL.parse(root.attributes['xml:base'] ?? address ?? link, address ?? link)?.href;
}

/** An item of RSS 2.0 or 1.0. Neither says whether text is HTML; usually it is. */
function readItem(record: XmlRecord, base: string | undefined): FeedEntry | ListingRefusal {
  const child = childrenOf(record);
  const guid = child('guid')[0];
  const permalink =
    guid?.attributes.ispermalink !== 'false' && /^https?:/i.test(guid?.text.trim() ?? '') ? guid?.text : '';
  const html = textOf(child('description')) || textOf(child('content:encoded'));
  return entryOf({
    link: textOf(child('link')) || permalink || record.attributes['rdf:about'] || '',
    base,
    title: plainText(textOf(child('title')), titleCodePointsMax),
    summary: plainText(html, summaryCodePointsMax),
    keywords: [...child('category'), ...child('dc:subject')].map(({ text }) => plainText(text, keywordCodePointsMax)),
    date: textOf(child('pubdate')) || textOf(child('dc:date')),
  });
}

function readAtomEntry(record: XmlRecord, base: string | undefined): FeedEntry | ListingRefusal {
  const child = childrenOf(record);
  const alternates = child('link').filter(({ attributes: { rel = 'alternate' } }) => rel === 'alternate');
  const link = alternates.find(({ attributes: { type = 'text/html' } }) => /html/.test(type)) ?? alternates[0];
  const id = textOf(child('id'));
  const ownBase = link?.attributes['xml:base'] ?? record.attributes['xml:base'];
  return entryOf({
    link: link?.attributes.href || (/^https?:/i.test(id) ? id : ''),
    base: ownBase === undefined ? base : URL.parse(ownBase, base)?.href,
    title: atomText(child('title')[0], titleCodePointsMax),
    summary: atomText(child('summary')[0], summaryCodePointsMax) || atomText(child('content')[0], summaryCodePointsMax),
    keywords: child('category').map(({ attributes: { label, term = '' } }) => inOneLine(label || term)),
    date: ['published', 'updated', 'issued', 'modified'].map((name) => textOf(child(name))).find(Boolean) ?? '',
  });
}

/** Text is plain unless it is marked as HTML; for XHTML, the element's text is already plain. */
function atomText(element: XmlElement | undefined, codePointsMax: number): string {
  if (!element || element.attributes.src) return '';
  const { type = 'text' } = element.attributes;
  if (/^(text\/)?html$/i.test(type)) return plainText(element.text, codePointsMax);
  return /^(text|xhtml|text\/plain|application\/xhtml\+xml)$/i.test(type) ? inOneLine(element.text) : '';
}

type FoundEntry = {
  link: string;
  base: string | undefined;
  title: string;
  summary: string;
  keywords: string[];
  date: string;
};

function entryOf({ link, base, title, summary, keywords, date }: FoundEntry): FeedEntry | ListingRefusal {
  const url = webAddress(link, base);
  const named = title || shortened(summary, beginningCodePoints);
  if (!url) return { what: named || link || 'an item', why: 'it has no link to a web page' };
  if (!named) return { what: url, why: 'it has neither a title nor text' };
  return {
    url,
    title: shortened(named, titleCodePointsMax),
    summary: shortened(summary, summaryCodePointsMax) || null,
    keywords: someKeywords(keywords),
    dateTimePublished: toTime(date),
  };
}

function someKeywords(keywords: string[]): string[] {
  const short = keywords.map((keyword) => shortened(keyword, keywordCodePointsMax)).filter(Boolean);
  return [...new Set(short)].slice(0, keywordsMax);
}

function readLocation(record: XmlRecord, base: string | undefined): SitemapEntry | ListingRefusal {
  const child = childrenOf(record);
  const location = textOf(child('loc'));
  const url = webAddress(location, base);
  if (!url) return { what: location || 'an entry', why: 'it is not the address of a web page' };
  return { url, dateTimePublished: toTime(textOf(child('lastmod'))) };
}

function webAddress(link: string, base: string | undefined): string | null {
  const url = link === '' ? null : URL.parse(link, base);
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password ? url.href : null;
}

function childrenOf({ children }: XmlRecord): (name: string) => XmlElement[] {
  return (name) => children.filter((child) => child.name === name);
}

/** The text of the first element that has any. */
function textOf(elements: XmlElement[]): string {
  return elements.map(({ text }) => text.trim()).find(Boolean) ?? '';
}
