import type { Deps } from '../../deps.ts';
import { lockHeads } from '../../store/archive/archive.ts';
import type { PhoneOf } from '../../store/members/members.ts';
import { drawMessageIds } from '../../store/texting/texts.ts';
import type { By } from '../archive/archive.ts';
import { ask, type ConsentRecipient, collectionProblem } from '../consent/consent-requests.ts';
import type { Screener, ScreeningFinding } from '../ports.ts';
import type { Problem } from '../problems.ts';
import { noCarrier } from '../shared/traffic-counts.ts';
import {
  type AcceptedText,
  acceptDrafts,
  type DraftResult,
  draftFor,
  type FlaggedDraft,
  type Wait,
} from '../texting/drafts.ts';
import { type Failure, failure } from '../texting/failures.ts';
import type { Hours, RefusalCode } from '../texting/gate.ts';
import { knownRecipient, type Recipient, type UnknownNumber } from '../texting/recipients.ts';
import { type Draft, textingProblem } from '../texting/texts.ts';
import { countWaiting, mayWait, type Waits, waitingDraftFor } from '../texting/waiting-texts.ts';
import type { ReadMessage } from './message-input.ts';
import { type NewSchedule, scheduleMessages } from './scheduled-message-entries.ts';

/** What sends decide about each recipient, and how that is carried out. */

export type MessageResult = { successes: Success[]; failures: Failure[] };
export type Success = {
  messageId: number | null;
  memberId: number;
  phone: string;
  status: (typeof acceptedStatuses)[number];
  /** In epoch milliseconds. */
  deliverAfter?: number;
  scheduledMessageId?: number;
};

/** What a send answers for a recipient it accepted. */
export const acceptedStatuses = ['queued', 'held', 'deferred', 'scheduled', 'awaiting_consent'] as const;

export type Send = ReadMessage & { deps: Deps; advisorId: number; by: By };
/** What happens to one recipient. One who is asked for consent first has the hours of that request. */
export type Decision =
  | { failure: Failure; blocked: FlaggedDraft | undefined }
  | { draft: Draft; asks?: Hours }
  | { scheduled: NewSchedule };
export type Decisions = Decision[] | { refused: Problem };
export type SendResult = MessageResult | { refused: Problem };
export type Decide = typeof decideOne;
/** A send, or one text of those to a group, which differ from person to person. */
type DecisionInput = Omit<Send, 'deps' | 'phones'> & { isToOne?: boolean };
type DecisionOptions = Parameters<Decide>[1];

/** What an operator sees as refused for want of consent. */
const consentCodes: RefusalCode[] = ['not_consented', 'consent_pending', 'opted_out'];

export function numbersOf(sends: Pick<Send, 'advisorId' | 'phones'>[]): PhoneOf[] {
  return sends.flatMap(({ advisorId, phones }) => phones.map((phone) => ({ advisorId, phone })));
}

/** Rows about these numbers, by send. */
export function splitBySend<Row>(sends: Pick<Send, 'phones'>[], rows: Row[]): Row[][] {
  let start = 0;
  return sends.map(({ phones }) => {
    start += phones.length;
    return rows.slice(start - phones.length, start);
  });
}

/** One for each text that may be accepted: which of them will be isn't known yet. */
export function drawIds(deps: Deps, sends: Send[]): Promise<number[]> {
  return drawMessageIds(
    deps.db,
    sends.reduce((sum, { phones, schedule }) => sum + (schedule ? 0 : phones.length), 0),
  );
}

export function decide(
  deps: Deps,
  send: Send,
  recipients: (Recipient | UnknownNumber)[],
  screeners: Map<number, Screener>,
  decideEach: Decide = decideOne,
): Decisions {
  const cannotText = textingProblem(recipients);
  if (cannotText) return { refused: cannotText };
  // One firm, one text: its lexicon says the same for every recipient.
  const finding = screeners.get(recipients[0]?.firmId ?? -1)?.(send.text) ?? null;
  const asked = { ...send, isToOne: recipients.length === 1 };
  return recipients.map((recipient) => decideEach(deps, asked, knownRecipient(recipient), finding));
}

/** A scheduled text can only be blocked here: the lexicon on the day it is due decides whether to hold or flag it. */
export function decideOne(
  deps: Deps,
  { advisorId, by, text, schedule, isToOne = false }: DecisionInput,
  to: Recipient,
  finding: ScreeningFinding | null,
): Decision {
  const at = schedule?.firstDate ?? deps.clock.now();
  const drafted = draftFor(deps, to, { advisorId, kind: 'text', text, by, finding }, at, {
    isAnswer: isToOne && !schedule,
  });
  if ('refused' in drafted) return failed({ ...to, isScheduled: schedule !== null }, drafted);
  if (!schedule) return { draft: drafted.draft };
  const { memberId, phone, timeZone } = to;
  return { scheduled: { advisorId, memberId, phone, text, timeZone, ...schedule, ...by } };
}

function failed(
  to: Recipient & { isScheduled?: boolean },
  { refused, blocked }: Extract<DraftResult, { refused: unknown }>,
): Decision {
  return { failure: failure(to.phone, to.memberId, refused, to), blocked };
}

/**
 * Decides as for any send, except that a text to somebody who only lacks consent waits. A decision counts for the ones after
 * it: nobody is asked twice, and not too many texts wait.
 */
