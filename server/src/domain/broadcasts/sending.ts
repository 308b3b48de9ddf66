import { type Deps, inTransaction } from '../../deps.ts';
import type { DueBroadcast } from '../../store/broadcasts/broadcasts.ts';
import { hasDueBroadcast, lockDueBroadcast, updateBroadcast } from '../../store/broadcasts/broadcasts.ts';
import type { RecipientChange, WaitingRecipient } from '../../store/broadcasts/recipients.ts';
import { listWaiting, updateRecipients } from '../../store/broadcasts/recipients.ts';
import { isRowFault } from '../../store/database/errors.ts';
import { insertEvents } from '../../store/events/new-events.ts';
import { drawMessageIds } from '../../store/texting/texts.ts';
import { byService } from '../archive/archive.ts';
import type { Screener } from '../ports.ts';
import type { FailureCode } from '../shared/failure-codes.ts';
import { inOneTurn } from '../shared/in-batches.ts';
import { endOf } from '../shared/signals.ts';
import { type AcceptedText, acceptDrafts, draftFor, type FlaggedDraft } from '../texting/drafts.ts';
import { ensureRecipients, knownRecipient, type Recipient, type UnknownNumber } from '../texting/recipients.ts';
import type { Draft } from '../texting/texts.ts';
import { askBatch, type TurnOutcome } from './consent-broadcasts.ts';
import { archiveBroadcast } from './entries.ts';

type Decision = { draft: Draft } | { later: Date } | { refused: FailureCode; blocked?: FlaggedDraft | undefined };

/** Small, so that a stop waits for a moment only. */
const batchSize = 50;
/** Texts per second from a number without a pace. What is accepted goes out, so this decides how much a stop can still stop. */
const paceMax = 50;
/** At most as much as goes out in this time, so that the advisor's other texts get their turn. */
const aheadSeconds = 5;

/**
 * Sends what is due of the texts to groups. A batch is one transaction that locks its broadcast, accepts texts and records what
 * became of each person: a crash keeps all of that or none, and only one of two nodes gets the lock. Returns when nothing is due,
 * or when this node is stopping. A text that fails by its own fault is refused and reported.
 */
export async function sendBroadcasts(deps: Deps, report: (fault: unknown) => void = () => {}): Promise<void> {
  if (deps.databaseClock.fault() || !(await hasDueBroadcast(deps.db, deps.clock.now()))) return;
  const end = endOf(deps.signals);
  while (!end.aborted && (await sendBatch(deps, batchSize, report)));
}

/** Returns whether there was one. A text that fails by its own fault must not hold up the others: each is then sent alone. */
async function sendBatch(deps: Deps, limit: number, report: (fault: unknown) => void): Promise<boolean> {
  let tried: Batch | undefined;
  try {
    return await inTransaction(deps, (deps) =>
      sendNext(deps, limit, (batch) => {
        tried = batch;
        return accept(deps, batch);
      }),
    );
  } catch (error) {
    const faulty = tried;
    if (!faulty || !isRowFault(error)) throw error;
    if (limit > 1) return sendBatch(deps, 1, report);
    report(error);
    // What is due longest may be another text by now: that one has no fault.
    return inTransaction(deps, (deps) =>
      sendNext(deps, 1, (batch) => (isSame(batch, faulty) ? refuseAll(batch) : accept(deps, batch))),
    );
  }
}

type Batch = { broadcast: DueBroadcast; waiting: WaitingRecipient[]; now: Date };

