import type { Clock } from '../ports.ts';

/** Production's domain time is real time. */
export const systemClock: Clock = { now: () => new Date() };

export function laterOf(one: Date | null, other: Date): Date {
  return one && one > other ? one : other;
}
