import { setTimeout as pause } from 'node:timers/promises';
import type { Deps } from '../../deps.ts';
import type { Log } from '../../log.ts';
import type { Batch } from '../../store/database/coalescer.ts';
import { findNextTurn, maintainedMax, releaseDeferred } from '../../store/delivery/dispatches.ts';
import { expireLeases, type OutcomeRow, recordOutcomes } from '../../store/delivery/outcomes.ts';
import { applyEarlyReceipts, deleteEarlyReceipts } from '../../store/delivery/receipts.ts';
import { optOutByCarrier } from '../consent/consents.ts';
import type { Carrier } from '../ports.ts';
import { circuitBreaker } from './circuit-breaker.ts';
import { type ClaimedText, claimTexts } from './claims.ts';
import { outcomeOf, type Result, submit } from './submissions.ts';

/** Hands what waits in the outbox to the carrier, on this node. */
export type Dispatcher = {
  start(): void;
  /** Once nothing that is due now is left unclaimed, or in flight on this node; or after ten seconds. */
  settled(): Promise<void>;
  /** Nothing more is claimed, and what is in flight gets the time that the carrier has. */
  stop(): Promise<void>;
};

const claimMax = 200;
const inFlightMax = 1_000;
/** Room for a whole claim: claims of one each would cost a commit a text. */
const inFlightToClaim = inFlightMax - claimMax;
/** Behind the signal, which only this node's own sends raise. */
const pollMs = 250;
/** What is ready and not claimed is another node's. */
const turnPauseMs = 5;
const recoverEveryMs = 1_000;
const settledWithinMs = 10_000;
const settlePauseMs = 5;
/** How long an outcome is tried to be written; after that it is in doubt, as its lease has run out. */
const recordWithinMs = 60_000;
const recordPauseMs = 100;
const recordPauseMsMax = 5_000;
const stopMarginMs = 5_000;
/** No carrier takes this long to answer a submission that it has sent a receipt for. */
const earlyReceiptMs = 10 * 60 * 1_000;

type Round = 'more' | 'drained' | 'blocked';

export function dispatcher(deps: Deps, log: Log): Dispatcher {
  if (deps.carrier) return dispatcherTo(deps.carrier, deps, log);
  return { start() {}, settled: async () => {}, stop: async () => {} };
}

