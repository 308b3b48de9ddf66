import { setTimeout as pause } from 'node:timers/promises';
import type { Deps } from '../../deps.ts';
import type { Log } from '../../log.ts';
import type { MessageKey } from '../../store/delivery/dispatches.ts';
import { listStillDoubtful } from '../../store/delivery/doubts.ts';
import type { Carrier, Course, OpenCarrier } from '../ports.ts';
import { circuitBreaker } from './circuit-breaker.ts';
import { begin, type ClaimedText, renewLease } from './claims.ts';
import { isUntried, recordOutcome, recordResponse } from './outcomes.ts';
import { type SubmissionResult, submitToCarrier } from './submissions.ts';

/** Neither a carrier that doesn't answer nor a database that can't be reached keeps a node from stopping. */
const lastTryMs = 5_000;
/** More doubts than these need somebody's attention, whatever their number. */
const doubtsMax = 1_000;

/** The texts that are with a carrier, on this node. */
export function inFlight(deps: Deps, { carrierId, carrier, name }: OpenCarrier, log: Log) {
  const breaker = circuitBreaker();
  const room = claimRoom(carrier);
  let isFull = false;
  const tasks = new Set<Promise<void>>();
  let unanswered = 0;
  let doubts: MessageKey[] = [];
  const abandoned = new AbortController();
  const recording = { deps, log: log.child({ carrier: name }), abandoned: abandoned.signal };

  async function submitAndRecord(claimed: ClaimedText): Promise<void> {
    const text = begin(claimed, deps.clock.now());
    const { result, late } = submitToCarrier(deps, carrier, text, courseOf(text));
    unanswered += 1;
    const beganMs = performance.now();
    const known = await result;
    count(known, performance.now() - beganMs);
    unanswered -= 1;
    if (isUntried(known)) breaker.untried();
    else if ('accepted' in known || 'refused' in known) breaker.succeeded();
    else breaker.failed(text.phone);
    claimMore();
    await recordResponse(recording, text, known);
    if ('unknown' in known) doubts = [...doubts, text].slice(-doubtsMax);
    // A late answer still settles a text in doubt; nobody waits for it.
    void late.then((response) => response && recordOutcome(recording, text, response));
  }

  function count(known: SubmissionResult, tookMs: number): void {
    if ('notTaken' in known && !isUntried(known)) deps.signals.traffic.texts(carrierId, 'not_taken');
    if ('accepted' in known || 'refused' in known) deps.signals.traffic.answered(carrierId, tookMs);
  }

  /** A long text may take longer than a lease. If its node dies then, it is in doubt. */
  function courseOf({ claim, expiresAt }: ClaimedText): Course {
    return {
      isOver: () => abandoned.signal.aborted || (expiresAt !== null && expiresAt <= deps.clock.now()),
      goesOn() {
        // The carrier took part of it.
        breaker.succeeded();
        void renewLease(deps, claim).catch((err) => log.warn({ err, carrier: name }, 'a lease can’t be renewed'));
      },
    };
  }

  /** Wakes the claim loop as soon as there is room. */
  function claimMore(): void {
    if (!isFull || room.beside(unanswered, tasks.size) === 0) return;
    isFull = false;
    deps.signals.queued.raise();
  }

  return {
    /** How many may be claimed now: a full claim, one to probe a carrier that was down, or none. */
    claimable(): number {
      const count = room.beside(unanswered, tasks.size);
      isFull = count === 0;
      return Math.min(count, breaker.allowance());
    },
    submit(text: ClaimedText): void {
      breaker.began();
      const task = deps.signals.resetGuard
        .track(submitAndRecord(text))
        .catch((err) => log.error({ err, carrier: name }, 'a text could not be submitted'))
        .finally(() => {
          tasks.delete(task);
          claimMore();
        });
      tasks.add(task);
    },
    count: () => tasks.size,
    /** How many that were handed over here are in doubt now, whoever settled the others. */
    async inDoubt(): Promise<number> {
      if (doubts.length === 0) return 0;
      const still = new Set(await listStillDoubtful(deps.db, doubts));
      doubts = doubts.filter(({ messageId }) => still.has(messageId));
      return doubts.length;
    },
    /** Resolves once every text has its outcome, or after that much time. */
    finished: (withinMs: number) => within(withinMs, Promise.all(tasks)),
    /** Long texts end where they are, and outcomes that can't be written are tried once more, and then no longer. */
    abandon(): Promise<void> {
      abandoned.abort();
      return within(lastTryMs, Promise.all(tasks));
    },
  };
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  await Promise.race([work, pause(Math.max(ms, 0), undefined, { ref: false })]);
}

/** How many texts a node has with a carrier at once. */
type ClaimRoom = {
  /** How many more may be claimed now, beside those that are there: so many without a response, and so many in all. */
  beside(unanswered: number, texts: number): number;
};

const claimMax = 200;
const textsMax = 1_000;
/** How many may have their answers and wait to be recorded. A node that dies leaves them in doubt. */
const unrecordedMax = 500;
/** Claiming one at a time would cost a commit per text, so for a moment a claim waits for more room. */
const leastShare = 0.2;
const patienceMs = 50;

/** A claimed text must begin soon, or goes back: so a node claims only what the carrier can begin now. */
export function claimRoom(carrier: Carrier, now: () => number = performance.now.bind(performance)): ClaimRoom {
  let sparseSince: number | null = null;

  function isWorthwhile(room: number, unanswered: number): boolean {
    if (room >= unanswered * leastShare) {
      sparseSince = null;
      return true;
    }
    sparseSince ??= now();
    return now() - sparseSince >= patienceMs;
  }

  return {
    beside(unanswered, texts) {
      if (texts - unanswered >= unrecordedMax) return 0;
      const room = Math.min(claimMax, textsMax - texts, carrier.room?.() ?? claimMax);
      return room > 0 && isWorthwhile(room, unanswered) ? room : 0;
    },
  };
}
