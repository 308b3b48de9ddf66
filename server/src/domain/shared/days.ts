/** Days in domain time, in UTC. */

export const dayMs = 24 * 60 * 60 * 1000;

/** `2031-05-04` */
export function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** The day's first moment. */
export function startOf(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

export function nextDay(day: string): string {
  return dayOf(new Date(startOf(day).getTime() + dayMs));
}
