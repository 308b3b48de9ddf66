import type { Deps } from '../../deps.ts';
import { insertEntries } from '../../store/archive/archive.ts';
import { listStoppedBefore, updateStopped } from '../../store/consent/firm-opt-outs.ts';
import type { Transaction } from '../../store/database/db.ts';
import { shareFirmNumbers } from '../../store/members/firm-numbers.ts';
import { insertMembers, type NewMember, type PhoneOf } from '../../store/members/members.ts';
import { copyMembers, listMembersToStop, listUnknownNumbers } from '../../store/members/new-members.ts';
import { byService } from '../archive/archive.ts';
import { consentEntry, stopElsewhere } from '../archive/consent-entries.ts';
import { otherFormOf } from '../shared/phone-numbers.ts';

/** Those of these numbers that would start opted out if they became known now. */
export async function listStoppedNumbers(deps: Deps, numbers: PhoneOf[]): Promise<Set<string>> {
  if (numbers.length === 0) return new Set();
  const asMembers = numbers.map((number) => ({ ...number, memberId: 0 }));
  return new Set((await listStoppedBefore(deps.db, asMembers, otherFormOf)).map(({ phone }) => phone));
}

/**
 * Makes numbers known to advisors, inside a transaction: each is a member then, with a consent of its own. In a firm where a
 * stop counts for every advisor, a number that has stopped one of them starts opted out, with its own entry, and so does, anywhere, one
 * whose phone has stopped this advisor by its other form.
 */
export async function knowNumbers(deps: Deps, numbers: PhoneOf[]): Promise<void> {
  await startOptedOut(deps, await insertMembers(deps.db, numbers, deps.clock.now()));
}

/** The same for the many numbers of a file, most of which are new to the advisor. */
export async function knowManyNumbers(
  deps: Omit<Deps, 'db'> & { db: Transaction },
  advisorId: number,
  phones: string[],
): Promise<void> {
  const unknown = await listUnknownNumbers(deps.db, advisorId, [...new Set(phones)]);
  if (unknown.length === 0) return;
  const numbers = unknown.map((phone) => ({ advisorId, phone }));
  await shareFirmNumbers(deps.db, numbers);
  const isDone = await copyMembers(deps.db, advisorId, unknown, deps.clock.now());
  const twoFormed = unknown.filter((phone) => otherFormOf(phone));
  if (isDone) await startOptedOut(deps, await listMembersToStop(deps.db, advisorId, unknown, twoFormed));
  else await knowNumbers(deps, numbers);
}

/** New members whose phone has said stop, as far as it counts for them, start opted out. */
async function startOptedOut(deps: Deps, members: NewMember[]): Promise<void> {
  if (members.length === 0) return;
  const now = deps.clock.now();
  // In a statement of its own, which sees all that was committed before the members' locks were taken.
  const stopped = await listStoppedBefore(deps.db, members, otherFormOf);
  if (stopped.length === 0) return;
  await updateStopped(deps.db, stopped, now);
  const entries = stopped.map(({ advisorId, memberId, phone, ...stop }) => {
    const member = { memberId, phone, state: 'none' } as const;
    const move = { member, to: 'opted_out', ...stopElsewhere(advisorId, stop) } as const;
    return consentEntry({ advisorId, by: byService, now }, move);
  });
  // Heads are otherwise locked last. A deadlock is possible here but rare, and then the transaction runs again.
  await insertEntries(deps.db, entries, now);
}
