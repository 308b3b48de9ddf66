import type { Deps } from '../../deps.ts';
import { listKnownPhones } from '../../store/address-book/contacts.ts';
import { insertCrmLookups } from '../../store/address-book/crm-lookups.ts';
import { lockMembers, type MemberRow, type PhoneOf } from '../../store/texting/members.ts';
import { knowNumbers } from '../accounts/known-numbers.ts';
import { createContacts } from '../address-book/contacts.ts';
import { numberOf } from '../shared/enumerations.ts';

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
    await insertCrmLookups(deps.db, advisorId, unknown, new Date());
  }
  return members;
}
