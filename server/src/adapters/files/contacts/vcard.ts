import { type LineOptions, lineBatchesOf } from '../text/lines.ts';
import type { TextSource } from '../text/sources.ts';
import { type AddressTexts, type ColumnText, type ContactTexts, contactOf } from './drafts.ts';
import { type FileContact, namedGroups, splitStreet, type Unreadable } from './fields.ts';
import { phoneRank, type Region } from './phones.ts';
import { itemsOf, type Property, partsOf, readProperties, unescaped } from './vcard-lines.ts';

const cardCharactersMax = 1024 * 1024;
/** Nobody has more, and each one takes time to read. */
const numbersMax = 100;
const begins = /^BEGIN:VCARD\s*$/i;
const ends = /^END:VCARD\s*$/i;
const notVcard = 'it is not a vCard';
const tooLarge = 'the card has over a million characters';
const withoutEnd = 'the card has no end';

const wanted = new Set([
  ...['n', 'fn', 'nickname', 'email', 'tel', 'adr', 'bday', 'gender', 'categories', 'kind'],
  ...['x-ablabel', 'x-addressbookserver-kind'],
]);
/** Cards have no property for it. */
const none: ColumnText = { column: '', text: '' };
/** As vCard 4.0 abbreviates them. */
const genders: Record<string, string> = { M: 'male', F: 'female', O: 'non-binary', N: 'unknown', U: 'unknown' };

/** Reads cards one by one, so a broken card costs only itself. */
export async function* readVcards(
  source: TextSource,
  region: Region,
  options: LineOptions,
): AsyncGenerator<(FileContact | Unreadable)[]> {
  let card: string[] = [];
  let size = 0;
  let line = 0;
  let began = 0;
  for await (const lines of lineBatchesOf(source, cardCharactersMax, options)) {
    const cards: (FileContact | Unreadable)[] = [];
    for (const text of lines) {
      line += 1;
      if (begins.test(text)) {
        if (began > 0) cards.push(unreadable(began, withoutEnd));
        card = [];
        size = 0;
        began = line;
      }
      if (began === 0) continue;
      size += text.length;
      // Photos may be large, and we don't keep them; a card without an end must not fill memory.
      if (size <= cardCharactersMax) card.push(text);
      if (ends.test(text)) {
        cards.push(size <= cardCharactersMax ? readCard(card, began, region) : unreadable(began, tooLarge));
        began = 0;
      }
    }
    yield cards;
  }
  if (began > 0) yield [unreadable(began, withoutEnd)];
}

function readCard(lines: string[], line: number, region: Region): FileContact | Unreadable {
  const properties = readProperties(lines, wanted);
  return properties ? contactOf({ line, ...textsIn(cardOf(properties)) }, region) : unreadable(line, notVcard);
}

/** A card's properties by name. */
type Card = {
  all(name: string): Property[];
  text(name: string): string;
  /** What the card calls one of several numbers or addresses. */
  labelOf(property: Property): string;
};

function cardOf(properties: Property[]): Card {
  const byName = Map.groupBy(properties, ({ name }) => name);
  const all = (name: string) => byName.get(name) ?? [];
  const labels = new Map(all('x-ablabel').map(({ group, value }) => [group, value]));
  return {
    all,
    text: (name) => unescaped(all(name)[0]?.value ?? '').trim(),
    labelOf: ({ group, parameters }) => [...(parameters.type ?? []), labels.get(group) ?? ''].join(' '),
  };
}

function textsIn(card: Card): Omit<ContactTexts, 'line'> {
  const { all, text } = card;
  const [lastName = '', firstName = ''] = partsOf(all('n')[0]?.value ?? '').map((part) => part.trim());
  const [gender = ''] = partsOf(text('gender'));
  return {
    phones: textsOf(card, 'tel', ({ label }) => phoneRank(label)),
    emails: textsOf(card, 'email', ({ isPreferred }) => (isPreferred ? 0 : 1)),
    addresses: addressesOf(card),
    firstName,
    lastName,
    fullName: text('fn'),
    nickname: itemsOf(all('nickname')[0]?.value ?? '')[0]?.trim() ?? '',
    birthDate: { column: 'BDAY', text: birthdayOf(card) },
    clientAnniversary: none,
    gender: { column: 'GENDER', text: genders[gender.toUpperCase()] ?? gender },
    maritalStatus: none,
    groups: namedGroups(all('categories').flatMap(({ value }) => itemsOf(value))),
    isGroup: /^group$/i.test(text('kind') || text('x-addressbookserver-kind')),
  };
}

type Rank = (of: { label: string; isPreferred: boolean }) => number | null;

/** The values of a property that may be there several times, best first. */
function ranked({ all, labelOf }: Card, name: string, rankOf: Rank): Property[] {
  const properties = all(name)
    .slice(0, numbersMax)
    .flatMap((property) => {
      const label = labelOf(property);
      const rank = rankOf({ label, isPreferred: /pref/i.test(label) || property.parameters.pref !== undefined });
      return rank === null ? [] : { rank, property };
    });
  return properties.sort((one, other) => one.rank - other.rank).map(({ property }) => property);
}

function textsOf(card: Card, name: 'tel' | 'email', rankOf: Rank): ColumnText[] {
  const texts = ranked(card, name, rankOf).map(({ value }) => {
    const text = unescaped(value)
      .replace(/^(tel|mailto):/i, '')
      .trim();
    return { column: name.toUpperCase(), text };
  });
  return texts.filter(({ text }) => text !== '');
}

/** Apple writes a birthday without a year as one of a year that a parameter says to leave out. */
function birthdayOf({ all, text }: Card): string {
  const birthday = text('bday');
  const [omitted] = all('bday')[0]?.parameters['x-apple-omit-year'] ?? [];
  return omitted && birthday.startsWith(omitted) ? `--${birthday.slice(omitted.length).replace(/^-/, '')}` : birthday;
}

function addressesOf(card: Card): AddressTexts[] {
  const rankOf: Rank = ({ label }) => (/home/i.test(label) ? 0 : /work/i.test(label) ? 2 : 1);
  return ranked(card, 'adr', rankOf).flatMap(({ value }) => {
    const parts = partsOf(value).map((part) => part.trim());
    if (parts.every((part) => part === '')) return [];
    const [box = '', extended = '', street = '', city = '', state = '', postalCode = ''] = parts;
    return { column: 'ADR', ...splitStreet([street, extended], box), city, state, postalCode };
  });
}

function unreadable(line: number, why: string): Unreadable {
  return { line, unreadable: why };
}
