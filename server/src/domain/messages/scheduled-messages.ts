import { type Deps, inTransaction } from '../../deps.ts';
import type {
  ScheduledMessageRow,
  ScheduledMessageSort,
  ScheduledStatus,
} from '../../store/messages/scheduled-messages.ts';
import * as store from '../../store/messages/scheduled-messages.ts';
import type { By } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { type Page, type PageRequest, pageOf, rowsOf } from '../shared/paging.ts';
import { nextOccurrences } from './recurrence.ts';
import { archiveCanceled } from './scheduled-message-entries.ts';

export type ScheduledMessage = Omit<ScheduledMessageRow, 'firstDate' | 'timeZone'> & { nextDeliveryDates: Date[] };
export type ScheduledMessageSearch = PageRequest<ScheduledMessageSort> & { status: ScheduledStatus };

export { type ScheduledStatus, scheduledMessageSorts } from '../../store/messages/scheduled-messages.ts';
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

/** A message that is being sent at the same moment is either canceled or goes out, never both. */
export async function cancelScheduled(
  deps: Deps,
  advisorId: number,
  scheduledMessageId: number,
  by: By,
): Promise<void> {
  await inTransaction(deps, async (deps) => {
    const canceled = await store.cancelScheduledMessage(deps.db, advisorId, scheduledMessageId);
    if (!canceled) throw notScheduled(await store.findScheduledStatus(deps.db, advisorId, scheduledMessageId));
    await archiveCanceled(deps, by, advisorId, canceled);
  });
}

function notScheduled(status: ScheduledStatus | null) {
  if (status === null) return problem('not_found', 'There is no such scheduled message on the advisor’s account.');
  const what = {
    canceled: 'was canceled',
    skipped: 'was skipped',
    completed: 'has gone out',
    scheduled: 'is scheduled',
  };
  return problem('not_found', `The scheduled message ${what[status]}, so there is nothing to cancel.`);
}

function withNextDates({ firstDate, timeZone, ...row }: ScheduledMessageRow): ScheduledMessage {
  const schedule = { firstDate, timeZone, frequency: row.frequency };
  const scheduled = row.status === 'scheduled';
  return { ...row, nextDeliveryDates: scheduled ? nextOccurrences(schedule, row.deliveryDate, nextDatesMax) : [] };
}
