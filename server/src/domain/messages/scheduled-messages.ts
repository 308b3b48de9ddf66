import type { Deps } from '../../deps.ts';
import { listRecipients, type RecipientRow } from '../../store/messages/messages.ts';
import type {
  DueRow,
  FiredChange,
  ScheduledMessageRow,
  ScheduledMessageSort,
  ScheduledStatus,
} from '../../store/messages/scheduled-messages.ts';
import * as store from '../../store/messages/scheduled-messages.ts';
import type { By } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { type Page, type PageRequest, pageOf, rowsOf } from '../shared/paging.ts';
import { type Judge, judgesOf } from '../supervision/lexicons.ts';
import { type Judged, takeSupervised } from '../supervision/supervision.ts';
import { gate, type Recipient, type RefusalCode } from '../texting/gate.ts';
import { ensureMembers, isUnknown } from '../texting/members.ts';
import type { Draft } from '../texting/texts.ts';
import { nextAfter, nextOccurrences } from './recurrence.ts';
import { archiveCanceled, archiveFired } from './scheduled-message-entries.ts';

export type ScheduledMessage = Omit<ScheduledMessageRow, 'firstDate' | 'timeZone'> & { nextDeliveryDates: Date[] };
export type ScheduledMessageSearch = PageRequest<ScheduledMessageSort> & { status: ScheduledStatus };
/** Why nothing went out when it was due. */
export type SkipReason = RefusalCode | 'account_disabled' | 'no_texting_number' | 'internal_error';
type Outcome = { draft: Draft } | { skipped: SkipReason; blocked?: Judged };
type Some = { now: Date; limit: number; wait: boolean };

export { type ScheduledStatus, scheduledMessageSorts } from '../../store/messages/scheduled-messages.ts';
export const scheduledStatuses: readonly ScheduledStatus[] = ['scheduled', 'skipped', 'completed', 'canceled'];

const batchSize = 500;
const nextDatesMax = 5;

/**
 * Fires all that is due by now. A batch is one transaction, which locks what is due, takes its texts on and moves it
 * along: a crash keeps all of that or none, and of two nodes only one gets the lock. Returns when nothing that was due
 * is left, on any node. What fails by its own fault is skipped and reported.
 */
export async function fireDue(deps: Deps, report: (fault: unknown) => void = () => {}): Promise<void> {
  if (!deps.carrier) return;
  const now = deps.clock.now();
  // First what nobody else is at, so that nodes share the work; then what somebody was at, in case they failed.
  for (const wait of [false, true]) {
    let fired: number;
    do fired = await fireSome(deps, { now, limit: batchSize, wait }, report);
    while (fired > 0);
  }
}

export async function listScheduled(
  deps: Deps,
  advisorId: number,
  { status, ...page }: ScheduledMessageSearch,
): Promise<Page<ScheduledMessage>> {
  const { total, scheduledMessages } = await store.listScheduledMessages(deps.db, advisorId, status, rowsOf(page));
  return pageOf(page, total, scheduledMessages.map(withNextDates));
}

/** What is being fired at the same moment is either canceled or goes out, never both. */
export async function cancelScheduled(
  deps: Deps,
  advisorId: number,
  scheduledMessageId: number,
  by: By,
): Promise<void> {
  await deps.db.transaction(async (db) => {
    const canceled = await store.cancelScheduledMessage(db, advisorId, scheduledMessageId);
    if (!canceled) throw problem('not_found', 'There is no such scheduled message.');
    await archiveCanceled({ ...deps, db }, by, advisorId, canceled);
  });
}

/** How many were due. One bad row must not hold up its neighbours: then each is fired alone, and that one skipped. */
async function fireSome(deps: Deps, some: Some, report: (fault: unknown) => void): Promise<number> {
  let due: DueRow[] = [];
  try {
    await deps.db.transaction(async (db) => {
      due = await store.lockDue(db, some.now, some);
      await fire({ ...deps, db }, due, some.now);
    });
  } catch (error) {
    const [first] = due;
    if (!first || !isFaultOfRow(error)) throw error;
    if (due.length > 1) for (const _ of due) await fireSome(deps, { ...some, limit: 1 }, report);
    else {
      report(error);
      await skipFaulty(deps, first, some.now);
    }
  }
  return due.length;
}

