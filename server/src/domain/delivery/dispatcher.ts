import { setTimeout as pause } from 'node:timers/promises';
import type { Deps } from '../../deps.ts';
import type { Log } from '../../log.ts';
import { findFirstTurn } from '../../store/delivery/dispatches.ts';
import type { NodeStatus } from '../carriers/status.ts';
import type { OpenCarrier } from '../ports.ts';
import { type CarrierLane, carrierLane } from './carrier-lane.ts';
import { followClock, maintainOutbox } from './outbox-maintenance.ts';

/** Hands queued texts to their carriers, on this node. */
export type Dispatcher = {
  /** With `listens`, it also takes in what the carriers bring. */
  start(options?: { listens: boolean }): void;
  /** Goes on with the carriers that are open now. One that has changed finishes what is in flight first. */
  follow(): void;
  /** Resolves once no due text is unclaimed, or in flight on this node; when this node stops; or after ten seconds. */
  settled(): Promise<void>;
  /** Claims nothing more, and gives texts in flight the carrier's timeout to finish. */
  stop(): Promise<void>;
  status(): Promise<{ carrierId: number; status: NodeStatus }[]>;
};

const maintainEveryMs = 1_000;
const settledWithinMs = 10_000;
const settlePauseMs = 5;

export function dispatcher(deps: Deps, log: Log): Dispatcher {
  const stopping = new AbortController();
  const lanes = new Map<number, CarrierLane>();
  const closing = new Map<CarrierLane, Promise<void>>();
  let started: { listens: boolean } | null = null;
  let maintaining = Promise.resolve();

  function openLane(open: OpenCarrier): void {
    const lane = carrierLane(deps, open, log);
    lanes.set(open.carrierId, lane);
    if (started) lane.start(started);
  }

  function follow(): void {
    if (stopping.signal.aborted) return;
    const current = deps.carriers.list();
    for (const lane of lanes.values())
      if (!current.includes(lane.open) && !closing.has(lane)) closing.set(lane, close(lane));
    for (const open of current) if (!lanes.has(open.carrierId)) openLane(open);
  }

  async function close(lane: CarrierLane): Promise<void> {
    await lane.stop().catch((err) => log.warn({ err, carrier: lane.open.name }, 'a carrier didn’t close'));
    lanes.delete(lane.open.carrierId);
    closing.delete(lane);
    follow();
  }

  /** What every lane has claimed by now; true if nothing is left that it could claim. */
  async function drained(): Promise<boolean> {
    if (await followClock(deps)) return false;
    const claimed = await Promise.all(Array.from(lanes.values(), (lane) => lane.next()));
    return claimed.every((each) => each === 'drained');
  }

  follow();
  return {
    start(options = { listens: false }) {
      started = options;
      for (const lane of lanes.values()) lane.start(options);
      follow();
      maintaining = maintainUntilStopped(deps, log, stopping.signal);
    },
    follow,
    async settled() {
      const deadline = Date.now() + settledWithinMs;
      const isOver = () => stopping.signal.aborted || Date.now() >= deadline;
      while (!isOver() && !(await drained().catch(() => false))) await pause(settlePauseMs);
      await Promise.all(Array.from(lanes.values(), (lane) => lane.finished(deadline - Date.now())));
    },
    async stop() {
      stopping.abort();
      await Promise.all([maintaining, ...Array.from(lanes.values(), (lane) => closing.get(lane) ?? lane.stop())]);
    },
    status: () =>
      Promise.all(Array.from(lanes, async ([carrierId, lane]) => ({ carrierId, status: await lane.status() }))),
  };
}

/** How late the next text is, for operators to watch. */
export async function longestWaitSeconds({ db }: Pick<Deps, 'db'>): Promise<number> {
  const next = await findFirstTurn(db);
  return next ? Math.max(0, (Date.now() - next.getTime()) / 1000) : 0;
}

async function maintainUntilStopped(deps: Deps, log: Log, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    let hasMore = false;
    try {
      hasMore = await maintainOutbox(deps);
      // What was released goes out now.
      if (hasMore) deps.signals.queued.raise();
    } catch (err) {
      log.warn({ err }, 'the outbox can’t be maintained; will retry');
    }
    if (!hasMore) await pause(maintainEveryMs, undefined, { signal: stopping, ref: false }).catch(() => {});
  }
}
