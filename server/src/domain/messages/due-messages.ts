import { type Deps, inTransaction } from '../../deps.ts';
import { isRowFault } from '../../store/database/errors.ts';
import {
  type DueChange,
  type DueRow,
  hasDue,
  listHeldSchedules,
  lockDue,
  updateDue,
} from '../../store/messages/due-messages.ts';
import { drawMessageIds } from '../../store/texting/texts.ts';
import type { Screener } from '../ports.ts';
import type { FailureCode } from '../shared/failure-codes.ts';
import { inOneTurn } from '../shared/in-batches.ts';
import { endOf, requireRunning } from '../shared/signals.ts';
import { type AcceptedText, acceptDrafts, draftFor, type FlaggedDraft } from '../texting/drafts.ts';
import { ensureRecipients, knownRecipient, type Recipient, type UnknownNumber } from '../texting/recipients.ts';
import { type Draft, heldReasonOf } from '../texting/texts.ts';
import { nextAfter } from './recurrence.ts';
import { archiveDue } from './scheduled-message-entries.ts';

type DueDecision = { draft: Draft } | { skipped: FailureCode; blocked?: FlaggedDraft | undefined };
type DueBatch = { now: Date; limit: number; wait: boolean };

/** Small, so that a STOP waits for a moment only. */
const batchSize = 100;

/**
 * Sends every message that is due by now. A batch is one transaction that locks due messages, accepts their texts and moves
 * each on to its next date: a crash keeps all of that or none, and only one of two nodes gets the lock. Returns when
 * nothing that was due is left, on any node, or when this node is stopping. A message that fails by its own fault is skipped and reported.
 */
export async function sendDueMessages(deps: Deps, report: (fault: unknown) => void = () => {}): Promise<void> {
  if (deps.databaseClock.fault()) return;
  const now = deps.clock.now();
  if (!(await hasDue(deps.db, now))) return;
  const end = endOf(deps.signals);
  // First the messages that no other node has locked, so that nodes share the work; then the rest, in case a node failed.
  for (const wait of [false, true]) {
    let due: number;
    do due = await sendBatch(deps, { now, limit: batchSize, wait }, report);
    while (due > 0 && !end.aborted);
  }
}

/** Returns how many were due. One bad row must not hold up the others: each is then sent alone, and the bad one skipped. */
async function sendBatch(deps: Deps, batch: DueBatch, report: (fault: unknown) => void): Promise<number> {
  let due: DueRow[] = [];
  try {
    await inTransaction(deps, async (deps) => {
      due = inOneTurn(await lockDue(deps.db, batch.now, batch));
      await sendAll(deps, due, batch.now);
    });
  } catch (error) {
    const [first] = due;
    if (!first || !isRowFault(error)) throw error;
    if (due.length > 1)
      for (const _ of due) {
        requireRunning(deps);
        await sendBatch(deps, { ...batch, limit: 1 }, report);
      }
    else {
      report(error);
      await skipFaulty(deps, first, batch.now);
    }
  }
  return due.length;
}

async function skipFaulty(deps: Deps, row: DueRow, now: Date): Promise<void> {
  await inTransaction(deps, async (deps) => {
    const change = afterFault(row, now);
    if ((await updateDue(deps.db, [change])) > 0) await archiveDue(deps, [{ row, change, fired: null }]);
  });
}

async function sendAll(deps: Deps, due: DueRow[], now: Date): Promise<void> {
  if (due.length === 0) return;
  // Since a message was scheduled, its contact may have been deleted or have another number.
  const recipients = await ensureRecipients(deps, due);
  const screeners = await deps.screeners.of(
    deps.db,
    recipients.map(({ firmId }) => firmId),
  );
  const outcomes = await withoutPiles(
    deps,
    due,
    due.map((row, index) => outcomeOf(deps, row, recipients[index], { now, screeners })),
  );
  const drafts = outcomes.flatMap((outcome) => ('draft' in outcome ? outcome.draft : []));
  const blocked = outcomes.flatMap((outcome) => ('skipped' in outcome ? (outcome.blocked ?? []) : []));
  const messageIds = await drawMessageIds(deps.db, drafts.length);
  const others = due.map(({ advisorId }) => advisorId);
  const accepted = (await acceptDrafts(deps, drafts, { messageIds, blocked, others })).values();
  const changes = outcomes.map((outcome, index) => {
    const skipped = 'skipped' in outcome ? outcome.skipped : null;
    return afterSending(due[index] as DueRow, now, skipped);
  });
  const moved = await updateDue(deps.db, changes);
  // Rolls everything back: a message that stays due would go out again.
  if (moved < changes.length) throw new Error('A message that was due could not be moved on.');
  await archiveDue(
    deps,
    due.map((row, index) => ({
      row,
      change: changes[index] as DueChange,
      fired: 'draft' in (outcomes[index] as DueDecision) ? (accepted.next().value as AcceptedText) : null,
    })),
  );
}

function outcomeOf(
  deps: Deps,
  row: DueRow,
  recipient: Recipient | UnknownNumber | undefined,
  { now, screeners }: { now: Date; screeners: Map<number, Screener> },
): DueDecision {
  if (!recipient || recipient.disabled) return { skipped: 'account_disabled' };
  if (!recipient.textingNumber) return { skipped: 'no_texting_number' };
  const { advisorId, text, actor, traceId, scheduledMessageId } = row;
  const finding = screeners.get(recipient.firmId)?.(text) ?? null;
  const scheduled = { advisorId, kind: 'text', text, by: { actor, traceId }, scheduledMessageId, finding } as const;
  const drafted = draftFor(deps, knownRecipient(recipient), scheduled, now);
  return 'refused' in drafted ? { skipped: drafted.refused, blocked: drafted.blocked } : drafted;
}

/** A schedule doesn’t pile up texts that are held: all of them would go out at once when the firm has decided. */
async function withoutPiles({ db }: Deps, due: DueRow[], outcomes: DueDecision[]): Promise<DueDecision[]> {
  const isHeld = (outcome: DueDecision | undefined) =>
    outcome !== undefined && 'draft' in outcome && heldReasonOf(outcome.draft.to, outcome.draft.text) !== null;
  const held = due.filter((_, index) => isHeld(outcomes[index]));
  const piling = new Set(await listHeldSchedules(db, held));
  return outcomes.map((outcome, index) =>
    piling.has(due[index]?.scheduledMessageId ?? -1) ? { skipped: 'still_held' } : outcome,
  );
}

/** Missed occurrences count as one: the next one is the first in the future. */
function afterSending(row: DueRow, now: Date, skipped: FailureCode | null): DueChange {
  const next = nextAfter(row, now);
  if (!next) return ended(row, skipped);
  return { ...ended(row, skipped), deliveryDate: next.at, status: 'scheduled' };
}

/** If the fault is in the schedule itself, there is no next date. */
function afterFault(row: DueRow, now: Date): DueChange {
  try {
    return afterSending(row, now, 'internal_error');
  } catch {
    return ended(row, 'internal_error');
  }
}

function ended({ advisorId, scheduledMessageId, deliveryDate }: DueRow, skipped: FailureCode | null): DueChange {
  const status = skipped ? 'skipped' : 'completed';
  return { advisorId, scheduledMessageId, wasDue: deliveryDate, deliveryDate, status, reason: skipped };
}
