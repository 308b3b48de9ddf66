import { type Deps, inTransaction } from '../../deps.ts';
import { type AdvisorRow, findAdvisor } from '../../store/accounts/advisors.ts';
import { findOptOutScopeForShare } from '../../store/accounts/firms.ts';
import { insertEntries, lockHeads } from '../../store/archive/archive.ts';
import { listEarlierTexters } from '../../store/carriers/numbers.ts';
import { type ConsentChange, updateConsent, updateRequested } from '../../store/consent/consents.ts';
import { type FirmMember, lockMembersOf } from '../../store/consent/firm-opt-outs.ts';
import { lockFirmNumbers } from '../../store/members/firm-numbers.ts';
import { findFirmNumber, lockMember, type MemberRow } from '../../store/members/members.ts';
import { requireStaffOf, type Staff } from '../accounts/staff.ts';
import { byCarrier, byCommand } from '../archive/archive.ts';
import {
  type Channel,
  type ConsentAct,
  type ConsentMove,
  consentEntry,
  type Proof,
  type Reason,
} from '../archive/consent-entries.ts';
import { problem, requireFound } from '../problems.ts';
import { e164, formsOf } from '../shared/phone-numbers.ts';
import { isBlank } from '../shared/text/text-rules.ts';
import { laterOf } from '../shared/time.ts';
import { claimedTextsBegun } from '../texting/claimed-texts.ts';
import { failure } from '../texting/failures.ts';
import { ensureMembers } from '../texting/recipients.ts';
import { failWaitingTexts, sendWaitingTexts } from '../texting/waiting-texts.ts';
import type { Wording } from '../texting/wordings.ts';
import { type ConsentStatus, listConsentEvents } from './consent-lookups.ts';
import { failHeldTexts } from './possible-opt-outs.ts';

/**
 * Every change of a member's consent. Each is decided with the member's row locked, and committed in one transaction with its
 * evidence in the archive. One exception: a number that becomes known can start opted out (members/known-numbers.ts).
 */

export type Move = ConsentMove & { member: MemberRow };

/** When the person wrote what a move comes from. */
type Stamps = Pick<ConsentChange, 'stoppedAt' | 'startedAt'>;

/**
 * Makes a move, inside a transaction, with the member locked. An opt-out ends the texts that wait; once consent is given, and
 * confirmed, the caller sends them (texting/waiting-texts.ts). A move to the state that the member has only updates the stamps:
 * then it returns false.
 */
export async function moveConsent(deps: Deps, act: ConsentAct, move: Move, stamps: Stamps = {}): Promise<boolean> {
  const { advisorId } = act;
  const { member, to } = move;
  if (member.state === to) {
    await updateConsent(deps.db, advisorId, member.memberId, stamps);
    return false;
  }
  await updateConsent(deps.db, advisorId, member.memberId, { state: to, lastChanged: act.now, ...stamps });
  if (to === 'opted_out') {
    await failHeldTexts(deps, advisorId, member);
    await failWaitingTexts(deps, advisorId, member.memberId);
  }
  await archiveMoves(deps, act, [move]);
  return true;
}

/** Archives the evidence in the move's transaction. Requests that wait for a change are woken at its commit. */
async function archiveMoves(deps: Deps, act: ConsentAct, moves: ConsentMove[]): Promise<void> {
  const entries = moves.map((move) => consentEntry(act, move));
  await insertEntries(deps.db, entries, act.now);
  const { advisorId } = act;
  const changed = moves.filter(({ member, to }) => member.state !== to);
  deps.db.afterCommit(() => {
    for (const { member } of changed) deps.signals.consentChanged.raise({ advisorId, memberId: member.memberId });
  });
}

