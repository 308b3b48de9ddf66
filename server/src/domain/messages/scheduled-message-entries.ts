import type { Deps } from '../../deps.ts';
import { insertEntries } from '../../store/archive/archive.ts';
import type { NewEvent } from '../../store/events/new-events.ts';
import type { DueChange, DueRow } from '../../store/messages/due-messages.ts';
import type { NewScheduledMessage, ScheduledMessageRow } from '../../store/messages/scheduled-messages.ts';
import { insertScheduledMessages } from '../../store/messages/scheduled-messages.ts';
import { type By, byService } from '../archive/archive.ts';

/** Every change to a scheduled message is an archive entry, with the message as it is from then on as its body. */

export type NewSchedule = NewScheduledMessage & { phone: string };

type Change = {
  action: 'created' | 'edited' | 'canceled' | 'completed' | 'skipped' | 'repeated';
  advisorId: number;
  schedule: ScheduledMessageRow;
  by: By;
  /** For partners. Without them, the advisor's own app is told. */
  events?: NewEvent[];
};
type FiredText = { messageId: number; held: boolean };

/** Schedules messages, for any number of advisors, and returns their ids in order. */
export async function scheduleMessages(deps: Deps, rows: NewSchedule[]): Promise<number[]> {
  const ids = await insertScheduledMessages(deps.db, rows, deps.clock.now());
  const created = rows.map(({ advisorId, actor, traceId, ...row }, index): Change => {
    const next = { deliveryDate: row.firstDate, status: 'scheduled', reason: null } as const;
    const schedule = { scheduledMessageId: ids[index] ?? -1, ...row, ...next };
    return { action: 'created', advisorId, schedule, by: { actor, traceId } };
  });
  await archiveChanges(deps, created);
  return ids;
}

/** What happened to each message that was due: `change`, and the text that it became, unless it was skipped. */
export async function archiveDue(
  deps: Deps,
  due: { row: DueRow; change: DueChange; fired: FiredText | null }[],
): Promise<void> {
  const changes = due.map(({ row: { advisorId, actor: _actor, traceId: _traceId, ...row }, change, fired }): Change => {
    const { deliveryDate, status, reason } = change;
    const action = reason ? 'skipped' : status === 'completed' ? 'completed' : 'repeated';
    const schedule = { ...row, deliveryDate, status, reason };
    return { action, advisorId, schedule, by: byService, events: eventsOf(advisorId, schedule, fired) };
  });
  await archiveChanges(deps, changes);
}

/** The send answered `scheduled`, so the first status of the text is news, too. */
function eventsOf(
  advisorId: number,
  { scheduledMessageId, memberId, reason }: ScheduledMessageRow,
  fired: FiredText | null,
): NewEvent[] {
  const of = { advisorId, memberId, scheduledMessageId };
  if (!fired) return [{ ...of, type: 'scheduled_message.skipped', reason: reason ?? 'internal_error' }];
  const { messageId, held } = fired;
  const status = held ? 'held' : 'queued';
  return [
    { ...of, type: 'scheduled_message.fired', messageId },
    { ...of, type: 'message.status', messageId, status, failureCode: null },
  ];
}

export async function archiveChange(
  deps: Deps,
  by: By,
  action: 'edited' | 'canceled',
  advisorId: number,
  schedule: ScheduledMessageRow,
): Promise<void> {
  await archiveChanges(deps, [{ action, advisorId, schedule, by }]);
}

async function archiveChanges(deps: Deps, changes: Change[]): Promise<void> {
  const entries = changes.map(({ action, advisorId, schedule, by, events }) => {
    const { scheduledMessageId, memberId, deliveryDate, reason } = schedule;
    const changed: NewEvent = { type: 'conversation.changed', advisorId, memberId, scheduledMessageId };
    const meta = { action, scheduledMessageId, deliveryDate, ...(reason ? { reason } : {}) };
    const body = JSON.stringify(bodyOf(schedule));
    return { advisorId, kind: 'schedule', memberId, meta, body, ...by, events: events ?? [changed] } as const;
  });
  await insertEntries(deps.db, entries, deps.clock.now());
}

function bodyOf(schedule: ScheduledMessageRow) {
  const { scheduledMessageId, phone, text, firstDate, timeZone, frequency, deliveryDate, status, reason } = schedule;
  return { scheduledMessageId, phone, text, firstDate, timeZone, frequency, deliveryDate, status, reason };
}