/** Locks what is due, inside a transaction, and records what `decide` made of it. */
async function sendNext(
  deps: Deps,
  limit: number,
  decide: (batch: Batch) => Promise<RecipientChange[]>,
): Promise<boolean> {
  const now = deps.clock.now();
  const broadcast = await lockDueBroadcast(deps.db, now);
  if (!broadcast) return false;
  const { advisorId, broadcastId } = broadcast;
  const pace = Math.min(broadcast.pace ?? paceMax, paceMax);
  const atOnce = Math.min(limit, pace * aheadSeconds);
  const waiting = inOneTurn(await listWaiting(deps.db, advisorId, broadcastId, { now, limit: atOnce }));
  const changes = waiting.length > 0 ? await decide({ broadcast, waiting, now }) : [];
  // Rolls everything back: somebody who still waits would be texted again.
  if ((await updateRecipients(deps.db, advisorId, broadcastId, changes)) < changes.length)
    throw new Error('What became of somebody’s text could not be recorded.');
  const count = (state: RecipientChange['state']) => changes.filter((change) => change.state === state).length;
  const accepted = count('accepted');
  const dueAt = new Date(now.getTime() + (accepted / pace) * 1000);
  const counted = { accepted, refused: count('refused'), dueAt, now };
  if ((await updateBroadcast(deps.db, advisorId, broadcastId, counted)) === 'done')
    await archiveBroadcast(deps, byService, 'completed', advisorId, broadcast);
  else await insertEvents(deps.db, [{ advisorId, type: 'broadcast.changed', broadcastId }], now);
  return true;
}

async function accept(deps: Deps, batch: Batch): Promise<RecipientChange[]> {
  const turns = await (batch.broadcast.wordingVersion === null ? sendTexts : askBatch)(deps, batch);
  return batch.waiting.map(({ place }, index) => changeOf(place, turns[index] as TurnOutcome));
}

/** Decides about each person as any send does, at this moment, and accepts what may go out now. */
async function sendTexts(deps: Deps, { broadcast, waiting, now }: Batch): Promise<TurnOutcome[]> {
  const { advisorId } = broadcast;
  const numbers = waiting.map(({ phone }) => ({ advisorId, phone }));
  const recipients = await ensureRecipients(deps, numbers);
  const [screener] = (
    await deps.screeners.of(
      deps.db,
      recipients.slice(0, 1).map(({ firmId }) => firmId),
    )
  ).values();
  const decisions = waiting.map((row, index) => decideOne(deps, broadcast, row, recipients[index], { now, screener }));
  const drafts = decisions.flatMap((decision) => ('draft' in decision ? decision.draft : []));
  const blocked = decisions.flatMap((decision) => ('refused' in decision ? (decision.blocked ?? []) : []));
  const messageIds = await drawMessageIds(deps.db, drafts.length);
  const texts = (await acceptDrafts(deps, drafts, { messageIds, blocked, others: [] })).values();
  return decisions.map((decision) =>
    'draft' in decision ? { messageId: (texts.next().value as AcceptedText).messageId } : decision,
  );
}

function changeOf(place: number, turn: TurnOutcome): RecipientChange {
  if ('later' in turn) return { ...undecided(place), notBefore: turn.later };
  if ('refused' in turn) return { ...undecided(place), state: 'refused', code: turn.refused };
  return { ...undecided(place), state: 'accepted', messageId: turn.messageId };
}

function decideOne(
  deps: Deps,
  { advisorId, broadcastId, actor, traceId }: DueBroadcast,
  { text, notBefore }: WaitingRecipient,
  recipient: Recipient | UnknownNumber | undefined,
  { now, screener }: { now: Date; screener: Screener | undefined },
): Decision {
  if (!recipient || recipient.disabled) return { refused: 'account_disabled' };
  if (!recipient.textingNumber) return { refused: 'no_texting_number' };
  const finding = screener?.(text) ?? null;
  const given = { advisorId, kind: 'text', text, by: { actor, traceId }, broadcastId, finding } as const;
  const drafted = draftFor(deps, knownRecipient(recipient), given, now, { hasWaited: notBefore !== null });
  if ('refused' in drafted) return drafted;
  const later = drafted.draft.text.hours?.deferredUntil;
  return later && later > now ? { later } : drafted;
}

function undecided(place: number): RecipientChange {
  return { place, state: 'waiting', messageId: null, code: null, notBefore: null };
}

async function refuseAll({ waiting }: Batch): Promise<RecipientChange[]> {
  return waiting.map(({ place }) => ({ ...undecided(place), state: 'refused', code: 'internal_error' }));
}

function isSame(one: Batch, other: Batch): boolean {
  return one.broadcast.broadcastId === other.broadcast.broadcastId && one.waiting[0]?.place === other.waiting[0]?.place;
}
