import { setTimeout as pause } from 'node:timers/promises';
import type { Deps } from '../../deps.ts';
import type { Log } from '../../log.ts';
import type { Batch } from '../../store/database/db.ts';
import {
  type CountedOutcomes,
  noDetails,
  type OutcomeRow,
  recordOutcomes,
  settleDoubts,
} from '../../store/delivery/outcomes.ts';
import { optOutByCarrier } from '../consent/consents.ts';
import type { Clock, CutShort, Receipt } from '../ports.ts';
import type { TrafficCounts } from '../shared/traffic-counts.ts';
import type { ClaimedText } from './claims.ts';
import { keyOf } from './receipts.ts';
import type { SubmissionResult } from './submissions.ts';

type OutcomeContext = { deps: Deps; log: Log; abandoned: AbortSignal };

/**
 * How long writing an outcome is retried. By then the lease has expired, and the text is in doubt. An opt-out that the carrier told is
 * retried for as long as the node runs: nothing else would tell us. While the database is away nothing is claimed, so there are no more
 * of them than texts in flight.
 */
const recordWithinMs = 60_000;
const recordPauseMs = 100;
const recordPauseMsMax = 5_000;

/** A carrier that is throttling or not there doesn't use up a text's tries: such a text fails when its life is over. */
const triesMax = 12;
const retryPauseMs = 300;
const retryPauseMsMax = 60_000;
const jitter = 0.2;

/**
 * How long an accepted text waits for its receipt, so that one change records both, and how long outcomes wait for others.
 * Both are short: a crash leaves in doubt whatever isn't recorded.
 */
const receiptWithinMs = 15;
const gatherMs = 10;

/** Records the outcome of a text, with its receipt if that comes at once. */
export async function recordResponse(node: OutcomeContext, text: ClaimedText, result: SubmissionResult): Promise<void> {
  const record = (receipt: Receipt | null) => recordOutcome(node, text, result, receipt);
  if ('accepted' in result && !result.cutShort)
    await node.deps.signals.receipts.meet(keyOf(text.claim.carrierId, result.accepted), receiptWithinMs, record);
  else await record(null);
}

/**
 * Retries until it is written: the outcome is all we know about a text that has left. False if it gives up, once a node that stops has tried
 * a last time.
 */
export async function recordOutcome(
  { deps, log, abandoned }: OutcomeContext,
  text: ClaimedText,
  result: SubmissionResult,
  receipt: Receipt | null = null,
): Promise<boolean> {
  const outcome = outcomeOf(text, result, deps.databaseClock.now());
  const row = { ...outcome, receipt: receipt ?? outcome.receipt };
  let isOptOut = (row.receipt?.reason ?? row.code) === 'opted_out';
  const deadline = isOptOut ? Number.POSITIVE_INFINITY : performance.now() + recordWithinMs;
  for (let pauseMs = recordPauseMs; ; pauseMs = Math.min(pauseMs * 2, recordPauseMsMax)) {
    try {
      // The carrier knows about an opt-out that we don't: it applies to every text that waits for this person. Once, since they may
      // opt back in before the rest is written.
      if (isOptOut) await optOutByCarrier(deps, text.advisorId, text.memberId);
      isOptOut = false;
      await deps.db.batch(recording, { text, outcome: row, clock: deps.clock, traffic: deps.signals.traffic });
      return true;
    } catch (err) {
      const last = abandoned.aborted || performance.now() + pauseMs > deadline;
      log.warn({ err, last }, 'an outcome can’t be written');
      if (last) return false;
      await pause(pauseMs, undefined, { signal: abandoned }).catch(() => {});
    }
  }
}

type Item = { text: ClaimedText; outcome: OutcomeRow; clock: Clock; traffic: TrafficCounts };

/** Outcomes that arrive while others are being written share one commit. */
const recording: Batch<Item, void> = {
  async run(db, items) {
    const [first] = items;
    if (!first) return [];
    const outcomes = items.map(({ outcome }) => outcome);
    const now = first.clock.now();
    const counted = await recordOutcomes(db, outcomes, { now, endedClaims: endedClaims(items) });
    if (counted.reduce((sum, some) => sum + some.counted, 0) < items.length) await settleDoubts(db, outcomes, now);
    db.afterCommit(() => {
      countOutcomes(first.traffic, counted);
      for (const { text } of items) text.claim.outstanding.delete(text.messageId);
    });
    return items.map(() => undefined);
  },
  isRepeatable: true,
  pauseMs: gatherMs,
};

