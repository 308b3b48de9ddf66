import type { Deps } from '../../deps.ts';
import type { Batch } from '../../store/database/db.ts';
import { listMessages as listPage, type MessageFilter, updateTextCount } from '../../store/messages/message-pages.ts';
import * as store from '../../store/messages/messages.ts';
import { listRecipients } from '../../store/texting/recipients.ts';
import type { By } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { type FailureCode, failureCodeOf } from '../shared/failure-codes.ts';
import { type Page, pageOf, rowsOf } from '../shared/paging.ts';
import { ensureMembers, ensureRecipients, expectRecipients, isKnown, type Recipient } from '../texting/recipients.ts';
import { type MessageInput, readMessage } from './message-input.ts';
import {
  askAll,
  carryOut,
  decide,
  decideWaiting,
  drawIds,
  type MessageResult,
  numbersOf,
  problemOf,
  type Send,
  type SendResult,
  splitBySend,
} from './sends.ts';

export type Message = Omit<store.MessageRow, 'failureCode'> & { failureCode: FailureCode | null };
type MessageSearch = MessageFilter & { page: number; pageSize: number };

export const messageStatuses = [
  'queued',
  'sent',
  'delivered',
  'undelivered',
  'failed',
  'in_doubt',
  'held',
  'awaiting_consent',
] as const satisfies store.MessageStatus[];

/** The list has one order. */
export const messageSort = 'dateTimeCreated';

/** At most this many texts are recounted per request. */
const uncountedMax = 20_000;
/** After this delay, every text with an earlier time has been committed. */
const countedAfterMs = 60 * 60 * 1000;

export const heldReasons = ['supervision', 'possible_opt_out'] as const satisfies store.MessageRow['heldReason'][];

/** Sends or schedules a text, with an outcome for each recipient. */
export async function sendMessage(deps: Deps, advisorId: number, input: MessageInput, by: By): Promise<MessageResult> {
  const message = readMessage(deps.clock.now(), input);
  const batch = message.whenConsented ? sendingWhenConsented : sending;
  const result = await deps.db.batch(batch, { deps, advisorId, by, ...message });
  if ('refused' in result) throw result.refused;
  return result;
}

export async function getMessage(deps: Deps, advisorId: number, messageId: number): Promise<Message> {
  const message = await store.findMessage(deps.db, advisorId, messageId);
  if (!message) throw problem('not_found', 'There is no such message on the advisor’s account.');
  return inOurWords(message);
}

/** The advisor's texts, newest first: no consent requests and no confirmations. */
export async function listMessages(
  deps: Deps,
  advisorId: number,
  { page, pageSize, ...filter }: MessageSearch,
): Promise<Page<Message>> {
  const newestFirst = { page, pageSize, sortBy: messageSort, sortDirection: 'desc' } as const;
  const { total, uncounted, messages } = await listPage(deps.db, advisorId, filter, rowsOf(newestFirst));
  if (uncounted >= uncountedMax) {
    const upTo = new Date(deps.clock.now().getTime() - countedAfterMs);
    await updateTextCount(deps.db, advisorId, { upTo, atLeast: uncountedMax });
  }
  return pageOf(newestFirst, total, messages.map(inOurWords));
}

function inOurWords(row: store.MessageRow): Message {
  return { ...row, failureCode: failureCodeOf(row.failureCode) };
}

/** A batch is full at 2,000: so many recipients, or as much text as is read in 10 ms. */
function weightOf({ phones, text }: Send): number {
  return phones.length + text.length / 32;
}

/** Many sends, for any advisors, in one transaction and in order of arrival. */
const sending: Batch<Send, SendResult> = {
  advisorOf: ({ advisorId }) => advisorId,
  weigh: weightOf,
  async run(db, sends) {
    const [first] = sends;
    if (!first) return [];
    const deps = { ...first.deps, db };
    // One round trip, since both are sent before either is answered. With the ids known, nobody waits for the insert's rows.
    const [rows, messageIds] = await Promise.all([ensureRecipients(deps, numbersOf(sends)), drawIds(deps, sends)]);
    const recipients = splitBySend(sends, rows);
    const screeners = await deps.screeners.of(
      deps.db,
      recipients.flatMap((rows) => rows[0]?.firmId ?? []),
    );
    const decided = sends.map((send, index) => decide(deps, send, recipients[index] ?? [], screeners));
    return carryOut(deps, decided, messageIds);
  },
};

/**
 * Sends with `whenConsented`: people who haven't consented are asked, and their texts wait for the response. Everybody is locked
 * first, so that a response either comes before, and the text goes out, or after, and finds the text.
 */
const sendingWhenConsented: Batch<Send, SendResult> = {
  advisorOf: ({ advisorId }) => advisorId,
  weigh: weightOf,
  async run(db, sends) {
    const [first] = sends;
    if (!first) return [];
    const deps = { ...first.deps, db };
    const expected: Recipient[][] = [];
    for (const send of sends) expected.push((await expectRecipients(deps, numbersOf([send]))).map(({ to }) => to));
    const screeners = await deps.screeners.of(
      deps.db,
      expected.flatMap(([to]) => to?.firmId ?? []),
    );
    const problems = sends.map((send, index) => {
      const [to, ...others] = expected[index] ?? [];
      return to ? problemOf(deps, send, [to, ...others], screeners.get(to.firmId)?.(send.text) ?? null) : null;
    });
    const able = sends.filter((_, index) => !problems[index]);
    await ensureMembers(deps, numbersOf(able));
    const recipients = splitBySend(sends, await listRecipients(deps.db, numbersOf(sends)));
    const decideEach = await decideWaiting(deps, recipients.flat().filter(isKnown));
    const decided = sends.map((send, index) => {
      const refused = problems[index];
      return refused ? { refused } : decide(deps, send, recipients[index] ?? [], screeners, decideEach);
    });
    await askAll(deps, sends, decided);
    return carryOut(deps, decided, await drawIds(deps, sends));
  },
};
