import type { Deps } from '../../deps.ts';
import { listKnownPhones } from '../../store/address-book/contacts.ts';
import { insertCrmLookups } from '../../store/address-book/crm-lookups.ts';
import { lockMembers, type MemberRow, type PhoneOf } from '../../store/members/members.ts';
import { listRecipients, type Recipient, type UnknownNumber } from '../../store/texting/recipients.ts';
import { createContacts } from '../address-book/contacts.ts';
import { knowNumbers, listStoppedNumbers } from '../members/known-numbers.ts';
import { numberOf } from '../shared/enumerations.ts';

export type { Recipient, UnknownNumber } from '../../store/texting/recipients.ts';

/**
 * The recipients with these numbers, in the same order, inside a transaction. A number that is unknown, or that no contact has,
 * becomes a member with a contact first, whatever happens to its text. On an account that can't text it stays unknown.
 */
export async function ensureRecipients(deps: Deps, numbers: PhoneOf[]): Promise<(Recipient | UnknownNumber)[]> {
  const recipients = await listRecipients(deps.db, numbers);
  const unknown = numbers.filter((_, index) => isMissing(recipients[index]));
  if (unknown.length === 0) return recipients;
  await ensureMembers(deps, unknown);
  return listRecipients(deps.db, numbers);
}

/**
 * Makes sure, inside a transaction, that each number has a member and a contact, and returns the members, locked. A
 * concurrent call waits for the member's row and then finds the contact, so there is one, however many race.
 */
export async function ensureMembers(deps: Deps, numbers: PhoneOf[]): Promise<MemberRow[]> {
  await knowNumbers(deps, numbers);
  const members: MemberRow[] = [];
  const byAdvisor = Map.groupBy(numbers, ({ advisorId }) => advisorId);
  for (const [advisorId, own] of [...byAdvisor].sort(([a], [b]) => a - b)) {
    const phones = [...new Set(own.map(({ phone }) => phone))];
    members.push(...(await lockMembers(deps.db, advisorId, phones)));
    const known = new Set(await listKnownPhones(deps.db, advisorId, phones));
    const unknown = phones.filter((phone) => !known.has(phone));
    if (unknown.length === 0) continue;
    const contacts = unknown.map((phone) => ({ phone }));
    await createContacts(deps, advisorId, contacts, numberOf('source', 'Texting'));
    // The text doesn't wait for the CRM: its details about the person are added when it answers.
    await insertCrmLookups(deps.db, advisorId, unknown, deps.databaseClock.now());
  }
  return members;
}

/** A recipient as a send would find it. A number that isn't known yet has no id. */
export type ExpectedRecipient = { to: Recipient; memberId: number | null };

/** What ensureRecipients would return for one advisor's numbers, with nothing made. */
export async function expectRecipients(deps: Deps, numbers: PhoneOf[]): Promise<ExpectedRecipient[]> {
  const rows = await listRecipients(deps.db, numbers);
  const stopped = await listStoppedNumbers(
    deps,
    rows.filter((row) => !isKnown(row)),
  );
  return rows.map((row) => {
    if (isKnown(row)) return { to: row, memberId: row.memberId };
    const state = stopped.has(row.phone) ? 'opted_out' : 'none';
    return { to: { ...row, memberId: 0, state, provenState: state }, memberId: null };
  });
}

function isMissing(row: Recipient | UnknownNumber | undefined): boolean {
  if (!row?.textingNumber || row.carrierId === null || row.disabled) return false;
  return row.memberId === null || !row.hasContact;
}

export function isKnown(row: Recipient | UnknownNumber | undefined): row is Recipient {
  return row !== undefined && row.memberId !== null;
}

/** For a number that must be known by now, because it has a text or was just made a member. */
export function knownRecipient(row: Recipient | UnknownNumber | undefined): Recipient {
  if (!isKnown(row)) throw new Error('No member has this number.');
  return row;
}
