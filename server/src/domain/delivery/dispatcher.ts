import { setTimeout as pause } from 'node:timers/promises';
import type { Deps } from '../../deps.ts';
import type { Log } from '../../log.ts';
import { findFirstTurn } from '../../store/delivery/dispatches.ts';
import type { OpenCarrier } from '../ports.ts';
import { type CarrierSender, carrierSender } from './carrier-sender.ts';
import { followClock, maintainOutbox } from './outbox-maintenance.ts';

/** Hands queued texts to their carriers, on this node. */
export type Dispatcher = ReturnType<typeof dispatcher>;

const maintainEveryMs = 1_000;
const settledWithinMs = 10_000;
const settlePauseMs = 5;

export function dispatcher(deps: Deps, log: Log) {
  const stopping = new AbortController();
  const senders = new Map<number, CarrierSender>();
  const closing = new Map<CarrierSender, Promise<void>>();
  let isStarted = false;
  let maintaining = Promise.resolve();

  function openSender(open: OpenCarrier): void {
    const sender = carrierSender(deps, open, log);
    senders.set(open.carrierId, sender);
    if (isStarted) sender.start();
  }

  /** Goes on with the carriers that are open now. One that has changed finishes what is in flight first. */
  function follow(): void {
    if (stopping.signal.aborted) return;
    const current = deps.carriers.list();
    for (const sender of senders.values())
      if (!current.includes(sender.open) && !closing.has(sender)) closing.set(sender, close(sender));
    for (const open of current) if (!senders.has(open.carrierId)) openSender(open);
  }

  async function close(sender: CarrierSender): Promise<void> {
    await sender.stop().catch((err) => log.warn({ err, carrier: sender.open.name }, 'a carrier didn’t close'));
    senders.delete(sender.open.carrierId);
    closing.delete(sender);
    follow();
  }

  /** What every sender has claimed by now; true if nothing is left that it could claim. */
  async function drained(): Promise<boolean> {
    if (await followClock(deps)) return false;
    const claimed = await Promise.all(Array.from(senders.values(), (sender) => sender.next()));
    return claimed.every((each) => each === 'drained');
  }

  follow();
  return {
    /** Sends texts, and takes in what the carriers bring. */
    start(): void {
      isStarted = true;
      for (const sender of senders.values()) sender.start();
      follow();
      maintaining = maintainUntilStopped(deps, log, stopping.signal);
    },
    follow,
    /** Resolves once no due text is unclaimed, or in flight on this node; when this node stops; or after ten seconds. */
    async settled(): Promise<void> {
      const deadline = performance.now() + settledWithinMs;
      const isOver = () => stopping.signal.aborted || performance.now() >= deadline;
      while (!isOver() && !(await drained().catch(() => false))) await pause(settlePauseMs);
      await Promise.all(Array.from(senders.values(), (sender) => sender.finished(deadline - performance.now())));
    },
    /** Claims nothing more, and gives texts in flight the carrier's timeout to finish. */
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all([
        maintaining,
        ...Array.from(senders.values(), (sender) => closing.get(sender) ?? sender.stop()),
      ]);
    },
    status: () =>
      Promise.all(Array.from(senders, async ([carrierId, sender]) => ({ carrierId, status: await sender.status() }))),
  };
}

/** How late the next text is, for operators to watch. */
export async function longestWaitSeconds({ db, databaseClock }: Pick<Deps, 'db' | 'databaseClock'>): Promise<number> {
  const next = await findFirstTurn(db);
  return next ? Math.max(0, (databaseClock.now().getTime() - next.getTime()) / 1000) : 0;
}

async function maintainUntilStopped(deps: Deps, log: Log, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    let hasMore = false;
    try {
      hasMore = await deps.signals.resetGuard.run(() => maintainOutbox(deps));
      // What was released goes out now.
      if (hasMore) deps.signals.queued.raise();
    } catch (err) {
      log.warn({ err }, 'the outbox can’t be maintained; will retry');
    }
    if (!hasMore) await pause(maintainEveryMs, undefined, { signal: stopping, ref: false }).catch(() => {});
  }
}
