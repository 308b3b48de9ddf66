import { type Crm, type CrmAccess, type CrmBatch, CrmFault, type RemoteContact } from '../../domain/ports.ts';
import { isRegion, type Region } from '../files/contacts/phones.ts';
import { readVcard } from '../files/contacts/vcard.ts';
import { findAddressBooks } from './address-books.ts';
import { safeAddress } from './addresses.ts';
import { askDav, DavFault, type DavRequest, type DavResponse, type DavServer, notCardDav } from './dav.ts';
import { withFaults } from './faults.ts';
import {
  type ContactResult,
  contactsMax,
  emptyBatch,
  refusal,
  remoteContact,
  sorter,
  withPhone,
} from './remote-contacts.ts';

const cardsAtOnce = 100;
const unchangedAtOnce = 5_000;
/** Addresses and versions of all cards are in memory at once. As many contacts as there may be have 150 characters each. */
const listedCharactersMax = 32 * 1024 * 1024;
/** A server that can't search answers with one of these. */
const noSearchStatuses = [400, 403, 404, 405, 415, 422, 501];

type Access = CrmAccess & { kind: 'carddav' };
/** Needed for every request of a listing or lookup. */
type CardDavRequest = { server: DavServer; region: Region; until: AbortSignal };
type ListedCard = { book: URL; url: URL; version: string | null };

const notReturned: ContactResult = { refused: 'It is listed, but the server didn’t return it.' };

export function openCardDav(access: Access, ask: typeof fetch): Crm {
  return withFaults(notCardDav, {
    lookup: (phone, until) => lookUp(readingOf(access, ask, until), safeAddress(access.url), phone),
    list: (known, until) => listBooks(readingOf(access, ask, until), safeAddress(access.url), known),
  });
}

function readingOf({ username, secret, region }: Access, ask: typeof fetch, until: AbortSignal): CardDavRequest {
  if (!isRegion(region)) throw new CrmFault('Its region is not a country code such as US.');
  const authorization = `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}`;
  return { server: { ask, authorization }, region, until };
}

async function* listBooks(
  reading: CardDavRequest,
  url: URL,
  known: ReadonlyMap<string, string>,
): AsyncGenerator<CrmBatch> {
  const { cards, refused } = await listCards(reading, url);
  const total = cards.length + refused.length;
  const unchanged: string[] = [];
  const changed: ListedCard[] = [];
  for (const card of cards) {
    if (card.version !== null && known.get(card.url.href) === card.version) unchanged.push(card.url.href);
    else changed.push(card);
  }
  yield { ...emptyBatch(total), refused };
  for (let at = 0; at < unchanged.length; at += unchangedAtOnce)
    yield { ...emptyBatch(total), unchanged: unchanged.slice(at, at + unchangedAtOnce) };

  const sort = sorter();
  for (const [book, cardsOfBook] of Map.groupBy(changed, (card) => card.book))
    for (let at = 0; at < cardsOfBook.length; at += cardsAtOnce) {
      const batch = emptyBatch(total);
      const got = await getCards(reading, book, cardsOfBook.slice(at, at + cardsAtOnce));
      for (const [locator, result] of got) sort(batch, { what: locator, locator }, result);
      yield batch;
    }
}

/** Lists every card in the account with its version before any is read, so the total is known. */
async function listCards({ server, until }: CardDavRequest, start: URL) {
  const cards = new Map<string, ListedCard>();
  const refused: CrmBatch['refused'] = [];
  let characters = 0;
  for (const book of await findAddressBooks(server, start, until)) {
    const request: DavRequest = { method: 'PROPFIND', url: book, depth: '1', body: versions };
    for await (const { href, url, status, properties } of askDav(server, request, until)) {
      // A partial list looks as if the other contacts were deleted.
      if (status === 507) throw new CrmFault('It lists only some of its contacts.');
      // The book itself is listed too.
      if (properties.has('resourcetype/collection') || url?.pathname === book.pathname || status === 404) continue;
      const version = properties.get('getetag')?.[0] || null;
      characters += href.length + (version?.length ?? 0);
      if (characters > listedCharactersMax) throw new CrmFault('The addresses of its contacts are too long.');
      if (url?.origin !== book.origin) refused.push(refusal({ what: href }, 'Its address is on a different server.'));
      else cards.set(url.href, { book, url, version });
      if (cards.size + refused.length > contactsMax) throw new CrmFault(`It has more than ${contactsMax} contacts.`);
    }
  }
  return { cards: [...cards.values()], refused };
}

