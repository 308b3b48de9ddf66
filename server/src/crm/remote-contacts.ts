import type { CrmBatch, CrmRefusal, RemoteContact } from '../domain/ports.ts';
import { ContactChange } from '../schemas/address-book/contacts.ts';
import { stringLengthMax } from '../schemas/shared/strings.ts';
import { validator } from '../schemas/shared/validate.ts';

/** A CRM has at most that many contacts that we take. */
export const contactsMax = 200_000;

/** What a CRM says of a contact, nothing of which is believed yet. */
export type RawContact = {
  remoteContactId: unknown;
  remoteContactUrl: unknown;
  /** Where it is the CRM's id, it is left out. */
  locator?: string;
  version?: string | null;
  fields: Record<string, unknown>;
};

const fieldNames = Object.keys(ContactChange.properties);
const validate = validator(ContactChange);
const shownMax = 200;

/** The contact with what obeys the rules, or why it can't be taken. */
export function remoteContact(raw: RawContact): Result {
  const { remoteContactId } = raw;
  if (!isId(remoteContactId))
    return { refused: `Its id must be 1 to ${stringLengthMax} characters of well-formed Unicode without NUL.` };
  const { fields, leftOut } = fieldsOf(raw.fields);
  const { firstName, lastName, emailAddress, phone } = fields;
  if (!firstName && !lastName && !emailAddress && !phone)
    return {
      refused: ['It has no name, no email address and no phone number that can be taken.', ...leftOut].join(' '),
    };
  const { locator = remoteContactId, version = null } = raw;
  return { remoteContactId, remoteContactUrl: webAddress(raw.remoteContactUrl), locator, version, fields, leftOut };
}

/** A contact, or why it can't be taken. */
export type Result = RemoteContact | { refused: string };

/** What a listing calls a contact by, and where it lies as far as that is known: one that is refused is not gone. */
export type Told = { what: string; locator?: string };

/** Sorts what one listing tells of into batches. Of two with one id the second is refused. */
export function sorter(): (batch: CrmBatch, told: Told, result: Result) => void {
  const seen = new Map<string, string>();
  return (batch, told, result) => {
    const twin = 'refused' in result ? undefined : seen.get(result.remoteContactId);
    if ('refused' in result) batch.refused.push(refusal(told, result.refused));
    else if (twin !== undefined) batch.refused.push(refusal(told, `It has the same id as ${twin}.`));
    else {
      seen.set(result.remoteContactId, told.what);
      batch.contacts.push(result);
    }
  };
}

export function emptyBatch(total: number | null = null): CrmBatch {
  return { contacts: [], unchanged: [], refused: [], total };
}

/** A refusal names what it is about in a line, whatever the CRM wrote there. */
export function refusal({ what, locator }: Told, why: string): CrmRefusal {
  const line = what.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ');
  const told = { what: line.length > shownMax ? `${line.slice(0, shownMax)}…` : line, why: sentence(why) };
  return locator ? { ...told, locator } : told;
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
  const leftOut: string[] = [];
  // What breaks a rule may hide what breaks another one; each time a field goes, so it ends.
  for (let result = validate(fields); 'broken' in result; result = validate(fields))
    for (const { path, message } of result.broken) {
      const [, name = ''] = path.split('/');
      if (!Object.hasOwn(fields, name)) continue;
      delete fields[name];
      leftOut.push(`${name}: ${message.slice(name.length + 1)}`);
    }
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
