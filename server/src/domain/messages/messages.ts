import type { Deps } from '../../deps.ts';
import type { Batch } from '../../store/database/coalescer.ts';
import type { RecipientRow } from '../../store/messages/messages.ts';
import * as store from '../../store/messages/messages.ts';
import type { By } from '../archive/archive.ts';
import { invalid, type Problem, problem } from '../problems.ts';
import { dayMs } from '../shared/days.ts';
import { type Judge, judgesOf } from '../supervision/lexicons.ts';
import { type Judged, takeSupervised } from '../supervision/supervision.ts';
import { type Failure, failure } from '../texting/failures.ts';
import { gate, type Recipient } from '../texting/gate.ts';
import { ensureMembers, isUnknown } from '../texting/members.ts';
import type { Verdict } from '../texting/texts.ts';
import { type Draft, noCarrier } from '../texting/texts.ts';
import { type NewSchedule, takeSchedules } from './scheduled-message-entries.ts';

export type MessageInput = {
  text: string;
  phone?: string;
  phoneNumbers?: string[];
  scheduleDelivery?: boolean;
  deliveryDate?: number;
  frequency?: number;
};
export type MessageResult = { successes: Success[]; failures: Failure[] };
export type Success = { messageId: number | null; memberId: number; scheduledMessageId?: number };
export type Message = store.MessageRow & { status: store.MessageStatus };

export const messageStatuses = [
  'queued',
  'sent',
  'delivered',
  'undelivered',
  'failed',
  'in_doubt',
  'held',
] as const satisfies store.MessageStatus[];

const daysAheadMax = 731;
/** Below this a delivery date is read as seconds: as milliseconds it would be before 1973. */
const millisecondsMin = 1e11;

/** What becomes of one recipient. */
type Decision =
  | { failure: Failure; blocked?: Judged }
  | { memberId: number; draft: Draft }
  | { memberId: number; scheduled: NewSchedule };
type Result = MessageResult | { refused: Problem };

type Send = {
  deps: Deps;
  advisorId: number;
  by: By;
  phones: string[];
  text: string;
  schedule: { firstDate: Date; frequency: number } | null;
};

/** Sends or schedules a text, with an outcome for each recipient. */
export async function sendMessage(deps: Deps, advisorId: number, input: MessageInput, by: By): Promise<MessageResult> {
  if (!deps.carrier) throw noCarrier();
  const phones = [...new Set([input.phone, ...(input.phoneNumbers ?? [])].filter((phone) => phone !== undefined))];
  if (phones.length === 0) throw noRecipient();
  const schedule = input.scheduleDelivery ? scheduleOf(deps.clock.now(), input) : null;
  const result = await deps.db.batch(sending, { deps, advisorId, by, phones, text: input.text, schedule });
  if ('refused' in result) throw result.refused;
  return result;
}

export async function getMessage(deps: Deps, advisorId: number, messageId: number): Promise<Message> {
  const message = await store.findMessage(deps.db, advisorId, messageId);
  if (!message) throw problem('not_found', 'There is no such message.');
  // Being submitted is ours to know: for everybody else it still waits.
  return { ...message, status: message.status === 'submitting' ? 'queued' : message.status };
}

/** Many sends, of any advisors, in one transaction and in the order in which they came. */
const sending: Batch<Send, Result> = {
  weigh: ({ phones }) => phones.length,
  async run(db, sends) {
    const [first] = sends;
    if (!first) return [];
    const deps = { ...first.deps, db };
    const recipients = await findRecipients(deps, sends);
    const judges = await judgesOf(
      deps,
      recipients.flatMap((rows) => rows[0]?.firmId ?? []),
    );
    const decided = sends.map((send, index) => decide(deps, send, recipients[index] ?? [], judges));
    const decisions = decided.flatMap((each) => ('refused' in each ? [] : each));
    const drafts = decisions.flatMap((each) => ('draft' in each ? each.draft : []));
    const blocked = decisions.flatMap((each) => ('failure' in each ? (each.blocked ?? []) : []));
    const schedules = decisions.flatMap((each) => ('scheduled' in each ? each.scheduled : []));
    const others = schedules.map(({ advisorId }) => advisorId);
    const messageIds = (await takeSupervised(deps, drafts, { blocked, others })).values();
    const scheduledIds = (await takeSchedules(deps, schedules)).values();
    return decided.map((each) => ('refused' in each ? each : resultOf(each, { messageIds, scheduledIds })));
  },
};

