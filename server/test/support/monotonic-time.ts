import type { TestContext } from 'node:test';

/** The clock that can't be set, which stands still until it is told to pass. */
export function monotonicTime(t: TestContext) {
  let now = Math.ceil(performance.now());
  const { mock } = t.mock.method(performance, 'now', () => now);
  return {
    pass(ms: number): void {
      now += ms;
    },
    reset: () => mock.restore(),
  };
}
