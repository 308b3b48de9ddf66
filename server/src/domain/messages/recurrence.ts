import { word } from '../shared/enumerations.ts';

/** A text that repeats at the wall-clock time of its first occurrence. `frequency` is a number from the enumerations. */
export type Schedule = { firstDate: Date; frequency: number; timeZone: string };
export type Occurrence = { index: number; at: Date };

const units: Record<string, 'days' | 'weeks' | 'months' | 'years'> = {
  daily: 'days',
  weekly: 'weeks',
  monthly: 'months',
  yearly: 'years',
};

/**
 * The occurrence with that index; 0 is the first one. Each is counted from the first, not from the previous one: after
 * February 28, the 31st is March 31 again.
 */
export function occurrence(schedule: Schedule, index: number): Date {
  if (index === 0) return new Date(schedule.firstDate);
  const unit = unitOf(schedule);
  if (unit === null) throw new RangeError('A message that is sent once has only one occurrence.');
  return instantOf(wallClock(schedule.firstDate, schedule.timeZone).add({ [unit]: index }), schedule.timeZone);
}

/** The first occurrence after an instant, not at it; null if there is none. */
export function nextAfter(schedule: Schedule, after: Date): Occurrence | null {
  const { firstDate, timeZone } = schedule;
  if (firstDate > after) return { index: 0, at: occurrence(schedule, 0) };
  const unit = unitOf(schedule);
  if (unit === null) return null;
  // So many whole units have passed by the wall clock, or one more: if a month's last day replaced the 31st, or if clocks
  // have just fallen back.
  const passed = wallClock(firstDate, timeZone).until(wallClock(after, timeZone), { largestUnit: unit })[unit];
  let index = passed + 1;
  while (occurrence(schedule, index) <= after) index++;
  return { index, at: occurrence(schedule, index) };
}

/** Up to `count` next occurrences, including one at `from`. */
export function nextOccurrences(schedule: Schedule, from: Date, count: number): Date[] {
  const next = nextAfter(schedule, new Date(from.getTime() - 1));
  if (next === null || count < 1) return [];
  if (unitOf(schedule) === null) return [next.at];
  return Array.from({ length: count }, (_, offset) => occurrence(schedule, next.index + offset));
}

/** Those from one instant to before another. */
export function occurrencesBetween(schedule: Schedule, from: Date, until: Date): Date[] {
  const next = nextAfter(schedule, new Date(from.getTime() - 1));
  if (next === null || next.at >= until) return [];
  if (unitOf(schedule) === null) return [next.at];
  const dates: Date[] = [];
  for (let { index, at } = next; at < until; at = occurrence(schedule, ++index)) dates.push(at);
  return dates;
}

function unitOf({ frequency }: Schedule) {
  return units[word('frequency', frequency)] ?? null;
}

function wallClock(at: Date, timeZone: string): Temporal.PlainDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone).toPlainDateTime();
}

/** When clocks show that time: the first of two where they fall back, the moment of the change where they skip it. */
function instantOf(wanted: Temporal.PlainDateTime, timeZone: string): Date {
  const found = wanted.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
  // For a time in a gap, "earlier" is before the gap, by the gap's length.
  const skipped = found.toPlainDateTime().equals(wanted) ? null : found.getTimeZoneTransition('next');
  return new Date((skipped ?? found).epochMilliseconds);
}
