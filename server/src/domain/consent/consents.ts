import { setTimeout as pause } from 'node:timers/promises';
import type { Deps } from '../../deps.ts';
import { findAdvisor } from '../../store/accounts/advisors.ts';
import { insertEntries, listConsentEntries } from '../../store/archive/archive.ts';
import { listRecipients, type RecipientRow } from '../../store/messages/messages.ts';
import type { ConsentState, MemberChange, MemberRow } from '../../store/texting/members.ts';
import * as store from '../../store/texting/members.ts';
import { requireStaffOf, type Staff } from '../accounts/staff.ts';
import { type By, byCarrier, byOperator, byPerson, byStaff } from '../archive/archive.ts';
import { type BrokenRule, invalid, problem } from '../problems.ts';
import { e164 } from '../shared/phone-numbers.ts';
import { isBlank } from '../shared/text-rules.ts';
import { type Failure, failure } from '../texting/failures.ts';
import { gate, type Hours, type Recipient } from '../texting/gate.ts';
import { ensureMembers } from '../texting/members.ts';
import { acceptTexts, noCarrier, textTo } from '../texting/texts.ts';
import { renderWording, type Wording, wordingOf } from '../texting/wordings.ts';
import type { ReplyMeaning } from './reply-words.ts';

/**
 * Every move of a member's consent. Each is a decision about a member whose row is locked, and one transaction that
 * makes it true together with its evidence in the archive.
 */

export type ConsentStatus = { memberId: number; state: ConsentState; lastChanged: Date };
export type ConsentQuery = { phone?: string; memberId?: number; waitSeconds?: number };
export type ConsentRequestResult = {
  successes: { memberId: number; consentState: ConsentState }[];
  failures: Failure[];
};

/** Why consent is what it is. */
export type Reason =
  | 'requested'
  | 'accepted'
  | 'declined'
  | 'opt_in'
  | 'opt_out'
  | 'opt_out_wording'
  | 'carrier'
  | 'recorded'
  | 'sandbox';
type Channel = 'text' | 'carrier' | 'paper' | 'sandbox';

/** What the archive keeps of a move, to show later: who, number, wording as shown, channel, what was said, when. */
export type Evidence = {
  who: string;
  phone: string;
  channel: Channel;
  when: string;
  wording?: { text: string; version: number; shown: string };
  reply?: { text: string; sent: string; archiveNumber: number };
  proof?: string;
};

/** One entry of a number's history; its evidence is gone once its retention has ended. */
export type ConsentEvent = {
  number: number;
  dateTime: Date;
  from: ConsentState;
  to: ConsentState;
  reason: Reason;
  channel: Channel;
  actor: string;
  evidence: Evidence | null;
};

export type ConsentHistory = ConsentStatus & { consentRequests: number; events: ConsentEvent[] };

/** A person's text, as far as consent is concerned. */
export type Reply = { meaning: ReplyMeaning; text: string; sentAt: Date; archiveNumber: number };
/** What a reply brought about: the state it moved to, and the text that answers it. */
export type ReplyEffect = { moved: ConsentState | null; answer: 'opt_in' | 'opt_out' | 'reminder' | null };

type Move = {
  member: MemberRow;
  to: ConsentState;
  reason: Reason;
  channel: Channel;
  evidence?: Pick<Evidence, 'wording' | 'reply' | 'proof'>;
};

/** For which advisor, by whom and when: one moment for all that a move writes down. */
type Act = { advisorId: number; by: By; now: Date };

const pollMs = 500;
/** However many consents change on this node, whoever waits looks no more often than this. */
const lookPauseMs = 50;

/** Asks by text, with an outcome for each number. An accepted number fails the whole request before anything is done. */
export async function requestConsent(
  deps: Deps,
  advisorId: number,
  given: string[],
  by: By,
): Promise<ConsentRequestResult> {
  if (!deps.carrier) throw noCarrier();
  const phones = [...new Set(given)];
  const numbers = phones.map((phone) => ({ advisorId, phone }));
  return deps.db.transaction(async (db) => {
    const within = { ...deps, db };
    const before = await listRecipients(db, numbers);
    refuseAccepted(given, phones, before);
    if (!before.every(({ consentCollection, textingNumber }) => consentCollection && textingNumber)) throw notSetUp();
    await ensureMembers(within, numbers);
    const members = await store.lockMembers(db, advisorId, phones);
    // Again, now that nobody else can change it: somebody may have accepted meanwhile.
    refuseAccepted(given, phones, inOrder(phones, members));
    // Every number is known by now, so each row is a recipient.
    const recipients = (await listRecipients(db, numbers)).map(
      (row, index) => ({ ...row, phone: phones[index] }) as Recipient,
    );
    return askAll(within, { advisorId, by, now: deps.clock.now() }, recipients, members);
  });
}