/** What is known of each number of each send; an unknown one is made known first, whatever becomes of its text. */
async function findRecipients(deps: Deps, sends: Send[]): Promise<RecipientRow[][]> {
  const numbers = sends.flatMap(({ advisorId, phones }) => phones.map((phone) => ({ advisorId, phone })));
  let rows = await store.listRecipients(deps.db, numbers);
  const unknown = numbers.filter((_, index) => isUnknown(rows[index]));
  if (unknown.length > 0) {
    await ensureMembers(deps, unknown);
    rows = await store.listRecipients(deps.db, numbers);
  }
  let start = 0;
  return sends.map(({ phones }) => {
    start += phones.length;
    return rows.slice(start - phones.length, start);
  });
}

function decide(
  deps: Deps,
  send: Send,
  recipients: RecipientRow[],
  judges: Map<number, Judge>,
): Decision[] | { refused: Problem } {
  if (recipients.some(({ textingNumber }) => !textingNumber)) return { refused: noTextingNumber() };
  // One firm, one text: what its lexicon says is the same for every recipient.
  const verdict = judges.get(recipients[0]?.firmId ?? -1)?.(send.text) ?? null;
  return send.phones.map((phone, index) =>
    decideOne(deps, send, { ...recipients[index], phone } as Recipient, verdict),
  );
}

/** A schedule's text is only blocked here: whether it is held or flagged is for the lexicon of the day it is due. */
function decideOne(
  deps: Deps,
  { advisorId, by, text, schedule }: Send,
  to: Recipient,
  verdict: Verdict | null,
): Decision {
  const { memberId, phone, timeZone } = to;
  const decision = gate(deps, to, 'text', schedule?.firstDate ?? deps.clock.now());
  if ('refused' in decision) return { failure: failure(phone, memberId, decision.refused, to) };
  const common = { advisorId, kind: 'text', text, by } as const;
  if (verdict?.action === 'block') {
    const blocked = { to, text: { ...common, verdict } };
    return { failure: failure(phone, memberId, 'text_blocked', to), blocked };
  }
  if (!schedule) return { memberId, draft: { to, text: { ...common, hours: decision.allowed, verdict } } };
  return { memberId, scheduled: { advisorId, memberId, phone, text, timeZone, ...schedule, ...by } };
}

type Ids = { messageIds: Iterator<number>; scheduledIds: Iterator<number> };

function resultOf(decisions: Decision[], { messageIds, scheduledIds }: Ids): MessageResult {
  const result: MessageResult = { successes: [], failures: [] };
  for (const each of decisions) {
    if ('failure' in each) result.failures.push(each.failure);
    else if ('draft' in each) result.successes.push({ messageId: messageIds.next().value, memberId: each.memberId });
    else
      result.successes.push({
        messageId: null,
        memberId: each.memberId,
        scheduledMessageId: scheduledIds.next().value,
      });
  }
  return result;
}

function scheduleOf(now: Date, { deliveryDate, frequency = 0 }: MessageInput): Send['schedule'] {
  if (deliveryDate === undefined) throw badDate('required', 'is required when scheduleDelivery is true');
  const atMs = Math.trunc(deliveryDate < millisecondsMin ? deliveryDate * 1000 : deliveryDate);
  if (atMs <= now.getTime()) throw badDate('future', 'must be in the future');
  if (atMs > now.getTime() + daysAheadMax * dayMs)
    throw badDate('daysAhead', `must be at most ${daysAheadMax} days ahead`);
  return { firstDate: new Date(atMs), frequency };
}

function badDate(rule: string, what: string) {
  return invalid([{ path: '/deliveryDate', rule, message: `deliveryDate ${what}.` }]);
}

function noRecipient() {
  return invalid([{ path: '/phone', rule: 'required', message: 'phone is required, or phoneNumbers.' }]);
}

function noTextingNumber() {
  return problem('conflict', 'The advisor’s account has no texting number. Contact the operator.');
}
