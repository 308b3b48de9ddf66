import { isNothingCommitted } from '../../store/database/errors.ts';

const lateMs = 1_000;
/** The sender tries again before that. If it doesn't, the failure was its last word. */
const failureCountsMs = 5_000;

/** Watches whether something that must always get through does. */
export function makeIntake() {
  const begun = new Set<{ atMs: number }>();
  let failedAtMs = Number.NEGATIVE_INFINITY;
  return {
    async take<Result>(work: () => Promise<Result>): Promise<Result> {
      const turn = { atMs: performance.now() };
      begun.add(turn);
      try {
        const result = await work();
        failedAtMs = Number.NEGATIVE_INFINITY;
        return result;
      } catch (error) {
        // One reply that can't be read says nothing about the next. A database that can't be written to does.
        if (isNothingCommitted(error)) failedAtMs = performance.now();
        throw error;
      } finally {
        begun.delete(turn);
      }
    },
    /** Something has been underway for a second, or the last one failed a moment ago. */
    isBehind(): boolean {
      const nowMs = performance.now();
      // In the order in which they began.
      const [oldest] = begun;
      return nowMs - failedAtMs < failureCountsMs || (oldest !== undefined && nowMs - oldest.atMs > lateMs);
    },
    /** The same, but a failure counts until something gets through: whoever looks must not miss that the sender gave up. */
    isFailing(): boolean {
      return failedAtMs > Number.NEGATIVE_INFINITY || this.isBehind();
    },
  };
}