export async function decideWaiting(deps: Deps, people: Recipient[]): Promise<Decide> {
  const keyOf = ({ advisorId, phone }: Recipient) => `${advisorId} ${phone}`;
  const counts = await countWaiting(deps, people);
  const waiting = new Map(people.map((to) => [keyOf(to), counts.get(to.memberId) ?? 0]));
  const asked = new Set<string>();
  return (deps, send, to, finding) => {
    const key = keyOf(to);
    const texts = waiting.get(key) ?? 0;
    const decision = decideOrWait(deps, send, to, finding, { texts, isAsked: asked.has(key) });
    if (!('draft' in decision)) return decision;
    if (decision.draft.text.awaitsConsent) waiting.set(key, texts + 1);
    if (decision.asks) asked.add(key);
    return decision;
  };
}

function decideOrWait(
  deps: Deps,
  send: DecisionOptions,
  to: Recipient,
  finding: ScreeningFinding | null,
  waits: Waits,
): Decision {
  const decision = decideOne(deps, send, to, finding);
  if (!('failure' in decision) || !mayWait(to, decision.failure.code)) return decision;
  const { advisorId, by, text } = send;
  const drafted = waitingDraftFor(deps, to, { advisorId, kind: 'text', text, by, finding }, waits);
  return 'refused' in drafted ? failed(to, drafted) : drafted;
}

/**
 * Why the account can't do it, whoever the recipients are. That somebody would have to be asked is known before anything is
 * done: what would become of each recipient if the account were set up to ask?
 */
export function problemOf(
  deps: Deps,
  send: DecisionOptions,
  expected: Recipient[],
  finding: ScreeningFinding | null,
): Problem | null {
  const cannotText = textingProblem(expected);
  const cannotAsk = send.whenConsented ? collectionProblem(expected) : null;
  if (cannotText || !cannotAsk) return cannotText;
  const isAsked = (to: Recipient) => {
    const able = { ...to, consentCollection: true };
    const decision = decideOrWait(deps, send, able, finding, { texts: 0, isAsked: false });
    return 'draft' in decision && decision.asks !== undefined;
  };
  return expected.some(isAsked) ? cannotAsk : null;
}

/** Several statements add to the archives, maybe of different advisors: locking all of them first avoids deadlocks. */
export async function askAll(deps: Deps, sends: Send[], decided: Decisions[]): Promise<void> {
  const asked = decided.map((decisions) => ('refused' in decisions ? [] : decisions.flatMap(askedIn)));
  if (asked.every(({ length }) => length === 0)) return;
  await lockHeads(
    deps.db,
    sends.map(({ advisorId }) => advisorId),
  );
  for (const [index, { advisorId, by }] of sends.entries())
    await ask(deps, { advisorId, by, now: deps.clock.now() }, asked[index] ?? []);
}

function askedIn(decision: Decision): ConsentRecipient[] {
  return 'draft' in decision && decision.asks ? [{ to: decision.draft.to, hours: decision.asks }] : [];
}

/** Accepts and schedules what was decided, inside a transaction. The texts get the first of `messageIds`. */
export async function carryOut(deps: Deps, decided: Decisions[], messageIds: number[]): Promise<SendResult[]> {
  const decisions = decided.flatMap((each) => ('refused' in each ? [] : each));
  const drafts = decisions.flatMap((each) => ('draft' in each ? each.draft : []));
  const blocked = decisions.flatMap((each) => ('failure' in each ? (each.blocked ?? []) : []));
  const schedules = decisions.flatMap((each) => ('scheduled' in each ? each.scheduled : []));
  const others = schedules.map(({ advisorId }) => advisorId);
  const accepted = (await acceptDrafts(deps, drafts, { messageIds, blocked, others })).values();
  const scheduledIds = (await scheduleMessages(deps, schedules)).values();
  const unconsented = decisions.filter((each) => 'failure' in each && consentCodes.includes(each.failure.code)).length;
  deps.db.afterCommit(() => deps.signals.traffic.texts(noCarrier, 'refused', unconsented));
  return decided.map((each) => ('refused' in each ? each : resultOf(each, { accepted, scheduledIds })));
}

type SendRecords = { accepted: Iterator<AcceptedText>; scheduledIds: Iterator<number> };

function resultOf(decisions: Decision[], { accepted, scheduledIds }: SendRecords): MessageResult {
  const result: MessageResult = { successes: [], failures: [] };
  for (const each of decisions) {
    if ('failure' in each) result.failures.push(each.failure);
    else if ('draft' in each) result.successes.push(acceptedAs(each.draft.to, accepted.next().value));
    else {
      const { memberId, phone } = each.scheduled;
      const scheduledMessageId = scheduledIds.next().value;
      result.successes.push({ messageId: null, memberId, phone, status: 'scheduled', scheduledMessageId });
    }
  }
  return result;
}

function acceptedAs({ memberId, phone }: Recipient, { messageId, ...wait }: AcceptedText): Success {
  return { messageId, memberId, phone, ...statusAfter(wait) };
}

/** The status that an accepted text has at first. */
export function statusAfter({ awaitsConsent, held, deferredUntil }: Wait): Pick<Success, 'status' | 'deliverAfter'> {
  if (awaitsConsent) return { status: 'awaiting_consent' };
  if (held) return { status: 'held' };
  return deferredUntil ? { status: 'deferred', deliverAfter: deferredUntil.getTime() } : { status: 'queued' };
}
