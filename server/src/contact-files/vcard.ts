import ICAL from 'ical.js';
import type { ExportedContact } from '../domain/address-book/contact-imports.ts';
import { word } from '../domain/shared/enumerations.ts';
import { linesOf } from '../text-files/lines.ts';
import { type FileContact, type Region, toDate, toE164, toNumber, type Unreadable } from './fields.ts';

const cardCharactersMax = 1024 * 1024;
/** The parser takes seconds for a card that consists of parameters only. */
const parametersMax = 1_000;
/** Nobody has more, and each one takes time to read. */
const phonesMax = 100;
const notVcard = 'it is not a vCard';
const tooLarge = 'the card has over a million characters';
const withoutEnd = 'the card has no end';

/** A jCard property: name, parameters, type and values. */
type Property = [name: string, parameters: Record<string, string | string[]>, type: string, ...values: unknown[]];

/** Reads vCard 3.0 and 4.0 card by card, so a broken card costs only itself. */
export async function* readVcards(
  path: string,
  region: Region,
  until?: AbortSignal,
): AsyncGenerator<FileContact | Unreadable> {
  let card: string[] = [];
  let size = 0;
  let line = 0;
  let began = 0;
  for await (const text of linesOf(path, cardCharactersMax, { until })) {
    line += 1;
    if (/^BEGIN:VCARD\s*$/i.test(text)) {
      if (began > 0) yield unreadable(began, withoutEnd);
      card = [];
      size = 0;
      began = line;
    }
    if (began === 0) continue;
    size += text.length;
    // Photos may be large, and we don't keep them; a card without an end must not fill memory.
    if (size <= cardCharactersMax) card.push(text);
    if (/^END:VCARD\s*$/i.test(text)) {
      yield size <= cardCharactersMax ? readCard(card, began, region) : unreadable(began, tooLarge);
      began = 0;
    }
  }
  if (began > 0) yield { ...unreadable(began, withoutEnd), hidesRest: true };
}

/** Reads a text that is a single card. */
export function readVcard(text: string, region: Region): FileContact | Unreadable {
  if (text.length > cardCharactersMax) return unreadable(1, tooLarge);
  const lines = text.trim().split(/\r\n|[\r\n]/);
  const isOne = lines.findLastIndex((each) => /^BEGIN:VCARD\s*$/i.test(each)) === 0;
  return isOne ? readCard(lines, 1, region) : unreadable(1, notVcard);
}

function readCard(lines: string[], line: number, region: Region): FileContact | Unreadable {
  if (lines.some((each) => /^VERSION:2\.1\s*$/i.test(each)))
    return unreadable(line, 'it is vCard 2.1: export it as 3.0 or 4.0');
  const text = lines.join('\r\n');
  if ((text.replace(/\r\n[ \t]/g, '').match(/;[^;=:]*=/g)?.length ?? 0) > parametersMax)
    return unreadable(line, 'the card has over a thousand parameters');
  try {
    const [, properties] = ICAL.parse(text) as [string, Property[]];
    return contactOf(line, properties, region);
  } catch {
    return unreadable(line, notVcard);
  }
}

function contactOf(line: number, properties: Property[], region: Region): FileContact {
  const phones = phonesOf(properties).map((phone) => toE164(phone, region));
  return {
    line,
    fields: fieldsOf(properties, phones, region),
    phones,
    remoteContactId: textOf(properties, 'uid'),
    remoteContactUrl: textOf(properties, 'source') || textOf(properties, 'url'),
    isGroup: /^group$/i.test(textOf(properties, 'kind') || textOf(properties, 'x-addressbookserver-kind')),
  };
}

function fieldsOf(properties: Property[], [phone = '']: string[], region: Region): Record<string, unknown> {
  const text = (name: string) => textOf(properties, name);
  const parts = (name: string) =>
    [firstOf(properties, name) ?? []].flat().map((part) => [part].flat().join(' ').trim());
  const [family = '', given = ''] = parts('n');
  const [, extended = '', street = '', city = '', state = '', postalCode = ''] = parts('adr');
  const fields = {
    ...namesOf(given, family, text('fn')),
    nickname: text('nickname'),
    emailAddress: text('email'),
    phone,
    birthDate: toDate(text('bday'), region),
    clientAnniversary: toDate(text('x-client-anniversary'), region),
    gender: genderOf(parts('gender')[0] ?? ''),
    maritalStatus: toNumber('maritalStatus', text('x-marital-status')),
    address1: street,
    address2: extended,
    city,
    state,
    postalCode,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, each]) => each !== ''));
}

function textOf(properties: Property[], name: string): string {
  return String([firstOf(properties, name) ?? ''].flat()[0]).trim();
}

function firstOf(properties: Property[], name: string): unknown {
  return properties.find(([each]) => each === name)?.[3];
}

/** If a card has only a formatted name, its last word is the last name. */
function namesOf(given: string, family: string, formatted: string) {
  if (given !== '' || family !== '') return { firstName: given, lastName: family };
  const words = formatted.split(/\s+/);
  return { firstName: words.slice(0, -1).join(' '), lastName: words.at(-1) ?? '' };
}

/** A mobile number comes first, because it can be texted. */
function phonesOf(properties: Property[]): string[] {
  const phones = properties.filter(([name]) => name === 'tel').slice(0, phonesMax);
  const mobile = phones.find(([, { type = [] }]) => [type].flat().some((each) => /cell|mobile/i.test(each)));
  const inOrder = mobile ? [mobile, ...phones.filter((each) => each !== mobile)] : phones;
  return inOrder.map(([, , , value]) =>
    String(value ?? '')
      .replace(/^tel:/i, '')
      .trim(),
  );
}

function genderOf(letter: string): number | string {
  return { M: 1, F: 2, O: 3, N: 0, U: 0 }[letter.toUpperCase()] ?? letter;
}

function unreadable(line: number, why: string): Unreadable {
  return { line, unreadable: why, hidesRest: false };
}

/** The contact as vCard 4.0. */
export function writeVcard(contact: ExportedContact): string {
  const { firstName, lastName, address1, address2, city, state, postalCode } = contact;
  const address = [null, address2, address1, city, state, postalCode, null].map((part) => part ?? '');
  const properties: Property[] = [
    ['version', {}, 'text', '4.0'],
    ['uid', {}, 'uri', `urn:uuid:${contact.identifier}`],
    ['fn', {}, 'text', contact.fullName],
    ['n', {}, 'text', [lastName ?? '', firstName ?? '', '', '', '']],
  ];
  if (contact.nickname) properties.push(['nickname', {}, 'text', contact.nickname]);
  if (contact.emailAddress) properties.push(['email', {}, 'text', contact.emailAddress]);
  if (contact.phone) properties.push(['tel', { type: 'cell' }, 'text', contact.phone]);
  if (contact.birthDate) properties.push(['bday', {}, 'text', contact.birthDate]);
  if (contact.clientAnniversary) properties.push(['x-client-anniversary', {}, 'text', contact.clientAnniversary]);
  if (contact.gender > 0) properties.push(['gender', {}, 'text', 'UMFO'[contact.gender] ?? 'U']);
  if (contact.maritalStatus > 0)
    properties.push(['x-marital-status', {}, 'text', word('maritalStatus', contact.maritalStatus)]);
  if (address.some((part) => part !== '')) properties.push(['adr', {}, 'text', address]);
  return `${ICAL.stringify(['vcard', properties, []])}\r\n`;
}
