import { type Deps, inTransaction } from '../../deps.ts';
import { findAdvisor } from '../../store/accounts/advisors.ts';
import { insertEntries } from '../../store/archive/archive.ts';
import { type ConsentChange, updateConsent } from '../../store/consent/consents.ts';
import type { MemberRow } from '../../store/members/members.ts';
import { requireStaffOf, type Staff } from '../accounts/staff.ts';
import { byStaff } from '../archive/archive.ts';
import { type Act, type ConsentMove, consentEntry } from '../archive/consent-entries.ts';
import { problem } from '../problems.ts';
import { e164 } from '../shared/phone-numbers.ts';
import { isBlank } from '../shared/text/text-rules.ts';
import { failure } from '../texting/failures.ts';
import { ensureMembers } from '../texting/recipients.ts';
import { failWaitingTexts, sendWaitingTexts } from '../texting/waiting-texts.ts';
import { type ConsentStatus, listConsentEvents } from './consent-lookups.ts';
import { failHeldTexts } from './possible-opt-outs.ts';

/**
 * Every move of a member's consent is decided with the member's row locked, and committed in one transaction with its
 * evidence in the archive.
 */

export type Move = ConsentMove & { member: MemberRow };

/** When the person wrote what a move comes from. */
export type Stamps = Pick<ConsentChange, 'stoppedAt' | 'startedAt'>;

/**
 * Makes a move, inside a transaction, with the member locked. An opt-out ends the texts that wait; once consent is given, and
 * confirmed, the caller sends them (texting/waiting-texts.ts).
 */
export async function moveConsent(deps: Deps, act: Act, move: Move, stamps: Stamps = {}): Promise<void> {
  const change: ConsentChange = { state: move.to, lastChanged: act.now, ...stamps };
  await updateConsent(deps.db, act.advisorId, move.member.memberId, change);
  if (move.to === 'opted_out') {
    await failHeldTexts(deps, act.advisorId, move.member);
    await failWaitingTexts(deps, act.advisorId, move.member.memberId);
  }
  await archiveMoves(deps, act, [move]);
}

/** Archives the evidence in the move's transaction. Requests that wait for a change are woken at its commit. */
export async function archiveMoves(deps: Deps, act: Act, moves: ConsentMove[]): Promise<void> {
  const entries = moves.map((move) => consentEntry(act, move));
  await insertEntries(deps.db, entries, act.now);
  const { advisorId } = act;
  const changed = moves.filter(({ member, to }) => member.state !== to);
  deps.db.afterCommit(() => {
    for (const { member } of changed) deps.signals.consentChanged.raise({ advisorId, memberId: member.memberId });
  });
}

export type RecordedConsent = { advisorId: number; phone: string; proof: string; staff: Staff };

/**
 * Records consent given on paper. It doesn't undo a STOP: only the person can.
 */
export async function recordConsent(
  deps: Deps,
  { advisorId, phone, proof, staff }: RecordedConsent,
): Promise<ConsentStatus> {
  const advisor = await findAdvisor(deps.db, String(advisorId));
  if (!advisor) throw problem('not_found', `There is no advisor ${advisorId}.`);
  requireStaffOf(staff, advisor, `record consent for ${advisor.name}`);
  if (!e164.test(phone)) throw problem('invalid_request', `${phone} is not a phone number in E.164.`);
  if (isBlank(proof)) throw problem('invalid_request', 'Proof is needed: what was signed, when, and where it is kept.');
  return inTransaction(deps, async (deps) => {
    const [member] = await ensureMembers(deps, [{ advisorId, phone }]);
    if (!member) throw new Error('ensureMembers returned no member.');
    const { memberId, state, lastChanged } = member;
    // Also if only the last entry says so: whoever changed the table past us must not get it confirmed.
    const events = await listConsentEvents(deps, advisorId, memberId);
    if (state === 'opted_out' || events.at(-1)?.to === 'opted_out')
      throw problem(
        'conflict',
        failure(phone, memberId, 'opted_out', { ...advisor, advisorName: advisor.name }).message,
      );
    const recorded: Move = { member, to: 'accepted', reason: 'recorded', channel: 'paper', evidence: { proof } };
    const act = { advisorId, by: byStaff(staff.staffId), now: deps.clock.now() };
    // An accepted number stays as it is; the proof is archived next to its other evidence.
    if (state === 'accepted') await archiveMoves(deps, act, [recorded]);
    else {
      await moveConsent(deps, act, recorded);
      await sendWaitingTexts(deps, advisorId, member);
    }
    return { memberId, state: 'accepted', lastChanged: state === 'accepted' ? lastChanged : act.now };
  });
}
