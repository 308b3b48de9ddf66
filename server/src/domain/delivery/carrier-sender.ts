import { setTimeout as pause } from 'node:timers/promises';
import type { Deps } from '../../deps.ts';
import type { Log } from '../../log.ts';
import { findNextTurn } from '../../store/delivery/dispatches.ts';
import type { NodeStatus } from '../carriers/status.ts';
import { receiveReply } from '../consent/replies.ts';
import type { Inbound, OpenCarrier } from '../ports.ts';
import { reportTampering } from '../shared/signals.ts';
import { claimTexts } from './claims.ts';
import { haltOf } from './halts.ts';
import { inFlight } from './in-flight.ts';
import { receiveReceipt } from './receipts.ts';

/** One carrier's texts on this node. Each carrier has its own, so that trouble with one holds up nobody else's texts. */
export type CarrierSender = ReturnType<typeof carrierSender>;

type ClaimResult = 'more' | 'drained' | 'blocked';

/** The signal wakes a node for its own sends only; the poll finds those of other nodes. */
const pollMs = 250;
/** While there is no room, or the pace allows none. It asks nobody but the carrier itself. */
const blockedMs = 50;
/** A text that is ready and not claimed is being claimed by another node. */
const turnPauseMs = 5;
const stopMarginMs = 5_000;

export function carrierSender(deps: Deps, open: OpenCarrier, log: Log) {
  const { carrierId, name, carrier } = open;
  const { resetGuard } = deps.signals;
  const stopping = new AbortController();
  const texts = inFlight(deps, open, log);
  let last: Promise<unknown> = Promise.resolve();
  let running = Promise.resolve();
  let stopListening: (() => Promise<void>) | undefined;
  let misroutedReplies = 0;

  const inbound: Inbound = {
    async reply(reply) {
      if (!(await take(() => receiveReply(deps, open, reply)))) misroutedReplies += 1;
    },
    receipt: (receipt) => take(() => receiveReceipt(deps, carrierId, receipt)),
  };

  async function take<Result>(work: () => Promise<Result>): Promise<Result> {
    // If the text is from before the reset, the carrier knows.
    if (resetGuard.isResetting()) throw new Error('The sandbox is being reset.');
    return resetGuard.track(work()).catch(failed);
  }

  /** Rethrown, so that the carrier delivers it again. */
  function failed(err: unknown): never {
    log.warn({ err, carrier: name }, 'inbound message could not be stored');
    throw err;
  }

  async function claim(): Promise<ClaimResult> {
    if (stopping.signal.aborted) return 'drained';
    if (haltOf(deps) !== null || resetGuard.isResetting()) return 'blocked';
    const limit = texts.claimable();
    if (limit === 0) return 'blocked';
    return resetGuard.run(async () => {
      const claimed = await claimTexts(deps, carrierId, limit);
      for (const text of claimed.texts) texts.submit(text);
      return claimed.more ? 'more' : 'drained';
    });
  }

  /** Claims what it may and submits it. One claim at a time, so that when one begins the texts of the one before are in flight. */
  function next(): Promise<ClaimResult> {
    const following = last.then(claim);
    last = following.catch(() => {});
    return following;
  }

  async function claimUntilStopped(): Promise<void> {
    // If nothing was ready and nothing has been queued here since, it only looks for the next turn: cheaper than an empty claim.
    let isQuiet = false;
    while (!stopping.signal.aborted) {
      // Before the claim: a text that is queued during it must not wait for the next poll.
      const woken = deps.signals.queued.wait(pollMs, stopping.signal);
      let waitMs = pollMs;
      try {
        const claimed: ClaimResult = isQuiet ? 'drained' : await next();
        reportTampering(deps, log);
        if (claimed === 'more') continue;
        if (claimed === 'blocked') waitMs = blockedMs;
        if (claimed === 'drained') waitMs = await nextTurnInMs(deps, carrierId);
        isQuiet = claimed === 'drained' && waitMs === pollMs;
      } catch (err) {
        log.warn({ err, carrier: name }, 'texts can’t be claimed; will retry');
        await pause(pollMs);
      }
      if (await Promise.race([woken, pause(waitMs, false, { ref: false })])) isQuiet = false;
    }
  }

  return {
    open,
    /** Hands texts over as their turns come, and takes in replies and receipts. */
    start(): void {
      stopListening = carrier.listen(inbound);
      running = claimUntilStopped();
    },
    next,
    finished: texts.finished,
    /** Claims nothing more, and gives texts in flight the carrier's timeout to finish; then it stops listening. */
    async stop(): Promise<void> {
      stopping.abort();
      await running;
      await last;
      await texts.finished(deps.config.carrierTimeoutMs + stopMarginMs);
      await texts.abandon();
      // In this order, so that receipts for the last texts still arrive.
      await stopListening?.();
    },
    async status(): Promise<NodeStatus> {
      const own = carrier.status?.();
      const status = own ? { ...own, inDoubt: await texts.inDoubt() } : null;
      return { name, lastFault: null, inFlight: texts.count(), misroutedReplies, carrier: status };
    },
  };
}

/** A pace gives each text its own moment. The poll alone would send them in bursts. */
async function nextTurnInMs({ db, databaseClock }: Deps, carrierId: number): Promise<number> {
  const next = await findNextTurn(db, carrierId);
  return next ? Math.min(pollMs, Math.max(turnPauseMs, next.getTime() - databaseClock.now().getTime())) : pollMs;
}
