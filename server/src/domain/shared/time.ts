import type { Clock } from '../ports.ts';

/** So many milliseconds from now, in real time; before now, if negative. */
export function realTimeIn({ databaseClock }: { databaseClock: Clock }, ms: number): Date {
  return new Date(databaseClock.now().getTime() + ms);
}

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