async function askAll(
  deps: Deps,
  act: Act,
  recipients: Recipient[],
  members: MemberRow[],
): Promise<ConsentRequestResult> {
  const { advisorId, by, now } = act;
  const result: ConsentRequestResult = { successes: [], failures: [] };
  const asked: { recipient: Recipient; hours: Hours }[] = [];
  for (const recipient of recipients) {
    const { phone, memberId } = recipient;
    const decision = gate(deps, recipient, 'consent_request', now);
    if ('refused' in decision) result.failures.push(failure(phone, memberId, decision.refused, recipient));
    else {
      asked.push({ recipient, hours: decision.allowed });
      result.successes.push({ memberId, consentState: 'pending' });
    }
  }
  const [first] = asked;
  if (!first) return result;
  const wording = await consentWording(deps, first.recipient);
  const texts = asked.map(({ recipient, hours }) =>
    textTo(recipient, { advisorId, kind: 'consent_request', text: wording.text, by, hours }),
  );
  const ids = new Set(asked.map(({ recipient }) => recipient.memberId));
  await acceptTexts(deps, texts);
  await markRequested(
    deps,
    act,
    members.filter(({ memberId }) => ids.has(memberId)),
    wording,
  );
  return result;
}

/** The advisor and the firm are the same for every recipient, and so is the text. */
async function consentWording(deps: Deps, { firmId, firmName, advisorName }: RecipientRow): Promise<Wording> {
  const { version, text } = await wordingOf(deps, firmId, 'consent_request');
  return { version, text: renderWording(text, { firm: firmName, advisor: advisorName }) };
}

/** A repeat stays pending, and is an event of the history all the same: repeats are counted and shown. */
async function markRequested(deps: Deps, act: Act, members: MemberRow[], { text, version }: Wording): Promise<void> {
  const { advisorId, now } = act;
  const ids = members.map(({ memberId }) => memberId);
  await store.updateRequested(deps.db, advisorId, ids, { wording: text, version, now });
  const evidence = { wording: { text, version, shown: now.toISOString() } };
  const moves = members.map<Move>((member) => ({
    member,
    to: 'pending',
    reason: 'requested',
    channel: 'text',
    evidence,
  }));
  await record(deps, act, moves);
}

/** An item of `details` for each number that has accepted, at the place where it is given first. */
function refuseAccepted(
  given: string[],
  phones: string[],
  states: ({ state: ConsentState | null } | undefined)[],
): void {
  const broken = phones.flatMap<BrokenRule>((phone, index) => {
    if (states[index]?.state !== 'accepted') return [];
    const path = `/phoneNumbers/${given.indexOf(phone)}`;
    return [{ path, rule: 'notAccepted', message: `${phone} has already accepted: it needs no consent request.` }];
  });
  const [first] = broken;
  if (!first) return;
  const more = broken.length > 1 ? ` (and ${broken.length - 1} more in details)` : '';
  // All of them, however many: the caller takes them out and sends the rest.
  throw problem('invalid_request', `${first.message}${more}`, { details: broken });
}

function inOrder(phones: string[], members: MemberRow[]): (MemberRow | undefined)[] {
  const memberOf = new Map(members.map((member) => [member.phone, member]));
  return phones.map((phone) => memberOf.get(phone));
}

function notSetUp() {
  return problem('conflict', 'The advisor’s account is not configured for consent collection. Contact the operator.');
}

/** What a person's text does to their consent. Inside a transaction, with the member locked. */
export async function applyReply(deps: Deps, advisorId: number, member: MemberRow, reply: Reply): Promise<ReplyEffect> {
  const decision = decideReply(member, reply);
  if (!decision) return { moved: null, answer: null };
  if ('remind' in decision) {
    await store.updateMember(deps.db, advisorId, member.memberId, { reminded: true });
    return { moved: null, answer: 'reminder' };
  }
  const { to, reason, decidedAt } = decision;
  if (to === member.state) {
    await store.updateMember(deps.db, advisorId, member.memberId, { decidedAt });
    // A START is confirmed each time; a second STOP is silent.
    return { moved: null, answer: to === 'accepted' ? 'opt_in' : null };
  }
  const evidence = {
    wording: await wordingShown(deps, advisorId, member, reply.sentAt),
    reply: { text: reply.text, sent: reply.sentAt.toISOString(), archiveNumber: reply.archiveNumber },
  };
  const act = { advisorId, by: byPerson, now: deps.clock.now() };
  await move(deps, act, { member, to, reason, channel: 'text', evidence }, { decidedAt });
  return { moved: to, answer: to === 'accepted' ? 'opt_in' : 'opt_out' };
}

type Decision = { to: 'accepted' | 'opted_out'; reason: Reason; decidedAt: Date | null } | { remind: true } | null;

