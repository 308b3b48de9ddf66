import type { Deps } from '../../deps.ts';
import type { PhoneOf } from '../../store/texting/members.ts';
import { drawMessageIds } from '../../store/texting/texts.ts';
import type { By } from '../archive/archive.ts';
import type { Judge, Verdict } from '../ports.ts';
import type { Problem } from '../problems.ts';
import { type Accepted, acceptDrafts, draftFor, type Judged, type Wait } from '../supervision/supervision.ts';
import { type Failure, failure } from '../texting/failures.ts';
import type { Hours } from '../texting/gate.ts';
import { knownRecipient, type Recipient, type UnknownNumber } from '../texting/recipients.ts';
import { type Draft, textingProblem } from '../texting/texts.ts';
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
  | { failure: Failure; blocked: Judged | undefined }
  | { draft: Draft; asks?: Hours }
  | { scheduled: NewSchedule };
export type Decided = Decision[] | { refused: Problem };
export type Result = MessageResult | { refused: Problem };
export type Decide = typeof decideOne;

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
  judges: Map<number, Judge>,
  decideEach: Decide = decideOne,
): Decided {
  const cannotText = textingProblem(recipients);
  if (cannotText) return { refused: cannotText };
  // One firm, one text: its lexicon says the same for every recipient.
  const verdict = judges.get(recipients[0]?.firmId ?? -1)?.(send.text) ?? null;
  return recipients.map((recipient) => decideEach(deps, send, knownRecipient(recipient), verdict));
}

/** A scheduled text can only be blocked here: the lexicon on the day it is due decides whether to hold or flag it. */
export function decideOne(
  deps: Deps,
  { advisorId, by, text, schedule }: Omit<Send, 'deps' | 'phones'>,
  to: Recipient,
  verdict: Verdict | null,
): Decision {
  const { memberId, phone, timeZone } = to;
  const at = schedule?.firstDate ?? deps.clock.now();
  const drafted = draftFor(deps, to, { advisorId, kind: 'text', text, by, verdict }, at);
  if ('refused' in drafted) {
    const refused = failure(phone, memberId, drafted.refused, { ...to, isScheduled: schedule !== null });
    return { failure: refused, blocked: drafted.blocked };
  }
  if (!schedule) return { draft: drafted.draft };
  return { scheduled: { advisorId, memberId, phone, text, timeZone, ...schedule, ...by } };
}

/** Accepts and schedules what was decided, inside a transaction. The texts get the first of `messageIds`. */
export async function carryOut(deps: Deps, decided: Decided[], messageIds: number[]): Promise<Result[]> {
  const decisions = decided.flatMap((each) => ('refused' in each ? [] : each));
  const drafts = decisions.flatMap((each) => ('draft' in each ? each.draft : []));
  const blocked = decisions.flatMap((each) => ('failure' in each ? (each.blocked ?? []) : []));
  const schedules = decisions.flatMap((each) => ('scheduled' in each ? each.scheduled : []));
  const others = schedules.map(({ advisorId }) => advisorId);
  const accepted = (await acceptDrafts(deps, drafts, { messageIds, blocked, others })).values();
  const scheduledIds = (await scheduleMessages(deps, schedules)).values();
  return decided.map((each) => ('refused' in each ? each : resultOf(each, { accepted, scheduledIds })));
}

type Made = { accepted: Iterator<Accepted>; scheduledIds: Iterator<number> };

function resultOf(decisions: Decision[], { accepted, scheduledIds }: Made): MessageResult {
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

function acceptedAs({ memberId, phone }: Recipient, { messageId, ...wait }: Accepted): Success {
  return { messageId, memberId, phone, ...statusAfter(wait) };
}

/** The status that an accepted text has at first. */
export function statusAfter({ awaitsConsent, held, deferredUntil }: Wait): Pick<Success, 'status' | 'deliverAfter'> {
  if (awaitsConsent) return { status: 'awaiting_consent' };
  if (held) return { status: 'held' };
  return deferredUntil ? { status: 'deferred', deliverAfter: deferredUntil.getTime() } : { status: 'queued' };
}
