import type { RemoteContact } from '../../domain/ports.ts';
import { ContactChange } from '../../schemas/address-book/contacts.ts';
import { stringLengthMax } from '../../schemas/shared/strings.ts';
import { validator } from '../../schemas/shared/validate.ts';
import { removeBroken } from '../files/contacts/usable-fields.ts';

/** A contact as a CRM gives it, not yet validated. */
type RawContact = {
  remoteContactId: unknown;
  remoteContactUrl: unknown;
  fields: Record<string, unknown>;
};

const fieldNames = Object.keys(ContactChange.properties);
const validate = validator(ContactChange);

/** The contact with the fields that obey the rules; null if it has no valid id. */
export function remoteContact({ remoteContactId, remoteContactUrl, fields }: RawContact): RemoteContact | null {
  if (!isId(remoteContactId)) return null;
  return { remoteContactId, remoteContactUrl: webAddress(remoteContactUrl), fields: fieldsOf(fields) };
}

function isId(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && isStorable(id);
}

function isStorable(text: string): boolean {
  const isShort = text.length <= 2 * stringLengthMax && [...text].length <= stringLengthMax;
  return isShort && text.isWellFormed() && !text.includes('\0');
}

function fieldsOf(given: Record<string, unknown>): RemoteContact['fields'] {
  const fields: Record<string, unknown> = {};
  for (const name of fieldNames) {
    const value = Object.hasOwn(given, name) ? given[name] : null;
    const trimmed = typeof value === 'string' ? value.trim() : value;
    if (trimmed !== null && trimmed !== '') fields[name] = trimmed;
  }
  removeBroken(fields, validate);
  return fields as RemoteContact['fields'];
}

function webAddress(text: unknown): string | null {
  if (typeof text !== 'string') return null;
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && isStorable(url.href) ? url.href : null;
}