/** Pure, so that every order of arrival can be thought through; null is a text that changes nothing. */
function decideReply(member: MemberRow, { meaning, sentAt }: Pick<Reply, 'meaning' | 'sentAt'>): Decision {
  switch (meaning) {
    case 'opt_out':
    case 'opt_out_wording':
      return optOut(member, meaning, sentAt);
    case 'opt_in':
      return optIn(member, sentAt);
    case 'accept':
      // It leaves decidedAt alone: unlike START it would not have undone a STOP, so one that was sent before it and
      // comes late still counts.
      return answersRequest(member, sentAt)
        ? { to: 'accepted', reason: 'accepted', decidedAt: member.decidedAt }
        : null;
    case 'decline':
      return answersRequest(member, sentAt) ? optOut(member, 'declined', sentAt) : null;
    case 'other':
      return answersRequest(member, sentAt) && !member.reminded ? { remind: true } : null;
    case 'help':
      return null;
  }
}

/** Replies arrive out of order: a STOP that is older than the START that the state comes from changes nothing. */
function optOut({ state, decidedAt }: MemberRow, reason: Reason, sentAt: Date): Decision {
  if (state === 'opted_out') return { to: 'opted_out', reason, decidedAt: laterOf(decidedAt, sentAt) };
  return decidedAt && sentAt < decidedAt ? null : { to: 'opted_out', reason, decidedAt: sentAt };
}

/** Nor does a START that is older than the STOP, or as old: on a tie opted_out wins. */
function optIn({ state, decidedAt }: MemberRow, sentAt: Date): Decision {
  if (state === 'accepted') return { to: 'accepted', reason: 'opt_in', decidedAt: laterOf(decidedAt, sentAt) };
  return decidedAt && sentAt <= decidedAt ? null : { to: 'accepted', reason: 'opt_in', decidedAt: sentAt };
}

/** Whether it was written since consent was first asked for; pending lasts from then on. */
function answersRequest({ state, lastChanged }: MemberRow, sentAt: Date): boolean {
  return state === 'pending' && sentAt >= lastChanged;
}

function laterOf(one: Date | null, other: Date): Date {
  return one && one > other ? one : other;
}

/** The request that the person had seen when they wrote: the last, or one before it if that crossed their answer. */
async function wordingShown(
  deps: Deps,
  advisorId: number,
  { memberId, requestedAt, requestedWording, requestedVersion }: MemberRow,
  sentAt: Date,
): Promise<Evidence['wording']> {
  if (!requestedAt || requestedWording === null) return undefined;
  const last = { text: requestedWording, version: requestedVersion ?? 0, shown: requestedAt.toISOString() };
  if (requestedAt <= sentAt) return last;
  const events = (await listConsentEntries(deps.db, advisorId, memberId)).map(eventOf);
  return events.findLast(({ reason, dateTime }) => reason === 'requested' && dateTime <= sentAt)?.evidence?.wording;
}

/** The carrier says that the person opted out, with it and not with us; it confirms that itself. */
export async function optOutByCarrier(deps: Deps, advisorId: number, memberId: number): Promise<void> {
  await deps.db.transaction(async (db) => {
    const member = await store.lockMember(db, advisorId, memberId);
    if (!member) return;
    const now = deps.clock.now();
    // Also where a START claims to be from later, or the person is opted out already: a START before this undoes nothing.
    const decidedAt = laterOf(member.decidedAt, now);
    if (member.state === 'opted_out') return store.updateMember(db, advisorId, memberId, { decidedAt });
    const optOut: Move = { member, to: 'opted_out', reason: 'carrier', channel: 'carrier' };
    await move({ ...deps, db }, { advisorId, by: byCarrier, now }, optOut, { decidedAt });
  });
}

export type RecordedConsent = { advisorId: number; phone: string; proof: string; staff: Staff };

/**
 * Consent given on paper, recorded by the firm. It undoes no STOP: only the person can. When the paper was signed isn't
 * known, so decidedAt stays as it is, and a STOP that comes late still counts.
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
  return deps.db.transaction(async (db) => {
    const within = { ...deps, db };
    await ensureMembers(within, [{ advisorId, phone }]);
    const [member] = await store.lockMembers(db, advisorId, [phone]);
    if (!member) throw new Error('A number that was made known has no member.');
    if (member.state === 'opted_out')
      throw problem(
        'conflict',
        failure(phone, member.memberId, 'opted_out', { ...advisor, advisorName: advisor.name }).message,
      );
    const recorded: Move = { member, to: 'accepted', reason: 'recorded', channel: 'paper', evidence: { proof } };
    const { memberId, state, lastChanged } = member;
    const act = { advisorId, by: byStaff(staff.staffId), now: deps.clock.now() };
    // Of an accepted number the proof is kept beside what there is.
    if (state === 'accepted') await record(within, act, [recorded]);
    else await move(within, act, recorded);
    return { memberId, state: 'accepted', lastChanged: state === 'accepted' ? lastChanged : act.now };
  });
}

/** The states that the sandbox's numbers begin with. What has happened to one since then stays. */
export async function setInitialConsent(
  deps: Deps,
  advisorId: number,
  phones: string[],
  to: 'accepted' | 'opted_out',
): Promise<void> {
  await deps.db.transaction(async (db) => {
    const act = { advisorId, by: byOperator, now: deps.clock.now() };
    const numbers = phones.map((phone) => ({ advisorId, phone }));
    await store.insertMembers(db, numbers, act.now);
    for (const member of await store.lockMembers(db, advisorId, phones)) {
      if (member.state !== 'none' || member.consentRequests > 0) continue;
      await move({ ...deps, db }, act, { member, to, reason: 'sandbox', channel: 'sandbox' });
    }
  });
}

