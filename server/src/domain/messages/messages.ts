import type { Deps } from '../../deps.ts';
import type { Batch } from '../../store/database/db.ts';
import * as store from '../../store/messages/messages.ts';
import type { By } from '../archive/archive.ts';
import type { Judge, Verdict } from '../ports.ts';
import { invalid, type Problem, problem } from '../problems.ts';
import { dayMs } from '../shared/time.ts';
import { type Accepted, acceptDrafts, draftFor, type Judged } from '../supervision/supervision.ts';
import { type Failure, failure } from '../texting/failures.ts';
import { ensureRecipients, isKnown, type Recipient, type UnknownNumber } from '../texting/recipients.ts';
import { type Draft, textingProblem } from '../texting/texts.ts';
import { type NewSchedule, scheduleMessages } from './scheduled-message-entries.ts';

export type MessageInput = {
  text: string;
  phone?: string;
  phoneNumbers?: string[];
  scheduleDelivery?: boolean;
  deliveryDate?: number;
  frequency?: number;
};
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
export type Message = store.MessageRow;

export const messageStatuses = [
  'queued',
  'sent',
  'delivered',
  'undelivered',
  'failed',
  'in_doubt',
  'held',
] as const satisfies store.MessageStatus[];

/** What a send answers for a recipient it accepted. */
export const acceptedStatuses = ['queued', 'held', 'deferred', 'scheduled'] as const;

export const heldReasons = ['supervision', 'possible_opt_out'] as const satisfies store.MessageRow['heldReason'][];

const daysAheadMax = 731;
/** A smaller delivery date is in seconds: in milliseconds it would be before 1973. */
const millisecondsMin = 1e11;

/** What happens to one recipient. */
type Decision = { failure: Failure; blocked: Judged | undefined } | { draft: Draft } | { scheduled: NewSchedule };
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
  const phones = [...new Set([input.phone, ...(input.phoneNumbers ?? [])].filter((phone) => phone !== undefined))];
  if (phones.length === 0) throw noRecipient();
  requireScheduleDelivery(input);
  const schedule = input.scheduleDelivery ? scheduleOf(deps.clock.now(), input) : null;
  const result = await deps.db.batch(sending, { deps, advisorId, by, phones, text: input.text, schedule });
  if ('refused' in result) throw result.refused;
  return result;
}

export async function getMessage(deps: Deps, advisorId: number, messageId: number): Promise<Message> {
  const message = await store.findMessage(deps.db, advisorId, messageId);
  if (!message) throw problem('not_found', 'There is no such message on the advisor’s account.');
  return message;
}

/** Many sends, for any advisors, in one transaction and in order of arrival. */
const sending: Batch<Send, Result> = {
  weigh: ({ phones }) => phones.length,
  async run(db, sends) {
    const [first] = sends;
    if (!first) return [];
    const deps = { ...first.deps, db };
    const recipients = await findRecipients(deps, sends);
    const judges = await deps.judges.of(
      deps.db,
      recipients.flatMap((rows) => rows[0]?.firmId ?? []),
    );
    const decided = sends.map((send, index) => decide(deps, send, recipients[index] ?? [], judges));
    const decisions = decided.flatMap((each) => ('refused' in each ? [] : each));
    const drafts = decisions.flatMap((each) => ('draft' in each ? each.draft : []));
    const blocked = decisions.flatMap((each) => ('failure' in each ? (each.blocked ?? []) : []));
    const schedules = decisions.flatMap((each) => ('scheduled' in each ? each.scheduled : []));
    const others = schedules.map(({ advisorId }) => advisorId);
    const accepted = (await acceptDrafts(deps, drafts, { blocked, others })).values();
    const scheduledIds = (await scheduleMessages(deps, schedules)).values();
    return decided.map((each) => ('refused' in each ? each : resultOf(each, { accepted, scheduledIds })));
  },
};

/** The recipients of each send. */
async function findRecipients(deps: Deps, sends: Send[]): Promise<(Recipient | UnknownNumber)[][]> {
  const numbers = sends.flatMap(({ advisorId, phones }) => phones.map((phone) => ({ advisorId, phone })));
  const rows = await ensureRecipients(deps, numbers);
  let start = 0;
  return sends.map(({ phones }) => {
    start += phones.length;
    return rows.slice(start - phones.length, start);
  });
}

function decide(
  deps: Deps,
  send: Send,
  recipients: (Recipient | UnknownNumber)[],
  judges: Map<number, Judge>,
): Decision[] | { refused: Problem } {
  const cannotText = textingProblem(deps, recipients);
  if (cannotText) return { refused: cannotText };
  // Numbers stay unknown only on an account that was disabled since the request was let in.
  if (!recipients.every(isKnown))
    return { refused: problem('unauthorized', 'The advisor’s account is disabled. Contact the operator.') };
  // One firm, one text: its lexicon says the same for every recipient.
  const verdict = judges.get(recipients[0]?.firmId ?? -1)?.(send.text) ?? null;
  return recipients.map((recipient) => decideOne(deps, send, recipient, verdict));
}

/** A scheduled text can only be blocked here: the lexicon on the day it is due decides whether to hold or flag it. */
function decideOne(
  deps: Deps,
  { advisorId, by, text, schedule }: Send,
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

function acceptedAs({ memberId, phone }: Recipient, { messageId, held, deferredUntil }: Accepted): Success {
  const success = { messageId, memberId, phone };
  if (held) return { ...success, status: 'held' };
  return deferredUntil
    ? { ...success, status: 'deferred', deliverAfter: deferredUntil.getTime() }
    : { ...success, status: 'queued' };
}

/** A forgotten flag must not text somebody today. */
function requireScheduleDelivery({ scheduleDelivery, deliveryDate, frequency }: MessageInput): void {
  if (scheduleDelivery !== undefined) return;
  const given = { deliveryDate, ...(frequency ? { frequency } : {}) };
  const broken = Object.entries(given).flatMap(([field, value]) =>
    value === undefined ? [] : { path: `/${field}`, rule: 'scheduleDelivery', message: needsFlag(field) },
  );
  if (broken.length > 0) throw invalid(broken);
}

function needsFlag(field: string): string {
  return `${field} needs scheduleDelivery: set it to true to schedule the text, or to false to send it at once.`;
}

function scheduleOf(now: Date, { deliveryDate, frequency = 0 }: MessageInput): Send['schedule'] {
  if (deliveryDate === undefined) throw badDate('required', 'is required when scheduleDelivery is true');
  const atMs = Math.trunc(deliveryDate < millisecondsMin ? deliveryDate * 1000 : deliveryDate);
  if (atMs <= now.getTime())
    throw badDate('future', `must be in the future, in epoch milliseconds: it is ${now.toISOString()} now`);
  if (atMs > now.getTime() + daysAheadMax * dayMs)
    throw badDate('daysAhead', `must be at most ${daysAheadMax} days ahead, in epoch milliseconds`);
  return { firstDate: new Date(atMs), frequency };
}

function badDate(rule: string, what: string) {
  return invalid([{ path: '/deliveryDate', rule, message: `deliveryDate ${what}.` }]);
}

function noRecipient() {
  return invalid([{ path: '/phone', rule: 'required', message: 'phone or phoneNumbers is required.' }]);
}