async function skipFaulty(deps: Deps, row: DueRow, now: Date): Promise<void> {
  await deps.db.transaction(async (db) => {
    const change = afterFault(row, now);
    if ((await store.updateFired(db, [change])) > 0) await archiveFired({ ...deps, db }, [row], [change]);
  });
}

async function fire(deps: Deps, due: DueRow[], now: Date): Promise<void> {
  if (due.length === 0) return;
  const recipients = await listRecipients(deps.db, due);
  // Known by the time a text is accepted; unknown again when the contact was deleted or its number edited since.
  const unknown = due.filter((_, index) => isUnknown(recipients[index]));
  if (unknown.length > 0) await ensureMembers(deps, unknown);
  const judges = await judgesOf(
    deps,
    recipients.map(({ firmId }) => firmId),
  );
  const outcomes = due.map((row, index) => outcomeOf(deps, row, recipients[index], { now, judges }));
  const drafts = outcomes.flatMap((outcome) => ('draft' in outcome ? outcome.draft : []));
  const blocked = outcomes.flatMap((outcome) => ('skipped' in outcome ? (outcome.blocked ?? []) : []));
  await takeSupervised(deps, drafts, { blocked, others: due.map(({ advisorId }) => advisorId) });
  const changes = outcomes.map((outcome, index) => {
    const skipped = 'skipped' in outcome ? outcome.skipped : null;
    return afterFiring(due[index] as DueRow, now, skipped);
  });
  const moved = await store.updateFired(deps.db, changes);
  // Undoes it all: what stays where it is would go out again.
  if (moved < changes.length) throw new Error('Something that was due could not be moved along.');
  await archiveFired(deps, due, changes);
}

function outcomeOf(
  deps: Deps,
  row: DueRow,
  recipient: RecipientRow | undefined,
  { now, judges }: { now: Date; judges: Map<number, Judge> },
): Outcome {
  if (!recipient || recipient.disabled) return { skipped: 'account_disabled' };
  if (!recipient.textingNumber) return { skipped: 'no_texting_number' };
  const { advisorId, phone, text, actor, traceId, scheduledMessageId } = row;
  // A number that something is scheduled for is a member, so it has these two.
  const to = { ...recipient, phone } as Recipient;
  const decision = gate(deps, to, 'text', now);
  if ('refused' in decision) return { skipped: decision.refused };
  const by = { actor, traceId };
  const common = { advisorId, kind: 'text', text, by, hours: decision.allowed, scheduledMessageId } as const;
  const verdict = judges.get(recipient.firmId)?.(text) ?? null;
  if (verdict?.action !== 'block') return { draft: { to, text: { ...common, verdict } } };
  return { skipped: 'text_blocked', blocked: { to, text: { ...common, verdict } } };
}

/** Occurrences that were missed together count as one: the next is the first that is still to come. */
function afterFiring(row: DueRow, now: Date, skipped: SkipReason | null): FiredChange {
  const next = nextAfter(scheduleOf(row), now);
  if (!next) return ended(row, skipped);
  return { ...ended(row, skipped), deliveryDate: next.at, status: 'scheduled' };
}

/** The fault may be in what its next date would come from: then it has none. */
function afterFault(row: DueRow, now: Date): FiredChange {
  try {
    return afterFiring(row, now, 'internal_error');
  } catch {
    return ended(row, 'internal_error');
  }
}

function ended({ advisorId, scheduledMessageId, deliveryDate }: DueRow, skipped: SkipReason | null): FiredChange {
  const status = skipped ? 'skipped' : 'completed';
  return { advisorId, scheduledMessageId, wasDue: deliveryDate, deliveryDate, status, reason: skipped };
}

/** A value that PostgreSQL or a calendar can't take: it would fail again. Any other fault passes, or is everybody's. */
function isFaultOfRow(error: unknown): boolean {
  if (error instanceof RangeError) return true;
  return error instanceof Error && 'code' in error && /^2[23]...$/.test(String(error.code));
}

function withNextDates({ firstDate, timeZone, ...row }: ScheduledMessageRow): ScheduledMessage {
  const schedule = scheduleOf({ firstDate, timeZone, ...row });
  const scheduled = row.status === 'scheduled';
  return { ...row, nextDeliveryDates: scheduled ? nextOccurrences(schedule, row.deliveryDate, nextDatesMax) : [] };
}

function scheduleOf({ firstDate, timeZone, frequency }: Pick<DueRow, 'firstDate' | 'timeZone' | 'frequency'>) {
  return { first: firstDate, timeZone, frequency };
}
