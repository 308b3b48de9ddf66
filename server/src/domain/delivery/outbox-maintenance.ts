import { setTimeout as pause } from 'node:timers/promises';
import { type Deps, inTransaction } from '../../deps.ts';
import { lockHeads } from '../../store/archive/archive.ts';
import { listMoved, passDispatches } from '../../store/carriers/numbers.ts';
import * as dispatches from '../../store/delivery/dispatches.ts';
import { expireClaims, expiredMax } from '../../store/delivery/expired-claims.ts';
import * as receipts from '../../store/delivery/receipts.ts';
import * as pace from '../../store/texting/pace.ts';
import { problem } from '../problems.ts';
import { realTimeIn } from '../shared/time.ts';
import { lapseWaitingTexts } from '../texting/waiting-texts.ts';
import { settleByReference } from './doubts.ts';
import { applyEarlyOptOuts, countReceipts } from './receipts.ts';

/**
 * No carrier takes this long to answer a submission that it has already sent a receipt for, and by then the lease of a node
 * that died has expired, so that the receipt can settle the doubt.
 */
const unmatchedReceiptMs = 10 * 60 * 1_000;
/** A send that read the number's carrier before it moved has been written by then. */
const movedMs = 60 * 1_000;

/** Handles expired claims, early receipts, and texts that a moment in domain time is due for. True when there may be more of them right away. */
export async function maintainOutbox(deps: Deps): Promise<boolean> {
  const { db, clock } = deps;
  const passed = await passDispatches(db, await listMoved(db, realTimeIn(deps, -movedMs)));
  const expired = await expireClaims(db, { now: clock.now(), realNow: deps.databaseClock.now() });
  const applied = (await receipts.hasUnmatchedReceipts(db)) ? await handleUnmatched(deps) : 0;
  const hasMore = passed > 0 || expired >= expiredMax || applied === dispatches.maintainedMax;
  return hasMore || (await followClock(deps));
}

/** Returns how many had come before the response that they are about. */
async function handleUnmatched(deps: Deps): Promise<number> {
  const { matched, moved } = await receipts.applyEarlyReceipts(deps.db, deps.clock.now());
  countReceipts(deps.signals.traffic, moved);
  await applyEarlyOptOuts(deps, matched);
  await settleByReference(deps);
  await receipts.deleteUnmatchedReceipts(deps.db, realTimeIn(deps, -unmatchedReceiptMs));
  return matched.length;
}

/**
 * Releases deferred texts whose recipients' day has begun, fails those whose life is over, and ends the waits for consent that are
 * over. True when there were deferred ones, or may be more of the others.
 */
export async function followClock(deps: Deps): Promise<boolean> {
  const now = deps.clock.now();
  const times = { now, realNow: deps.databaseClock.now() };
  const released = await dispatches.releaseDeferred(deps.db, times);
  const expired = await dispatches.listExpired(deps.db, times);
  await dispatches.failDispatches(
    deps.db,
    expired.map((text) => ({ ...text, failureCode: 'expired' })),
    now,
  );
  for (const { carrierId } of expired) deps.signals.traffic.texts(carrierId, 'failed');
  return (await lapseWaitingTexts(deps)) || released > 0 || expired.length >= dispatches.maintainedMax;
}

/** A text waits no longer than the texts before it take, whatever its slot was when it was accepted. */
export async function shortenWaits(deps: Deps): Promise<void> {
  const far = await pace.listFarAhead(deps.db, deps.databaseClock.now());
  if (far.length === 0) return;
  const moved = await inTransaction(deps, async ({ db, databaseClock }) => {
    // Its own statement comes first, so that the next one sees every text whose slot is in the head.
    await lockHeads(
      db,
      far.map(({ advisorId }) => advisorId),
    );
    return pace.shortenWaits(db, far, databaseClock.now());
  });
  if (moved > 0) deps.signals.queued.raise();
}

/** Processes read the sandbox's clock twice a second. Until then they would date what they do before the move. */
export const clockFollowedMs = 600;
const withinMs = 10_000;
const pollMs = 50;

/**
 * For a process without a dispatcher: resolves once other processes have handed over every text that is due, and know what
 * became of it. Texts of carriers that aren't open don't count. Throws if nobody does that in time.
 */
export async function waitForWorkers(deps: Deps): Promise<void> {
  for (const deadline = performance.now() + withinMs; performance.now() < deadline; await pause(pollMs)) {
    if (await followClock(deps)) continue;
    const carrierIds = deps.carriers.list().map(({ carrierId }) => carrierId);
    if (!(await dispatches.hasDue(deps.db, carrierIds, { now: deps.clock.now(), realNow: deps.databaseClock.now() })))
      return;
  }
  throw problem(
    'downstream_unavailable',
    'The clock was moved, but texts that are due have not gone out yet. They need a process with the role work.',
  );
}