/** Results by locator. Cards deleted in the meantime are skipped, and cards that weren't asked for are ignored. */
async function getCards(
  { server, region, until }: CardDavRequest,
  book: URL,
  listed: ListedCard[],
): Promise<Map<string, ContactResult>> {
  const asked = new Map(listed.map((card) => [nameOf(card.url), card]));
  const got = new Map<string, ContactResult>(listed.map(({ url }) => [url.href, notReturned]));
  const body = multiget(listed.map(({ url }) => url.pathname + url.search));
  const request: DavRequest = { method: 'REPORT', url: book, depth: '1', body };
  for await (const { url, status, properties } of askDav(server, request, until)) {
    const card = url?.origin === book.origin ? asked.get(nameOf(url)) : undefined;
    if (!card) continue;
    if (status === 404 || status === 410) got.delete(card.url.href);
    else got.set(card.url.href, readContact(properties, card, region).result);
  }
  return got;
}

/** Servers compare text, but people write numbers in many ways: cards with the last digits are compared as numbers here. */
async function lookUp(reading: CardDavRequest, start: URL, phone: string): Promise<RemoteContact | null> {
  for (const book of await findAddressBooks(reading.server, start, reading.until))
    for await (const { url, properties } of search(reading, book, phone)) {
      if (url?.origin !== book.origin) continue;
      const { phones, result } = readContact(properties, { url, version: null }, reading.region);
      if (!('refused' in result) && phones.includes(phone)) return withPhone(result, phone);
    }
  return null;
}

async function* search({ server, until }: CardDavRequest, book: URL, phone: string): AsyncGenerator<DavResponse> {
  const body = query(waysToWrite(phone.slice(-4)));
  try {
    yield* askDav(server, { method: 'REPORT', url: book, depth: '1', body }, until);
  } catch (error) {
    if (!(error instanceof DavFault) || !noSearchStatuses.includes(error.status)) throw error;
    const why = 'It doesn’t support searches (addressbook-query), so nobody can be looked up.';
    throw new CrmFault(why, { cause: error });
  }
}

function readContact(
  properties: DavResponse['properties'],
  { url, version }: Pick<ListedCard, 'url' | 'version'>,
  region: Region,
): { result: ContactResult; phones: string[] } {
  const [text] = properties.get('address-data') ?? [];
  const [etag] = properties.get('getetag') ?? [];
  const card = text ? readVcard(text, region) : null;
  if (!card) return { result: notReturned, phones: [] };
  if ('unreadable' in card) return { result: { refused: card.unreadable }, phones: [] };
  if (card.isGroup) return { result: { refused: 'It is a group, not a person.' }, phones: [] };
  const result = remoteContact({
    remoteContactId: card.remoteContactId || url.pathname,
    remoteContactUrl: url.href,
    locator: url.href,
    // The card may have changed since it was listed.
    version: etag || version,
    fields: card.fields,
    leftOut: card.leftOut,
  });
  return { result, phones: card.phones };
}

/** The path without escapes, because servers escape different characters. */
function nameOf({ pathname, search }: URL): string {
  try {
    return decodeURIComponent(pathname) + search;
  } catch {
    return pathname + search;
  }
}

/** The digits as they are, and with one separator between them. */
function waysToWrite(digits: string): string[] {
  const split = [1, 2, 3].flatMap((at) =>
    [' ', '-', '.', '\u00a0'].map((separator) => digits.slice(0, at) + separator + digits.slice(at)),
  );
  return [digits, ...split];
}

const versions = `<?xml version="1.0" encoding="utf-8"?>
<d:propfind xmlns:d="DAV:"><d:prop><d:resourcetype/><d:getetag/></d:prop></d:propfind>`;

function multiget(hrefs: string[]): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<card:addressbook-multiget xmlns:d="DAV:" xmlns:card="urn:ietf:params:xml:ns:carddav">
<d:prop><d:getetag/><card:address-data/></d:prop>
${hrefs.map((href) => `<d:href>${escaped(href)}</d:href>`).join('\n')}
</card:addressbook-multiget>`;
}

/** One filter per way to write it, because some servers require every text in a filter to match. */
function query(texts: string[]): string {
  const filters = texts.map(
    (text) =>
      `<card:prop-filter name="TEL"><card:text-match match-type="contains">${escaped(text)}</card:text-match></card:prop-filter>`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<card:addressbook-query xmlns:d="DAV:" xmlns:card="urn:ietf:params:xml:ns:carddav">
<d:prop><d:getetag/><card:address-data/></d:prop>
<card:filter test="anyof">
${filters.join('\n')}
</card:filter>
</card:addressbook-query>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
