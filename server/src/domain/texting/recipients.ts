import type { Deps } from '../../deps.ts';
import type { PhoneOf } from '../../store/texting/members.ts';
import { listRecipients, type Recipient, type UnknownNumber } from '../../store/texting/recipients.ts';
import { listStoppedNumbers } from '../accounts/known-numbers.ts';
import { ensureMembers } from './members.ts';

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