/** Members were asked for their consent. A repeated request leaves the state pending, but is counted and shown in the history. */
export async function markRequested(
  deps: Deps,
  act: ConsentAct,
  members: ConsentMove['member'][],
  { text, version }: Wording,
): Promise<void> {
  const { advisorId, now } = act;
  const ids = members.map(({ memberId }) => memberId);
  await updateRequested(deps.db, advisorId, ids, now);
  const evidence = { wording: { text, version, shown: now.toISOString() } };
  const request = { to: 'pending', reason: 'requested', channel: 'text', evidence } as const;
  await archiveMoves(
    deps,
    act,
    members.map((member) => ({ member, ...request })),
  );
}

/** One reminder per request. */
export async function markReminded({ db }: Deps, advisorId: number, { memberId }: MemberRow): Promise<void> {
  await updateConsent(db, advisorId, memberId, { reminded: true });
}

/** Why a stop counts for somebody else, too: it is the same phone in its other form, the same firm, or a number that was theirs. */
type OtherMember = FirmMember & { why: 'other_form' | 'firm' | 'earlier_number'; isOfFirm: boolean };
/** Somebody as the advisor knows them, and as the others do for whom a stop counts too; all locked. */
export type LockedPerson<Own extends MemberRow | null = MemberRow> = { member: Own; others: OtherMember[] };
type AdvisorOfFirm = { advisorId: number; firmId: number };
/** Whose stop it would be. `number` is the one that they wrote to, if they wrote. */
type Stopping = { phone: string; number?: string | undefined };

/**
 * Locks everybody whom a stop of this phone would opt out, and the archives that it adds to, in the order of all locks: the
 * number in the firms, its members by advisor, the heads. `lockOwn` locks the advisor's own member, or returns null if there is nothing
 * to do. Two stops of a number to two advisors take turns.
 */
export async function lockPerson<Own extends MemberRow | null>(
  deps: Deps,
  advisor: AdvisorOfFirm,
  stopping: Stopping,
  lockOwn: () => Promise<Own>,
): Promise<LockedPerson<Own>> {
  const { advisorId } = advisor;
  const others = await lockOthers(deps, advisor, stopping);
  const member = await lockOwn();
  if (member && others.length > 0) await lockHeads(deps.db, [advisorId, ...others.map((other) => other.advisorId)]);
  return { member, others };
}

/**
 * The phone's other form, what the firm's other advisors know of it where a stop counts for all of them, and the same for everybody
 * who texted them from that number before: to the person it is one number, whoever has it now.
 */
async function lockOthers({ db }: Deps, advisor: AdvisorOfFirm, { phone, number }: Stopping): Promise<OtherMember[]> {
  const phones = formsOf(phone);
  const { advisorId, firmId } = advisor;
  const earlier = number ? await listEarlierTexters(db, { number, advisorId, phones }) : [];
  const concerned = [...new Set([firmId, ...earlier.map((each) => each.firmId)])].sort((a, b) => a - b);
  const whole: number[] = [];
  for (const each of concerned) if ((await findOptOutScopeForShare(db, each)) === 'firm') whole.push(each);
  if (phones.length === 1 && concerned.length === 1 && earlier.length === 0 && whole.length === 0) return [];
  await lockFirmNumbers(db, phones.length > 1 ? concerned : whole, phones);
  const owners = new Set([advisorId, ...earlier.map((each) => each.advisorId)]);
  const members = await lockMembersOf(db, { firmIds: whole, advisorIds: [...owners] }, phones);
  return members
    .filter((member) => member.advisorId !== advisorId || member.phone !== phone)
    .map((member) => {
      const why = owners.has(member.advisorId) ? 'earlier_number' : 'firm';
      return {
        ...member,
        why: member.advisorId === advisorId ? 'other_form' : why,
        isOfFirm: member.firmId === firmId,
      };
    });
}

/** The advisor's own member, and the one with the phone's other form, if there is one: a START from either ends the stops of both. */
export async function lockForms(
  { db }: Deps,
  { advisorId }: AdvisorOfFirm,
  phone: string,
  lockOwn: () => Promise<MemberRow>,
): Promise<LockedPerson> {
  const phones = formsOf(phone);
  const forms = phones.length > 1 ? await lockMembersOf(db, { firmIds: [], advisorIds: [advisorId] }, phones) : [];
  const others = forms.filter((member) => member.phone !== phone);
  return { member: await lockOwn(), others: others.map((each) => ({ ...each, why: 'other_form', isOfFirm: true })) };
}