async function move(deps: Deps, act: Act, made: Move, more: MemberChange = {}): Promise<void> {
  const change = { state: made.to, lastChanged: act.now, ...more };
  await store.updateMember(deps.db, act.advisorId, made.member.memberId, change);
  await record(deps, act, [made]);
}

/** The evidence, in the transaction of the move; who waits for a change is woken at its commit. */
async function record(deps: Deps, { advisorId, by, now }: Act, moves: Move[]): Promise<void> {
  const entries = moves.map(({ member, to, reason, channel, evidence }) => {
    const body: Evidence = { who: by.actor, phone: member.phone, channel, when: now.toISOString(), ...evidence };
    const meta = { from: member.state, to, reason, channel };
    const kind = 'consent' as const;
    return { advisorId, kind, memberId: member.memberId, meta, body: JSON.stringify(body), ...by };
  });
  await insertEntries(deps.db, entries, now);
  if (moves.some(({ member, to }) => member.state !== to))
    deps.db.afterCommit(() => deps.signals.consentChanged.raise());
}

/** The consent of a number that a contact has; with waitSeconds, once it has changed or that much time has passed. */
export async function getConsent(
  deps: Deps,
  advisorId: number,
  { waitSeconds = 0, ...query }: ConsentQuery,
): Promise<ConsentStatus> {
  const deadline = Date.now() + waitSeconds * 1000;
  const { consentChanged, stopping } = deps.signals;
  const first = await lookUp(deps, advisorId, query);
  let found = first;
  while (found.state === first.state && Date.now() < deadline && !stopping.signal.aborted) {
    const leftMs = deadline - Date.now();
    // No connection is held meanwhile. The signal tells of changes on this node; the poll finds those on others.
    await Promise.all([
      consentChanged.wait(Math.min(pollMs, leftMs), stopping.signal),
      pause(Math.min(lookPauseMs, leftMs)),
    ]);
    found = await lookUp(deps, advisorId, query);
  }
  return found;
}

async function lookUp(
  { db }: Deps,
  advisorId: number,
  { phone, memberId }: Pick<ConsentQuery, 'phone' | 'memberId'>,
): Promise<ConsentStatus> {
  if (phone === undefined && memberId === undefined)
    throw invalid([{ path: '/phone', rule: 'required', message: 'phone is required, or memberId.' }]);
  const byPhone = phone === undefined ? undefined : await store.findMemberOfContact(db, advisorId, { phone });
  const byId = memberId === undefined ? undefined : await store.findMemberOfContact(db, advisorId, { memberId });
  if (byPhone !== undefined && byId !== undefined && byPhone?.memberId !== byId?.memberId)
    throw invalid([{ path: '/memberId', rule: 'agree', message: 'memberId is not the member that has this phone.' }]);
  const member = byPhone ?? byId;
  if (!member) throw problem('not_found', 'No contact owns that phone number on the advisor’s account.');
  return { memberId: member.memberId, state: member.state, lastChanged: member.lastChanged };
}

/** All that was written of a number's consent, oldest first; null where the advisor doesn't know the number. */
export async function listConsentHistory(deps: Deps, advisorId: number, phone: string): Promise<ConsentHistory | null> {
  const member = await store.findMember(deps.db, advisorId, phone);
  if (!member) return null;
  const { memberId, state, lastChanged, consentRequests } = member;
  const events = (await listConsentEntries(deps.db, advisorId, memberId)).map(eventOf);
  return { memberId, state, lastChanged, consentRequests, events };
}

type EntryRow = Awaited<ReturnType<typeof listConsentEntries>>[number];

function eventOf({ number, dateTimeCreated, actor, meta, body }: EntryRow): ConsentEvent {
  const evidence: Evidence | null = body === null ? null : JSON.parse(body);
  return { number, dateTime: dateTimeCreated, ...JSON.parse(meta), actor, evidence };
}
