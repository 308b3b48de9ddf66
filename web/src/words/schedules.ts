import type { Frequency } from '../api/types.ts';

/** The face of a clock on a wall somewhere: `2031-05-04T09:30`, as a field for date and time has it. */
type WallTime = string;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
export const frequencyWords: Record<Frequency, string> = {
  0: 'Doesn’t repeat',
  1: 'Every day',
  2: 'Every week',
  3: 'Every month',
  4: 'Every year',
};

export function wallTime(at: number, timeZone: string): WallTime {
  return new Date(at + offsetAt(at, timeZone)).toISOString().slice(0, 16);
}

/**
 * When the clocks of the zone show that time: the first of two where they fall back, the moment of the change where they
 * skip it, as on the server. Null if it is no time.
 */
export function instantOf(wall: WallTime, timeZone: string): number | null {
  // Of an empty field, browsers make a date of their own.
  const asUtc = wall === '' ? Number.NaN : Date.parse(`${wall}:00Z`);
  if (Number.isNaN(asUtc)) return null;
  const before = offsetAt(asUtc - dayMs, timeZone);
  const after = offsetAt(asUtc + dayMs, timeZone);
  const [early, late] = [asUtc - Math.max(before, after), asUtc - Math.min(before, after)];
  if (offsetAt(early, timeZone) === asUtc - early) return early;
  if (offsetAt(late, timeZone) === asUtc - late) return late;
  return changeBetween(early, late, timeZone);
}

/** The first `count` times of a text that repeats at the wall-clock time of its first, which is one of them. */
export function nextTimes(first: number, frequency: Frequency, timeZone: string, count: number): number[] {
  if (frequency === 0) return [first];
  const wall = wallTime(first, timeZone);
  return Array.from({ length: count }, (_, index) =>
    index === 0 ? first : (instantOf(later(wall, frequency, index), timeZone) ?? first),
  );
}

/** Each is counted from the first: after February 28, the 31st is March 31 again. */
function later(wall: WallTime, frequency: Frequency, count: number): WallTime {
  const [date = '', time = ''] = wall.split('T');
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  if (frequency <= 2) return isoDay(Date.UTC(year, month - 1, day + count * (frequency === 1 ? 1 : 7)), time);
  const months = month - 1 + count * (frequency === 3 ? 1 : 12);
  const lastDay = new Date(Date.UTC(year, months + 1, 0)).getUTCDate();
  return isoDay(Date.UTC(year, months, Math.min(day, lastDay)), time);
}

function isoDay(at: number, time: string): WallTime {
  return `${new Date(at).toISOString().slice(0, 10)}T${time}`;
}

/** How far the zone's clocks are ahead of UTC then. */
function offsetAt(at: number, timeZone: string): number {
  const parts = formatterOf(timeZone).formatToParts(at);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const wall = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  return wall - (at - (at % 1000));
}

function changeBetween(early: number, late: number, timeZone: string): number {
  const first = offsetAt(early, timeZone);
  while (late - early > minuteMs) {
    const middle = early + Math.floor((late - early) / 2 / minuteMs) * minuteMs;
    if (offsetAt(middle, timeZone) === first) early = middle;
    else late = middle;
  }
  return late;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (!formatter) {
    const numeric = {
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    } as const;
    formatter = new Intl.DateTimeFormat('en-US', { ...numeric, hourCycle: 'h23', timeZone });
    formatters.set(timeZone, formatter);
  }
  return formatter;
}
