import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import ICAL from 'ical.js';
import type { ExportedContact } from '../domain/contact-imports.ts';
import { word } from '../domain/enumerations.ts';
import { type FileContact, type Region, toDate, toE164, toNumber, type Unreadable } from './fields.ts';

const cardCharactersMax = 1024 * 1024;

/** A property of a jCard: its name, its parameters, its type and its value. */
type Property = [name: string, parameters: Record<string, string | string[]>, type: string, ...values: unknown[]];

/** vCard 3.0 and 4.0, card by card, so that a broken card costs only itself. */
export async function* readVcards(path: string, region: Region): AsyncGenerator<FileContact | Unreadable> {
  let card: string[] = [];
  let size = 0;
  let line = 0;
  let began = 0;
  for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1;
    if (/^BEGIN:VCARD\s*$/i.test(text)) {
      card = [];
      size = 0;
      began = line;
    }
    if (began === 0) continue;
    size += text.length;
    // A photo may be large and is not ours to keep; a card without an end must not fill the memory.
    if (size <= cardCharactersMax) card.push(text);
    if (/^END:VCARD\s*$/i.test(text)) {
      yield size <= cardCharactersMax ? readCard(card, began, region) : tooLarge(began);
      began = 0;
    }
  }
  if (began > 0) yield { line: began, unreadable: 'the card has no end' };
}

function readCard(lines: string[], line: number, region: Region): FileContact | Unreadable {
  if (lines.some((each) => /^VERSION:2\.1\s*$/i.test(each)))
    return { line, unreadable: 'it is vCard 2.1: export it as 3.0 or 4.0' };
  try {
    const [, properties] = ICAL.parse(lines.join('\r\n')) as [string, Property[]];
    return { line, fields: fieldsOf(properties, region) };
  } catch {
    return { line, unreadable: 'it is not a vCard' };
  }
}

function fieldsOf(properties: Property[], region: Region): Record<string, unknown> {
  const value = (name: string) => properties.find(([each]) => each === name)?.[3];
  const text = (name: string) => String([value(name) ?? ''].flat()[0]).trim();
  const parts = (name: string) => [value(name) ?? []].flat().map((part) => [part].flat().join(' ').trim());
  const [family = '', given = ''] = parts('n');
  const [, extended = '', street = '', city = '', state = '', postalCode = ''] = parts('adr');
  const fields = {
    ...namesOf(given, family, text('fn')),
    nickname: text('nickname'),
    emailAddress: text('email'),
    phone: toE164(phoneOf(properties), region),
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

/** A card that only has its formatted name: the last word is the last name. */
function namesOf(given: string, family: string, formatted: string) {
  if (given !== '' || family !== '') return { firstName: given, lastName: family };
  const words = formatted.split(/\s+/);
  return { firstName: words.slice(0, -1).join(' '), lastName: words.at(-1) ?? '' };
}

/** A mobile number is the one that can be texted. */
function phoneOf(properties: Property[]): string {
  const phones = properties.filter(([name]) => name === 'tel');
  const mobile = phones.find(([, { type = [] }]) => [type].flat().some((each) => /cell|mobile/i.test(each)));
  return String((mobile ?? phones[0])?.[3] ?? '')
    .replace(/^tel:/i, '')
    .trim();
}

function genderOf(letter: string): number | string {
  return { M: 1, F: 2, O: 3, N: 0, U: 0 }[letter.toUpperCase()] ?? letter;
}

function tooLarge(began: number): Unreadable {
  return { line: began, unreadable: 'the card is over a million characters' };
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
