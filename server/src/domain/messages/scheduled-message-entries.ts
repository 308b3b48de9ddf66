import type { Deps } from '../../deps.ts';
import { insertEntries } from '../../store/archive/archive.ts';
import type { DueChange, DueRow } from '../../store/messages/due-messages.ts';
import type { NewScheduledMessage, ScheduledMessageRow } from '../../store/messages/scheduled-messages.ts';
import { insertScheduledMessages } from '../../store/messages/scheduled-messages.ts';
import { type By, byService } from '../archive/archive.ts';

/** Every change to a scheduled message is an archive entry, with the message as it is from then on as its body. */

export type NewSchedule = NewScheduledMessage & { phone: string };

type Change = {
  action: 'created' | 'canceled' | 'completed' | 'skipped' | 'repeated';
  advisorId: number;
  schedule: ScheduledMessageRow;
  by: By;
};

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

/** What happened to each message that was due; `changes` are in the same order. */
export async function archiveDue(deps: Deps, due: DueRow[], changes: DueChange[]): Promise<void> {
  const fired = changes.map((change, index): Change => {
    const { advisorId, actor: _actor, traceId: _traceId, ...row } = due[index] as DueRow;
    const { deliveryDate, status, reason } = change;
    const action = reason ? 'skipped' : status === 'completed' ? 'completed' : 'repeated';
    return { action, advisorId, schedule: { ...row, deliveryDate, status, reason }, by: byService };
  });
  await archiveChanges(deps, fired);
}

export async function archiveCanceled(
  deps: Deps,
  by: By,
  advisorId: number,
  schedule: ScheduledMessageRow,
): Promise<void> {
  await archiveChanges(deps, [{ action: 'canceled', advisorId, schedule, by }]);
}

async function archiveChanges(deps: Deps, changes: Change[]): Promise<void> {
  const entries = changes.map(({ action, advisorId, schedule, by }) => {
    const { scheduledMessageId, memberId, deliveryDate, reason } = schedule;
    const meta = { action, scheduledMessageId, deliveryDate, ...(reason ? { reason } : {}) };
    return { advisorId, kind: 'schedule', memberId, meta, body: JSON.stringify(bodyOf(schedule)), ...by } as const;
  });
  await insertEntries(deps.db, entries, deps.clock.now());
}

function bodyOf(schedule: ScheduledMessageRow) {
  const { scheduledMessageId, phone, text, firstDate, timeZone, frequency, deliveryDate, status, reason } = schedule;
  return { scheduledMessageId, phone, text, firstDate, timeZone, frequency, deliveryDate, status, reason };
}