/** A stop to an advisor: how it came, when it counts as written, and what proves it. */
export type Stop = { reason: Reason; channel: Channel; at: Date; evidence?: Proof };
/** What a stop did: whether it opted anybody out, and whether somebody's START was written after it but arrived before. */
type StopResult = { moved: boolean; outOfOrder: boolean };

/**
 * Opts a person out, inside a transaction, locked by `lockPerson`. No START from before the stop undoes it. In a firm whose opt-out
 * scope is `firm`, it counts for every advisor who knows the number, each with its own entry, and for everybody who gets to know
 * it later (members/known-numbers.ts), in whatever way it came: a STOP, wording that means it, NO to a request, a reviewer's
 * decision, and the carrier's word, since the person gave that stop to the carrier for one of the firm's numbers. START reopens
 * only the advisor it was sent to.
 */
export async function optOut(
  deps: Deps,
  act: ConsentAct,
  { member, others }: LockedPerson,
  stop: Stop,
): Promise<StopResult> {
  const { at, ...how } = stop;
  const moved = await moveConsent(
    deps,
    act,
    { member, to: 'opted_out', ...how },
    { stoppedAt: laterOf(member.stoppedAt, at) },
  );
  // Of somebody who has opted out, the carrier may mean the STOP that we know, after which the person may have texted START to another
  // advisor.
  if (!moved && stop.reason === 'carrier') return { moved, outOfOrder: false };
  const elsewhere = await stopOthers(deps, act, others, stop);
  return { moved: moved || elsewhere.moved, outOfOrder: elsewhere.outOfOrder };
}

/** Nothing is sent: the advisor who got the stop confirms it. */
async function stopOthers(deps: Deps, act: ConsentAct, others: OtherMember[], stop: Stop): Promise<StopResult> {
  const { channel, at } = stop;
  const done = { moved: false, outOfOrder: false };
  for (const { why, isOfFirm, ...member } of others) {
    const move: Move = { member, to: 'opted_out', channel, ...proofFor(act, { why, isOfFirm }, stop) };
    const stamps = { stoppedAt: laterOf(member.stoppedAt, at) };
    if (!(await moveConsent(deps, { ...act, advisorId: member.advisorId }, move, stamps))) continue;
    done.moved = true;
    if (member.state === 'accepted' && member.startedAt && at < member.startedAt) done.outOfOrder = true;
  }
  return done;
}

/** Another firm learns that the person said stop, and not in which words, nor to whom. */
function proofFor(
  { advisorId }: ConsentAct,
  { why, isOfFirm }: Pick<OtherMember, 'why' | 'isOfFirm'>,
  { reason, evidence }: Stop,
): { reason: Reason; evidence?: Proof } {
  if (why === 'other_form') return { reason, ...(evidence ? { evidence } : {}) };
  const reply = isOfFirm ? evidence?.reply : undefined;
  const stop = { ...(isOfFirm ? { advisorId } : {}), reason };
  return { reason: why === 'firm' ? 'firm_opt_out' : why, evidence: { ...(reply ? { reply } : {}), stop } };
}

/** The carrier says that the person opted out with it, not with us. It sends its own confirmation. */
export async function optOutByCarrier(deps: Deps, advisorId: number, memberId: number): Promise<void> {
  await inTransaction(deps, async (deps) => {
    const number = await findFirmNumber(deps.db, advisorId, memberId);
    if (!number) return;
    const { firmId, phone } = number;
    const lockOwn = () => lockMember(deps.db, advisorId, memberId);
    const { member, others } = await lockPerson(deps, { advisorId, firmId }, { phone }, lockOwn);
    if (!member) return;
    const now = deps.clock.now();
    const stop: Stop = { reason: 'carrier', channel: 'carrier', at: now };
    await optOut(deps, { advisorId, by: byCarrier, now }, { member, others }, stop);
  });
}

