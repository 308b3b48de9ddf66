import { setTimeout as pause } from 'node:timers/promises';
import type { Deps } from '../../deps.ts';
import type { Log } from '../../log.ts';
import { findNextTurn } from '../../store/delivery/dispatches.ts';
import { claimTexts } from './claims.ts';
import { type InFlight, inFlight } from './in-flight.ts';
import { followClock, maintainOutbox } from './outbox-maintenance.ts';

/** Hands queued texts to the carrier, on this node. */
export type Dispatcher = {
  start(): void;
  /** Resolves once no due text is unclaimed, or in flight on this node; when this node stops; or after ten seconds. */
  settled(): Promise<void>;
  /** Claims nothing more, and gives texts in flight the carrier's timeout to finish. */
  stop(): Promise<void>;
};

type Claimed = 'more' | 'drained' | 'blocked';
/** `next` claims as many texts as it may and submits them. */
type Claims = { next(): Promise<Claimed>; last(): Promise<unknown> };
type ClaimLoop = { deps: Deps; log: Log; claims: Claims; stopping: AbortSignal };

/** The signal wakes a node for its own sends only; the poll finds those of other nodes. */
const pollMs = 250;
/** A text that is ready and not claimed is being claimed by another node. */
const turnPauseMs = 5;
const maintainEveryMs = 1_000;
const settledWithinMs = 10_000;
const settlePauseMs = 5;
const stopMarginMs = 5_000;

export function dispatcher(deps: Deps, log: Log): Dispatcher {
  const { carrier } = deps;
  if (!carrier) return { start() {}, settled: async () => {}, stop: async () => {} };
  const stopping = new AbortController();
  const texts = inFlight(deps, carrier, log);
  const claims = claimsInTurn(deps, texts, stopping.signal);
  let running = Promise.resolve();
  return {
    start() {
      running = claimUntilStopped({ deps, log, claims, stopping: stopping.signal });
    },
    async settled() {
      const deadline = Date.now() + settledWithinMs;
      const drained = async () => !(await followClock(deps)) && (await claims.next()) === 'drained';
      const isOver = () => stopping.signal.aborted || Date.now() >= deadline;
      while (!isOver() && !(await drained().catch(() => false))) await pause(settlePauseMs);
      await texts.finished(deadline - Date.now());
    },
    async stop() {
      stopping.abort();
      await running;
      await claims.last();
      await texts.finished(deps.config.carrierTimeoutMs + stopMarginMs);
      texts.abandon();
    },
  };
}

/** How late the next text is, for operators to watch. */
export async function longestWaitSeconds({ db }: Pick<Deps, 'db'>): Promise<number> {
  const next = await findNextTurn(db);
  return next ? Math.max(0, (Date.now() - next.getTime()) / 1000) : 0;
}

/** One claim at a time, so that when one begins the texts of the one before are in flight. */
function claimsInTurn(deps: Deps, texts: InFlight, stopping: AbortSignal): Claims {
  let last: Promise<unknown> = Promise.resolve();

  async function claim(): Promise<Claimed> {
    if (stopping.aborted) return 'drained';
    // A person whose STOP can't get through must not get another text.
    if (deps.signals.replies.isBehind()) return 'blocked';
    const limit = texts.claimable();
    if (limit === 0) return 'blocked';
    const claimed = await claimTexts(deps, limit);
    for (const text of claimed.texts) texts.submit(text);
    return claimed.more ? 'more' : 'drained';
  }

  return {
    next() {
      const next = last.then(claim);
      last = next.catch(() => {});
      return next;
    },
    last: () => last,
  };
}

async function claimUntilStopped({ deps, log, claims, stopping }: ClaimLoop): Promise<void> {
  let maintainAtMs = 0;
  while (!stopping.aborted) {
    // Before the claim: a text that is queued during it must not wait for the next poll.
    const woken = deps.signals.queued.wait(pollMs, stopping);
    let waitMs = pollMs;
    try {
      if (Date.now() >= maintainAtMs) maintainAtMs = (await maintainOutbox(deps)) ? 0 : Date.now() + maintainEveryMs;
      const claimed = await claims.next();
      for (const member of deps.signals.unprovenConsents.take())
        log.error(member, 'a member’s consent is not what its last entry says; nothing is sent to it');
      if (claimed === 'more' || maintainAtMs === 0) continue;
      if (claimed === 'drained') waitMs = await nextTurnInMs(deps);
    } catch (err) {
      log.warn({ err }, 'texts can’t be claimed; will retry');
      await pause(pollMs);
    }
    await Promise.race([woken, pause(waitMs, undefined, { ref: false })]);
  }
}

/** A pace gives each text its own moment. The poll alone would send them in bursts. */
async function nextTurnInMs({ db }: Deps): Promise<number> {
  const next = await findNextTurn(db);
  return next ? Math.min(pollMs, Math.max(turnPauseMs, next.getTime() - Date.now())) : pollMs;
}
