import type { Deps } from '../../deps.ts';
import { listKnownPhones } from '../../store/address-book/contacts.ts';
import { insertCrmLookups } from '../../store/address-book/crm-lookups.ts';
import type { RecipientRow } from '../../store/messages/messages.ts';
import { insertMembers, lockMembers, type PhoneOf } from '../../store/texting/members.ts';
import { createContacts } from '../address-book/contacts.ts';
import { numberOf } from '../shared/enumerations.ts';

/** Whether texting makes the number known first. Where the account can't text at all, nothing is made. */
export function isUnknown(row: RecipientRow | undefined): boolean {
  if (!row?.textingNumber || row.disabled) return false;
  return row.memberId === null || !row.hasContact;
}

/**
 * Makes numbers known, inside a transaction: a member for each, and a contact where none has the number. Whoever else
 * does it at the same time waits for the member's row and then finds the contact: there is one, however many race.
 */
export async function ensureMembers(deps: Deps, numbers: PhoneOf[]): Promise<void> {
  await insertMembers(deps.db, numbers, deps.clock.now());
  const byAdvisor = Map.groupBy(numbers, ({ advisorId }) => advisorId);
  for (const [advisorId, own] of [...byAdvisor].sort(([a], [b]) => a - b)) {
    const phones = [...new Set(own.map(({ phone }) => phone))];
    await lockMembers(deps.db, advisorId, phones);
    const known = new Set(await listKnownPhones(deps.db, advisorId, phones));
    const unknown = phones.filter((phone) => !known.has(phone));
    if (unknown.length === 0) continue;
    const contacts = unknown.map((phone) => ({ phone }));
    await createContacts(deps, advisorId, contacts, numberOf('source', 'Texting'));
    // The text doesn't wait for the CRM: what that knows of the person is added when it has answered.
    await insertCrmLookups(deps.db, advisorId, unknown, new Date());
  }
}
