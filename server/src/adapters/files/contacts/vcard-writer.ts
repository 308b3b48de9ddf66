import type { ExportedContact } from '../../../domain/address-book/contact-exports.ts';
import { word } from '../../../domain/shared/enumerations.ts';
import { writeList, writeProperty } from './vcard-lines.ts';

/** The contact as vCard 4.0. */
export function writeVcard(contact: ExportedContact): string {
  const { firstName, lastName, address1, address2, city, state, postalCode, groups } = contact;
  const address = [null, address2, address1, city, state, postalCode, null];
  const lines: [string, string | (string | null)[] | null][] = [
    ['VERSION', '4.0'],
    ['UID', `urn:uuid:${contact.identifier}`],
    ['FN', contact.fullName],
    ['N', [lastName, firstName, null, null, null]],
    ['NICKNAME', contact.nickname],
    ['EMAIL', contact.emailAddress],
    ['TEL;TYPE=cell', contact.phone],
    ['BDAY', contact.birthDate],
    ['X-CLIENT-ANNIVERSARY', contact.clientAnniversary],
    ['GENDER', contact.gender > 0 ? ('UMFO'[contact.gender] ?? 'U') : null],
    ['X-MARITAL-STATUS', contact.maritalStatus > 0 ? word('maritalStatus', contact.maritalStatus) : null],
    ['ADR', address.some((part) => part !== null) ? address : null],
  ];
  const categories = groups.length > 0 ? writeList('CATEGORIES', groups) : '';
  const written = lines.map(([name, value]) => (value === null ? '' : writeProperty(name, value)));
  return `BEGIN:VCARD\r\n${written.join('')}${categories}END:VCARD\r\n`;
}
