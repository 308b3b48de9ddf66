import type { Clock } from '../ports.ts';

/** Production's domain time is real time. */
export const systemClock: Clock = { now: () => new Date() };

export const dayMs = 24 * 60 * 60 * 1000;

export function laterOf(one: Date | null, other: Date): Date {
  return one && one > other ? one : other;
}

/** The day in UTC: `2031-05-04` */
export function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

export function startOf(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

export function nextDay(day: string): string {
  return dayOf(new Date(startOf(day).getTime() + dayMs));
}