/** Each text once: one in doubt stays counted as that, however its doubt is settled. */
function countOutcomes(traffic: TrafficCounts, outcomes: CountedOutcomes[]): void {
  for (const { carrierId, status, wasAccepted, counted } of outcomes) {
    if (wasAccepted) traffic.texts(carrierId, 'sent', counted);
    if (status !== 'sent' && status !== 'queued') traffic.texts(carrierId, status, counted);
  }
}

/** The claims that have no other text without an outcome. */
function endedClaims(items: Item[]): string[] {
  const answered = Map.groupBy(items, ({ text }) => text.claim);
  return [...answered].flatMap(([{ claimId, outstanding }, some]) => {
    const ids = new Set(some.map(({ text }) => text.messageId));
    return outstanding.isSubsetOf(ids) ? claimId : [];
  });
}

/** The carrier wasn't asked: no connection, no place in its window, no time left, or a long text that has the number to itself. */
const shortReasons: readonly string[] = ['not_begun', 'not_bound', 'window_full', 'throttled'];
const untriedReasons: readonly string[] = [...shortReasons, 'number_busy'];
/** After so many attempts each retry waits longer, whatever the reason. */
const keptPlacesMax = 20;

export function isUntried(result: SubmissionResult): boolean {
  return 'notTaken' in result && untriedReasons.includes(result.notTaken);
}

/** A text that can go in a moment stays ahead of those that came later. */
function keepsPlace({ attempt }: ClaimedText, code: string): boolean {
  return shortReasons.includes(code) && attempt <= keptPlacesMax;
}

/** The outcome of an attempt. A text that was definitely not taken is retried, with backoff. */
export function outcomeOf(text: ClaimedText, result: SubmissionResult, realNow: Date): OutcomeRow {
  const { advisorId, messageId, attempt, openUntil, expiresAt, tries, claim } = text;
  const { carrierId } = claim;
  const dateTimeStarted = text.begun ?? claim.dateTimeStarted;
  const hours = { openUntil, expiresAt, tries };
  const row = { ...noDetails, advisorId, messageId, attempt, carrierId, dateTimeStarted, ...hours };
  if ('accepted' in result)
    return {
      ...row,
      outcome: 'accepted',
      status: 'sent',
      carrierMessageId: result.accepted,
      ...(result.cutShort && partlySent(result.cutShort)),
    };
  if ('refused' in result) {
    const { refused: code, code: carrierCode } = result;
    const facts = carrierCode ? { carrierCode } : null;
    return { ...row, outcome: 'refused', status: 'failed', code, failureCode: code, facts };
  }
  if ('unknown' in result) {
    const facts = { begun: dateTimeStarted.toISOString() };
    return { ...row, outcome: 'unknown', status: 'in_doubt', code: result.unknown, facts };
  }
  const code = result.notTaken;
  const used = tries + (result.unavailable ? 0 : 1);
  const notTaken = { ...row, outcome: 'not_taken', code, failureCode: 'carrier_unavailable', tries: used } as const;
  if (used >= triesMax) return { ...notTaken, status: 'failed', facts: { carrierCode: code } };
  if (keepsPlace(text, code)) return { ...notTaken, status: 'queued', retryAt: text.notBefore };
  return { ...notTaken, status: 'queued', retryAt: new Date(realNow.getTime() + pauseAfter(attempt)) };
}

/** Part of it has left, so it was sent; the person doesn't have all of it, so it isn't delivered. */
function partlySent({ reason, code, partsSent, parts }: CutShort): Pick<OutcomeRow, 'receipt' | 'facts'> {
  const receipt = { status: 'undelivered', reason } as const;
  return { receipt, facts: { ...(code && { carrierCode: code }), partsSent, parts } };
}

/** Doubles each time, with jitter, so that retries don't all come back at once. */
function pauseAfter(attempt: number): number {
  const pauseMs = Math.min(retryPauseMs * 2 ** (attempt - 1), retryPauseMsMax);
  return pauseMs * (1 - jitter + 2 * jitter * Math.random());
}
