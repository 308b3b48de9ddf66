import type { CrmBatch, CrmRefusal, LeftOut, RemoteContact } from '../../domain/ports.ts';
import { ContactChange } from '../../schemas/address-book/contacts.ts';
import { stringLengthMax } from '../../schemas/shared/strings.ts';
import { validator } from '../../schemas/shared/validate.ts';
import { removeBroken } from '../files/contacts/usable-fields.ts';

export const contactsMax = 200_000;

/** A contact as a CRM gives it, not yet validated. */
type RawContact = {
  remoteContactId: unknown;
  remoteContactUrl: unknown;
  /** By default the CRM's id. */
  locator?: string;
  version?: string | null;
  fields: Record<string, unknown>;
  /** What couldn't be read as a field. */
  leftOut?: LeftOut[];
};

const fieldNames = Object.keys(ContactChange.properties);
const validate = validator(ContactChange);
const shownMax = 200;

/** The contact with the fields that obey the rules, or why it is refused. */
export function remoteContact(raw: RawContact): ContactResult {
  const { remoteContactId } = raw;
  if (!isId(remoteContactId))
    return { refused: `Its id must be 1 to ${stringLengthMax} characters of well-formed Unicode without NUL.` };
  const { fields, leftOut: broken } = fieldsOf(raw.fields);
  const unread = raw.leftOut?.map(({ column, why }) => sentence(`${column}: ${why}`)) ?? [];
  const leftOut = [...unread, ...broken];
  const { firstName, lastName, emailAddress, phone } = fields;
  if (!firstName && !lastName && !emailAddress && !phone)
    return {
      refused: ['It has no valid name, email address or phone number.', ...leftOut].join(' '),
    };
  const { locator = remoteContactId, version = null } = raw;
  return { remoteContactId, remoteContactUrl: webAddress(raw.remoteContactUrl), locator, version, fields, leftOut };
}

/** The contact that was found by one of its numbers: it is texted there, whichever number is the best one to text. */
export function withPhone(contact: RemoteContact, phone: string): RemoteContact {
  const listedPhone = contact.fields.phone ?? undefined;
  return { ...contact, fields: { ...contact.fields, phone }, listedPhone };
}

export type ContactResult = RemoteContact | { refused: string };

/** How reports name a contact, and its locator if known: a contact that is refused isn't missing. */
export type Label = { what: string; locator?: string };

/** Sorts the results of one listing into batches. A second contact with the same id is refused. */
export function sorter(): (batch: CrmBatch, label: Label, result: ContactResult) => void {
  const seen = new Map<string, string>();
  return (batch, label, result) => {
    const twin = 'refused' in result ? undefined : seen.get(result.remoteContactId);
    if ('refused' in result) batch.refused.push(refusal(label, result.refused));
    else if (twin !== undefined) batch.refused.push(refusal(label, `It has the same id as ${twin}.`));
    else {
      seen.set(result.remoteContactId, label.what);
      batch.contacts.push(result);
    }
  };
}

export function emptyBatch(total: number | null = null): CrmBatch {
  return { contacts: [], unchanged: [], refused: [], total };
}

/** A refusal names the contact in one line, whatever the CRM sent. */
export function refusal({ what, locator }: Label, why: string): CrmRefusal {
  const line = what.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ');
  const named = {
    what: line.length > shownMax ? `${line.slice(0, shownMax).toWellFormed()}…` : line,
    why: sentence(why),
  };
  return locator ? { ...named, locator } : named;
}

function isId(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && isStorable(id);
}

function isStorable(text: string): boolean {
  const isShort = text.length <= 2 * stringLengthMax && [...text].length <= stringLengthMax;
  return isShort && text.isWellFormed() && !text.includes('\0');
}

function fieldsOf(given: Record<string, unknown>): Pick<RemoteContact, 'fields' | 'leftOut'> {
  const fields: Record<string, unknown> = {};
  for (const name of fieldNames) {
    const value = Object.hasOwn(given, name) ? given[name] : null;
    const trimmed = typeof value === 'string' ? value.trim() : value;
    if (trimmed !== null && trimmed !== '') fields[name] = trimmed;
  }
  const leftOut = removeBroken(fields, validate).map(({ field, why }) => `${field}: ${why}`);
  return { fields: fields as RemoteContact['fields'], leftOut };
}

function webAddress(text: unknown): string | null {
  if (typeof text !== 'string') return null;
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && isStorable(url.href) ? url.href : null;
}

function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
