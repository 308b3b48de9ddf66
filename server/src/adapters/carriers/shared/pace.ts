export type Pace = ReturnType<typeof makePace>;

const perSecondMin = 1;
/** The answers to one window say the same thing, so they count once. */
const cutEveryMs = 500;
const raiseEveryMs = 1_000;
const raiseShare = 0.05;
const pauseMsMax = 60_000;
/** So long after its time a text may still go, so that timers that fire late don't lower the rate. */
const catchUpMs = 50;

/**
 * How fast texts go: as fast as the carrier answers until it says that it is too much; then half as fast, and a little faster
 * every second (additive increase, multiplicative decrease).
 */
export function makePace(perSecondMax: number | null) {
  const highest = perSecondMax ?? Number.POSITIVE_INFINITY;
  const begun = recentCount();
  let rate = highest;
  /** The rate that was too much. */
  let tooMuch = Number.POSITIVE_INFINITY;
  let nextAt = 0;
  let cutAt = 0;
  let raisedAt = 0;

  return {
    /** How long to wait before the next text. */
    delayMs: () => (Number.isFinite(rate) ? Math.max(0, nextAt - performance.now()) : 0),
    began(): void {
      begun.add();
      if (Number.isFinite(rate)) nextAt = Math.max(nextAt, performance.now() - catchUpMs) + 1_000 / rate;
    },
    /** True if the pace was lowered by it. Nothing goes for as long as the carrier asks, but not for longer than a minute. */
    throttled(pauseMs = 0): boolean {
      const now = performance.now();
      const pausedUntil = now + Math.min(pauseMs, pauseMsMax);
      nextAt = Math.max(nextAt, pausedUntil);
      if (now - cutAt < cutEveryMs) return false;
      tooMuch = Math.min(rate, Math.max(begun.perSecond(), perSecondMin));
      rate = Math.max(perSecondMin, tooMuch / 2);
      cutAt = now;
      raisedAt = now;
      nextAt = Math.max(pausedUntil, now + 1_000 / rate);
      return true;
    },
    accepted(): void {
      const now = performance.now();
      if (rate >= highest || now - raisedAt < raiseEveryMs) return;
      raisedAt = now;
      rate = Math.min(highest, rate + Math.max(perSecondMin, tooMuch * raiseShare));
      // It goes twice as fast as when it was too much, so nothing limits it any more.
      if (rate > tooMuch * 2) rate = highest;
    },
    /** Null while nothing limits it. */
    perSecond: () => (Number.isFinite(rate) ? rate : null),
    /** How many began in the last second. */
    begunPerSecond: begun.perSecond,
  };
}

/** How many there were in the last second, from this second's count and a share of the last one's. */
function recentCount() {
  let second = 0;
  let count = 0;
  let before = 0;
  const move = () => {
    const now = Math.floor(performance.now() / 1_000);
    if (now === second) return;
    before = now === second + 1 ? count : 0;
    count = 0;
    second = now;
  };
  return {
    add() {
      move();
      count += 1;
    },
    perSecond() {
      move();
      return count + before * (1 - (performance.now() % 1_000) / 1_000);
    },
  };
}
