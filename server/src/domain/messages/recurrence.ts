import { word } from '../shared/enumerations.ts';

/** A text that repeats at the wall-clock time of its first occurrence. `frequency` is a number of the enumerations. */
export type Schedule = { first: Date; frequency: number; timeZone: string };
export type Occurrence = { index: number; at: Date };

const units: Record<string, 'days' | 'weeks' | 'months' | 'years'> = {
  daily: 'days',
  weekly: 'weeks',
  monthly: 'months',
  yearly: 'years',
};

/**
 * The occurrence with that index; 0 is the first itself. Each is counted from the first and not from the one before, so
 * that what falls on 28 February goes back to the 31st in March.
 */
export function occurrence(schedule: Schedule, index: number): Date {
  if (index === 0) return new Date(schedule.first);
  const unit = unitOf(schedule);
  if (unit === null) throw new RangeError('What is sent once has no occurrence after the first.');
  return instantOf(wallClock(schedule.first, schedule.timeZone).add({ [unit]: index }), schedule.timeZone);
}

/** The first occurrence after an instant, not at it; null when there is none. */
export function nextAfter(schedule: Schedule, after: Date): Occurrence | null {
  const { first, timeZone } = schedule;
  if (first > after) return { index: 0, at: occurrence(schedule, 0) };
  const unit = unitOf(schedule);
  if (unit === null) return null;
  // Whole units between two readings of the clock: so many have passed, and one more where a month's last day stood in
  // for the 31st or where clocks have just fallen back.
  const passed = wallClock(first, timeZone).until(wallClock(after, timeZone), { largestUnit: unit })[unit];
  let index = passed + 1;
  while (occurrence(schedule, index) <= after) index++;
  return { index, at: occurrence(schedule, index) };
}

/** The next occurrences, one at `from` included, as many as there are up to `count`. */
export function nextOccurrences(schedule: Schedule, from: Date, count: number): Date[] {
  const next = nextAfter(schedule, new Date(from.getTime() - 1));
  if (next === null || count < 1) return [];
  if (unitOf(schedule) === null) return [next.at];
  return Array.from({ length: count }, (_, offset) => occurrence(schedule, next.index + offset));
}

function unitOf({ frequency }: Schedule) {
  return units[word('frequency', frequency)] ?? null;
}

function wallClock(at: Date, timeZone: string): Temporal.PlainDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone).toPlainDateTime();
}

/** When clocks show that time, the first time where they show it twice. Where they skip it: when they skip. */
function instantOf(wanted: Temporal.PlainDateTime, timeZone: string): Date {
  const found = wanted.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
  // For a time in a gap, "earlier" is as long before the gap as the gap is.
  const skipped = found.toPlainDateTime().equals(wanted) ? null : found.getTimeZoneTransition('next');
  return new Date((skipped ?? found).epochMilliseconds);
}
