import { wallTime } from './schedules.ts';

/** A month of the calendar, from 0; and a day, like `2026-11-17`. */
export type Month = { year: number; month: number };
export type Day = string;

export const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

export function dayOf(at: number, timeZone: string): Day {
  return wallTime(at, timeZone).slice(0, 10);
}

export function monthOf(day: Day): Month {
  const [year = 0, month = 1] = day.split('-').map(Number);
  return { year, month: month - 1 };
}

export function monthAfter({ year, month }: Month, by: number): Month {
  return monthOf(isoDay(year, month + by, 1));
}

/** `November 2026` */
export function monthName({ year, month }: Month): string {
  return formatted(isoDay(year, month, 1), { month: 'long', year: 'numeric' });
}

/** `Tuesday, November 17` */
export function longDay(day: Day): string {
  return formatted(day, { weekday: 'long', month: 'long', day: 'numeric' });
}

/** The weeks that have a day of the month, from Sunday on. */
export function weeksOf({ year, month }: Month): Day[][] {
  const firstWeekday = new Date(Date.UTC(year, month, 1)).getUTCDay();
  const lastDate = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const weeks = Math.ceil((firstWeekday + lastDate) / 7);
  return Array.from({ length: weeks }, (_, week) =>
    Array.from({ length: 7 }, (_, weekday) => isoDay(year, month, 1 - firstWeekday + week * 7 + weekday)),
  );
}

export function dayAfter(day: Day, by = 1): Day {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return isoDay(year, month - 1, date + by);
}

function isoDay(year: number, month: number, date: number): Day {
  return new Date(Date.UTC(year, month, date)).toISOString().slice(0, 10);
}

function formatted(day: Day, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' }).format(Date.parse(`${day}T00:00:00Z`));
}
