import { type Deps, inTransaction } from '../../deps.ts';
import type {
  ScheduledMessageSort,
  ScheduledStatus,
  SentScheduledMessage,
} from '../../store/messages/scheduled-messages.ts';
import * as store from '../../store/messages/scheduled-messages.ts';
import type { By } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { type FailureCode, failureCodeOf } from '../shared/failure-codes.ts';
import { type Page, type PageRequest, pageOf, rowsOf } from '../shared/paging.ts';
import { nextOccurrences } from './recurrence.ts';
import { archiveChange } from './scheduled-message-entries.ts';

export type ScheduledMessage = Omit<SentScheduledMessage, 'firstDate' | 'timeZone' | 'reason'> & {
  reason: FailureCode | null;
  nextDeliveryDates: Date[];
};
type ScheduledMessageSearch = PageRequest<ScheduledMessageSort> & { status: ScheduledStatus };

export {
  type Frequency,
  type ScheduledStatus,
  scheduledMessageSorts,
} from '../../store/messages/scheduled-messages.ts';
export const scheduledStatuses: readonly ScheduledStatus[] = ['scheduled', 'skipped', 'completed', 'canceled'];

const nextDatesMax = 5;

export async function listScheduled(
  deps: Deps,
  advisorId: number,
  { status, ...page }: ScheduledMessageSearch,
): Promise<Page<ScheduledMessage>> {
  const { total, scheduledMessages } = await store.listScheduledMessages(deps.db, advisorId, status, rowsOf(page));
  return pageOf(page, total, scheduledMessages.map(withNextDates));
}

export async function getScheduled(
  deps: Deps,
  advisorId: number,
  scheduledMessageId: number,
): Promise<ScheduledMessage> {
  const found = await store.findScheduledMessage(deps.db, advisorId, scheduledMessageId);
  if (!found) throw unknown();
  return withNextDates(found);
}

/** A message that is being sent at the same moment is either canceled or goes out, never both. */
export async function cancelScheduled(
  deps: Deps,
  advisorId: number,
  scheduledMessageId: number,
  by: By,
): Promise<void> {
  await inTransaction(deps, async (deps) => {
    const canceled = await store.cancelScheduledMessage(deps.db, advisorId, scheduledMessageId);
    if (!canceled) throw await notScheduled(deps, advisorId, scheduledMessageId, 'there is nothing to cancel.');
    await archiveChange(deps, by, 'canceled', advisorId, canceled);
  });
}

function unknown() {
  return problem('not_found', 'There is no such scheduled message on the advisor’s account.');
}

/** What became of a message that is no longer scheduled, and what that means. */
export async function notScheduled(deps: Deps, advisorId: number, scheduledMessageId: number, so: string) {
  const found = await store.findScheduledMessage(deps.db, advisorId, scheduledMessageId);
  if (!found) return unknown();
  const what = {
    canceled: 'was canceled',
    skipped: `was skipped (${found.reason})`,
    completed: 'has gone out',
    scheduled: 'is scheduled',
  };
  return problem('not_found', `The scheduled message ${what[found.status]}, so ${so}`);
}

export function withNextDates({ firstDate, timeZone, ...row }: SentScheduledMessage): ScheduledMessage {
  const schedule = { firstDate, timeZone, frequency: row.frequency };
  const scheduled = row.status === 'scheduled';
  const nextDeliveryDates = scheduled ? nextOccurrences(schedule, row.deliveryDate, nextDatesMax) : [];
  return { ...row, reason: failureCodeOf(row.reason), nextDeliveryDates };
}