function dispatcherTo(carrier: Carrier, deps: Deps, log: Log): Dispatcher {
  const breaker = circuitBreaker();
  const inFlight = new Set<Promise<void>>();
  const stopping = new AbortController();
  let abandoned = false;
  let running = Promise.resolve();
  let turn: Promise<unknown> = Promise.resolve();

  /** Outcomes that come while others are being written are one commit. */
  const recording: Batch<OutcomeRow, void> = {
    async run(db, outcomes) {
      await recordOutcomes(db, outcomes, deps.clock.now());
      return outcomes.map(() => undefined);
    },
  };

  async function run(): Promise<void> {
    let recoverAt = 0;
    while (!stopping.signal.aborted) {
      // Before the claim: what is queued while it runs must not wait for the next poll.
      const woken = deps.signals.queued.wait(pollMs, stopping.signal);
      let turnInMs = pollMs;
      try {
        if (Date.now() >= recoverAt) recoverAt = (await recover(deps)) ? 0 : Date.now() + recoverEveryMs;
        const claimed = await round();
        if (claimed === 'more' || recoverAt === 0) continue;
        if (claimed === 'drained') turnInMs = await nextTurnInMs();
      } catch (err) {
        log.warn({ err }, 'texts can’t be claimed; it will be tried again');
        await pause(pollMs);
      }
      await Promise.race([woken, pause(turnInMs, undefined, { ref: false })]);
    }
  }

  /** A pace gives each text its moment, which a poll alone would keep in bursts. */
  async function nextTurnInMs(): Promise<number> {
    const next = await findNextTurn(deps.db);
    return next ? Math.min(pollMs, Math.max(turnPauseMs, next.getTime() - Date.now())) : pollMs;
  }

  /** One claim at a time, whoever asks for it; so that what it took is in flight when the next one begins. */
  function round(): Promise<Round> {
    const next = turn.then(claimSome);
    turn = next.catch(() => {});
    return next;
  }

  async function claimSome(): Promise<Round> {
    if (stopping.signal.aborted) return 'drained';
    const limit = Math.min(claimMax, breaker.allowance());
    if (limit === 0 || inFlight.size > inFlightToClaim) return 'blocked';
    const { texts, more } = await claimTexts(deps, limit);
    for (const text of texts) begin(text);
    return more ? 'more' : 'drained';
  }

  function begin(text: ClaimedText): void {
    breaker.began();
    const task = handOver(text)
      .catch((err) => log.error({ err }, 'a text could not be handed over'))
      .finally(() => {
        inFlight.delete(task);
        if (inFlight.size === inFlightToClaim) deps.signals.queued.raise();
      });
    inFlight.add(task);
  }

  async function handOver(text: ClaimedText): Promise<void> {
    const { result, late } = submit(deps, carrier, text);
    const known = await result;
    if ('accepted' in known || 'refused' in known) breaker.succeeded();
    else breaker.failed(text.phone);
    await record(text, known);
    // An answer that comes too late still ends the doubt; nobody waits for it.
    void late.then((answer) => answer && record(text, answer));
  }

  /** Until it is written: it is all that is known of a text that is gone. */
  async function record(text: ClaimedText, result: Result): Promise<void> {
    const deadline = Date.now() + recordWithinMs;
    for (let pauseMs = recordPauseMs; ; pauseMs = Math.min(pauseMs * 2, recordPauseMsMax)) {
      try {
        // The carrier knows of an opt-out that we don't: it holds for whatever else waits for this person.
        if ('refused' in result && result.refused === 'opted_out')
          await optOutByCarrier(deps, text.advisorId, text.memberId);
        return await deps.db.batch(recording, outcomeOf(text, result));
      } catch (err) {
        const last = abandoned || Date.now() + pauseMs > deadline;
        log.warn({ err, last }, 'an outcome can’t be written');
        if (last) return;
        await pause(pauseMs);
      }
    }
  }

  async function settled(): Promise<void> {
    const deadline = Date.now() + settledWithinMs;
    const drained = async () => !(await releaseSome(deps)) && (await round()) === 'drained';
    while (Date.now() < deadline && !(await drained().catch(() => false))) await pause(settlePauseMs);
    await within(deadline - Date.now(), Promise.all(inFlight));
  }

  return {
    start() {
      running = run();
    },
    settled,
    async stop() {
      stopping.abort();
      await running;
      await turn;
      await within(deps.config.carrierTimeoutMs + stopMarginMs, Promise.all(inFlight));
      abandoned = true;
    },
  };
}

/** How late the next text is: what an operator watches. */
export async function longestWaitSeconds({ db }: Pick<Deps, 'db'>): Promise<number> {
  const next = await findNextTurn(db);
  return next ? Math.max(0, (Date.now() - next.getTime()) / 1000) : 0;
}

/** What nobody else will see to; true when there may be more of it at once. */
async function recover(deps: Deps): Promise<boolean> {
  const times = { now: deps.clock.now(), realNow: new Date() };
  const expired = await expireLeases(deps.db, times);
  const applied = await applyEarlyReceipts(deps.db, times.now);
  await deleteEarlyReceipts(deps.db, new Date(Date.now() - earlyReceiptMs));
  return expired === maintainedMax || applied === maintainedMax || (await releaseSome(deps));
}

/** Texts whose recipient's day has come; true when there were any. */
async function releaseSome(deps: Deps): Promise<boolean> {
  return (await releaseDeferred(deps.db, { now: deps.clock.now(), realNow: new Date() })) > 0;
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const late = new AbortController();
  const time = pause(Math.max(ms, 0), undefined, { signal: late.signal, ref: false }).catch(() => {});
  await Promise.race([work, time]);
  late.abort();
}
