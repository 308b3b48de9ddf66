import type { Deps } from '../../deps.ts';
import { findMember } from '../../store/members/members.ts';
import type { HoldRow } from '../../store/record-keeping/holds.ts';
import * as store from '../../store/record-keeping/holds.ts';
import { getAdvisor } from '../accounts/advisors.ts';
import { requireStaffOf, type Staff } from '../accounts/staff.ts';
import { type By, byCommand } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { isBlank } from '../shared/text/text-rules.ts';

/** A legal hold: the records it covers, however old, are kept until it is lifted. */
export type Hold = HoldRow;
/** All of a firm's records, all of an advisor's, or an advisor's about one person. */
export type HoldScope = { firmId: number } | { advisorId: number; phone?: string | undefined };
/** Without `by`, it is a command that names who acts. */
type Act = { reason: string; staff: Staff; by?: By };

/**
 * It is in effect once this returns: a disposal in progress is waited for, and the next one sees the hold. The database's function
 * locks the firm for that, and is a transaction by itself: in a distributed one, nobody else could read what it wrote.
 */
export async function addHold(deps: Deps, scope: HoldScope, act: Act): Promise<Hold> {
  const covered = await coveredBy(deps, scope);
  const holdId = await store.insertHold(deps.db, { ...covered, ...checked(covered.firmId, act) });
  return getHold(deps, holdId);
}

export async function liftHold(deps: Deps, holdId: number, act: Act): Promise<Hold> {
  const hold = await getHold(deps, holdId);
  if (!(await store.insertHoldLift(deps.db, { holdId, ...checked(hold.firmId, act) })))
    throw problem('conflict', `Hold ${holdId} is already lifted.`);
  return getHold(deps, holdId);
}

export async function listHolds(deps: Deps): Promise<Hold[]> {
  return store.listHolds(deps.db);
}

/** A firm's holds, the newest first. */
export async function listHoldsOf(deps: Deps, firmId: number): Promise<Hold[]> {
  return (await store.listHolds(deps.db)).filter((hold) => hold.firmId === firmId).toReversed();
}

/** Another firm's hold is one that doesn't exist. */
export async function getHoldOf(deps: Deps, firmId: number, holdId: number): Promise<Hold> {
  const hold = await getHold(deps, holdId);
  if (hold.firmId !== firmId) throw noHold(holdId);
  return hold;
}

async function getHold(deps: Deps, holdId: number) {
  const hold = await store.findHold(deps.db, holdId);
  if (!hold) throw noHold(holdId);
  return hold;
}

function noHold(holdId: number) {
  return problem('not_found', `There is no hold ${holdId}.`);
}

type HeldRecords = { firmId: number; advisorId: number | null; memberId: number | null };

async function coveredBy(deps: Deps, scope: HoldScope): Promise<HeldRecords> {
  if ('firmId' in scope) return { firmId: scope.firmId, advisorId: null, memberId: null };
  const { advisorId, phone } = scope;
  const { firmId, name } = await getAdvisor(deps, String(advisorId));
  if (phone === undefined) return { firmId, advisorId, memberId: null };
  const member = await findMember(deps.db, advisorId, phone);
  if (!member) throw problem('not_found', `${name} has no records about ${phone}: there is nothing to hold.`);
  return { firmId, advisorId, memberId: member.memberId };
}

function checked(firmId: number, { reason, staff, by = byCommand(staff.staffId) }: Act): store.HoldAct {
  requireStaffOf(staff, { firmId }, 'hold records or lift a hold');
  if (isBlank(reason)) throw problem('invalid_request', 'A reason is needed, such as the legal matter.');
  const { traceId, via = null } = by;
  return { reason, staffId: staff.staffId, traceId, via };
}
