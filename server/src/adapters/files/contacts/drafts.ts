import { type DateField, readDate } from './dates.ts';
import { type FileContact, readEnumeration, splitName, splitValues } from './fields.ts';
import { type Region, readPhone } from './phones.ts';

/** A contact in the making: what could be read of it, and what couldn't. */
export type Draft = Pick<FileContact, 'fields' | 'leftOut' | 'further' | 'phones'>;

/** A text, and the column or property that it is in. */
export type Text = { column: string; text: string };
export type AddressTexts = { column: string } & Record<
  'address1' | 'address2' | 'city' | 'state' | 'postalCode',
  string
>;

const emailAddress = /^[^\s@]+@[^\s@]*\.[^\s@]*$/;
const namedAddress = /^[^<>]*<([^<>]+)>$/;

export function emptyDraft(): Draft {
  return { fields: {}, leftOut: [], further: [], phones: [] };
}

export function putText({ fields }: Draft, field: string, text: string): void {
  if (text !== '') fields[field] = text;
}

/** A full name counts only where there is no other, and is no name if it is the number or the email. */
export function putNames(draft: Draft, firstName: string, lastName: string, fullName: string): void {
  const isNameless = firstName === '' && lastName === '';
  const isMadeUp = isNameless && (draft.phones.includes(fullName) || fullName === draft.fields.emailAddress);
  const names = isNameless && !isMadeUp ? splitName(fullName) : { firstName, lastName };
  putText(draft, 'firstName', names.firstName);
  putText(draft, 'lastName', names.lastName);
}

/** The first number that can be read is the contact's. */
export function putPhones(draft: Draft, texts: Text[], region: Region): void {
  const { fields, leftOut, further, phones } = draft;
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
export function putEmails({ fields, leftOut, further }: Draft, texts: Text[]): void {
  for (const { column, value } of differentValues(texts)) {
    const address = emailAddress.test(value) ? value : (namedAddress.exec(value)?.[1] ?? value);
    if (!emailAddress.test(address)) leftOut.push({ column, value, why: 'it is not an email address' });
    else if (fields.emailAddress === undefined) fields.emailAddress = address;
    else further.push(column);
  }
}

/** Values of which there may be several in a cell, and the same one in several cells. */
function differentValues(texts: Text[]): { column: string; value: string }[] {
  const [only] = texts;
  if (only && texts.length === 1 && !only.text.includes(':::')) return [{ column: only.column, value: only.text }];
  const columns = new Map<string, string>();
  for (const { column, text } of texts)
    for (const value of splitValues(text)) if (value !== '' && !columns.has(value)) columns.set(value, column);
  return [...columns].map(([value, column]) => ({ column, value }));
}

/** The first address is the contact's. */
export function putAddresses(draft: Draft, addresses: AddressTexts[]): void {
  const [address, ...others] = addresses;
  if (!address) return;
  for (const field of ['address1', 'address2', 'city', 'state', 'postalCode'] as const)
    putText(draft, field, address[field]);
  for (const { column } of others) draft.further.push(column);
}

export function putDate({ fields, leftOut }: Draft, field: DateField, { column, text }: Text, region: Region): void {
  const reading = text === '' ? null : readDate(text, field, region);
  if (reading && 'value' in reading) fields[field] = reading.value;
  else if (reading) leftOut.push({ column, value: text, why: reading.why });
}

export function putEnumeration({ fields, leftOut }: Draft, field: 'gender' | 'maritalStatus', given: Text): void {
  const reading = given.text === '' ? null : readEnumeration(field, given.text);
  if (reading && 'value' in reading) fields[field] = reading.value;
  else if (reading) leftOut.push({ column: given.column, value: given.text, why: reading.why });
}