/** By an operator's command, which names who says so. */
export type RecordedConsent = { advisorId: number; phone: string; proof: string; staff: Staff };

/**
 * Records that a person said stop by other means than a text: on the phone, in a letter, or in a text that a restored database
 * no longer has. It counts like a STOP that was written now, and nothing is sent.
 */
export async function recordOptOut(deps: Deps, given: RecordedConsent): Promise<ConsentStatus> {
  const { advisorId, phone, proof, staff } = given;
  const advisor = await advisorFor(deps, given, 'an opt-out');
  if (isBlank(proof)) throw problem('invalid_request', 'Proof is needed: what the person said, when and how.');
  const { stopped, ...status } = await inTransaction(deps, async (deps) => {
    const person = await lockPerson(deps, advisor, { phone }, () => ensureMember(deps, advisorId, phone));
    const { member, others } = person;
    const now = deps.clock.now();
    const stop = { reason: 'recorded', channel: 'paper', at: now, evidence: { proof } } as const;
    const act = { advisorId, by: byCommand(staff.staffId), now };
    await optOut(deps, act, person, stop);
    const wasOptedOut = member.state === 'opted_out';
    // Then it stays as it is, and the proof is archived next to its other evidence.
    if (wasOptedOut) await archiveMoves(deps, act, [{ member, to: 'opted_out', ...stop }]);
    const { memberId } = member;
    const lastChanged = wasOptedOut ? member.lastChanged : now;
    return { memberId, state: 'opted_out' as const, lastChanged, stopped: [{ advisorId, memberId }, ...others] };
  });
  await claimedTextsBegun(deps, stopped);
  return status;
}

/** Records consent given on paper. It doesn't undo a STOP: only the person can. */
export async function recordConsent(deps: Deps, given: RecordedConsent): Promise<ConsentStatus> {
  const { advisorId, phone, proof, staff } = given;
  const advisor = await advisorFor(deps, given, 'consent');
  if (isBlank(proof)) throw problem('invalid_request', 'Proof is needed: what was signed, when, and where it is kept.');
  return inTransaction(deps, async (deps) => {
    const member = await ensureMember(deps, advisorId, phone);
    const { memberId, state, lastChanged } = member;
    // Also if only the last entry says so: whoever changed the table past us must not get it confirmed.
    const events = await listConsentEvents(deps, advisorId, memberId);
    if (state === 'opted_out' || events.at(-1)?.to === 'opted_out')
      throw problem(
        'conflict',
        failure(phone, memberId, 'opted_out', { ...advisor, advisorName: advisor.name }).message,
      );
    const recorded: Move = { member, to: 'accepted', reason: 'recorded', channel: 'paper', evidence: { proof } };
    const act = { advisorId, by: byCommand(staff.staffId), now: deps.clock.now() };
    // An accepted number stays as it is; the proof is archived next to its other evidence.
    if (state === 'accepted') await archiveMoves(deps, act, [recorded]);
    else {
      await moveConsent(deps, act, recorded);
      await sendWaitingTexts(deps, advisorId, member);
    }
    return { memberId, state: 'accepted', lastChanged: state === 'accepted' ? lastChanged : act.now };
  });
}

/** The advisor for whom the firm's staff may record something about this number. */
async function advisorFor(deps: Deps, given: RecordedConsent, what: string): Promise<AdvisorRow> {
  const { advisorId, phone, staff } = given;
  const advisor = requireFound(await findAdvisor(deps.db, String(advisorId)), `There is no advisor ${advisorId}.`);
  requireStaffOf(staff, advisor, `record ${what} for ${advisor.name}`);
  if (!e164.test(phone)) throw problem('invalid_request', `${phone} is not a phone number in E.164.`);
  return advisor;
}

async function ensureMember(deps: Deps, advisorId: number, phone: string): Promise<MemberRow> {
  const [member] = await ensureMembers(deps, [{ advisorId, phone }]);
  if (!member) throw new Error('ensureMembers returned no member.');
  return member;
}
