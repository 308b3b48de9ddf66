import { emailAddress } from '../../../domain/shared/text/text-rules.ts';
import { readDate } from './dates.ts';
import { type FieldValue, type FileContact, readEnumeration, splitName, splitValues } from './fields.ts';
import { type Region, readPhone } from './phones.ts';

/** A row or card, as texts. Of several, the best come first. */
export type ContactTexts = Omit<FileContact, 'fields' | 'leftOut' | 'further'> & {
  phones: ColumnText[];
  emails: ColumnText[];
  addresses: AddressTexts[];
} & Record<'firstName' | 'lastName' | 'fullName' | 'nickname', string> &
  Record<'birthDate' | 'clientAnniversary' | 'gender' | 'maritalStatus', ColumnText>;

export type ColumnText = { column: string; text: string };
export type AddressTexts = { column: string } & Record<(typeof addressFields)[number], string>;

/** A contact in the making: what could be read of it, and what couldn't. */
type Draft = Pick<FileContact, 'fields' | 'leftOut' | 'further'> & {
  /** Every number that can be read, in E.164. */
  phones: string[];
};

const addressFields = ['address1', 'address2', 'city', 'state', 'postalCode'] as const;
const namedAddress = /^[^<>]*<([^<>]+)>$/;

export function contactOf(texts: ContactTexts, region: Region): FileContact {
  const { line, groups, isGroup } = texts;
  const draft: Draft = { fields: {}, leftOut: [], further: [], phones: [] };
  putPhones(draft, texts.phones, region);
  putEmails(draft, texts.emails);
  putNames(draft, texts);
  putText(draft, 'nickname', texts.nickname);
  for (const field of ['birthDate', 'clientAnniversary'] as const)
    put(draft, field, texts[field], (text) => readDate(text, field, region));
  for (const field of ['gender', 'maritalStatus'] as const)
    put(draft, field, texts[field], (text) => readEnumeration(field, text));
  putAddresses(draft, texts.addresses);
  const { phones, ...read } = draft;
  return { line, ...read, groups, isGroup };
}

function putText({ fields }: Draft, field: string, text: string): void {
  if (text !== '') fields[field] = text;
}

/** A full name counts only where there is no other, and is no name if it is the number or the email. */
function putNames(draft: Draft, { firstName, lastName, fullName }: ContactTexts): void {
  const isNameless = firstName === '' && lastName === '';
  const isMadeUp = isNameless && (draft.phones.includes(fullName) || fullName === draft.fields.emailAddress);
  const names = isNameless && !isMadeUp ? splitName(fullName) : { firstName, lastName };
  putText(draft, 'firstName', names.firstName);
  putText(draft, 'lastName', names.lastName);
}

/** The first number that can be read is the contact's. */
function putPhones({ fields, leftOut, further, phones }: Draft, texts: ColumnText[], region: Region): void {
  for (const { column, value } of differentValues(texts)) {
    const reading = readPhone(value, region);
    if ('why' in reading) {
      leftOut.push({ column, value, why: reading.why });
      continue;
    }
    const { phone, extension } = reading;
    if (extension !== '') leftOut.push({ column, value: extension, why: 'a contact’s number has no extension' });
    if (phones.includes(phone)) continue;
    phones.push(phone);
    if (fields.phone === undefined) fields.phone = phone;
    else further.push(column);
  }
}

/** The first email that can be one is the contact's. */
function putEmails({ fields, leftOut, further }: Draft, texts: ColumnText[]): void {
  for (const { column, value } of differentValues(texts)) {
    const address = emailAddress.test(value) ? value : (namedAddress.exec(value)?.[1] ?? value);
    if (!emailAddress.test(address)) leftOut.push({ column, value, why: 'it is not an email address' });
    else if (fields.emailAddress === undefined) fields.emailAddress = address;
    else further.push(column);
  }
}

/** Values of which there may be several in a cell, and the same one in several cells. */
function differentValues(texts: ColumnText[]): { column: string; value: string }[] {
  const [only, ...others] = texts;
  // Most contacts have one of each.
  if (only && others.length === 0 && !only.text.includes(':::')) return [{ column: only.column, value: only.text }];
  const columns = new Map<string, string>();
  for (const { column, text } of texts)
    for (const value of splitValues(text)) if (value !== '' && !columns.has(value)) columns.set(value, column);
  return [...columns].map(([value, column]) => ({ column, value }));
}

/** The first address is the contact's. */
function putAddresses(draft: Draft, [address, ...others]: AddressTexts[]): void {
  if (!address) return;
  for (const field of addressFields) putText(draft, field, address[field]);
  for (const { column } of others) draft.further.push(column);
}

function put(
  { fields, leftOut }: Draft,
  field: string,
  { column, text }: ColumnText,
  read: (text: string) => FieldValue<unknown>,
): void {
  const reading = text === '' ? null : read(text);
  if (reading && 'value' in reading) fields[field] = reading.value;
  else if (reading) leftOut.push({ column, value: text, why: reading.why });
}
