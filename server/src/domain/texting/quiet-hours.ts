import { dayMs } from '../shared/time.ts';
import { areaCodesByZones, countryCodesByZones } from './area-codes.ts';
import { zonesOfState } from './states.ts';

/** Whether a text may go out now, and when that next changes. */
export type Window = { open: boolean; until: Date };
/** A stretch of time during which a zone's UTC offset doesn't change. */
type Stretch = { fromMs: number; untilMs: number; offsetMs: number };

/** From this hour of the recipient's day, texts wait. */
export const quietFromHour = 21;
/** From this hour, they go out. */
export const quietUntilHour = 8;
/** How far ahead to look for an hour that suits every zone. */
const searchDaysMax = 3;
const hourMs = 3_600_000;

const zonesByAreaCode = byCode(areaCodesByZones);
const zonesByCountryCode = byCode(countryCodesByZones);
/** Each zone's last stretch looked up: instants come in order, so it is nearly always the right one. */
const lastStretches = new Map<string, Stretch>();

/**
 * The time zones that a number may be in, by its area code or country code. If there are several, the contact's state
 * narrows them to its own; a state that is unknown or has none of them (a number kept after a move) leaves them all.
 * Empty if the number doesn't tell: toll-free, personal and new area codes.
 */
export function zonesOf(phone: string, state: string | null): string[] {
  const zones = (phone.startsWith('+1') ? zonesByAreaCode.get(phone.slice(2, 5)) : zonesOfCountry(phone)) ?? [];
  if (zones.length < 2 || state === null) return zones;
  const zonesThere = zonesOfState(state) ?? [];
  const narrowed = zones.filter((zone) => zonesThere.includes(zone));
  return narrowed.length > 0 ? narrowed : zones;
}

/**
 * The window is open while it is at or after 8:00 and before 21:00 in every zone. If no hour of the coming days suits
 * them all (true of no number in our tables), only the first zone counts: a text that waits forever helps nobody.
 */
export function windowAt(now: Date, zones: string[]): Window {
  const [first] = zones;
  if (first === undefined) throw new RangeError('Quiet hours need a time zone.');
  const open = isOpen(now.getTime(), zones);
  const searchUntilMs = now.getTime() + searchDaysMax * dayMs;
  let atMs = now.getTime();
  while (atMs < searchUntilMs) {
    atMs = Math.min(...zones.map((zone) => nextEdgeMs(zone, atMs)));
    if (isOpen(atMs, zones) !== open) return { open, until: new Date(atMs) };
  }
  // A single zone opens and closes every day, so the recursion ends.
  return windowAt(now, [first]);
}

function byCode(codesByZones: Record<string, string>): Map<string, string[]> {
  return new Map(
    Object.entries(codesByZones).flatMap(([zones, codes]) =>
      codes
        .trim()
        .split(/\s+/)
        .map((code) => [code, zones.split(' ')]),
    ),
  );
}

/** No country code is a prefix of another, so at most one of these matches. */
function zonesOfCountry(phone: string): string[] | undefined {
  return [2, 3, 4].map((end) => zonesByCountryCode.get(phone.slice(1, end))).find((zones) => zones !== undefined);
}

function isOpen(atMs: number, zones: string[]): boolean {
  return zones.every((zone) => {
    const hour = timeOfDayMs(atMs, stretchAt(zone, atMs)) / hourMs;
    return hour >= quietUntilHour && hour < quietFromHour;
  });
}

/** When the zone's clock next reaches one of the two hours, or its offset changes. */
function nextEdgeMs(zone: string, afterMs: number): number {
  const stretch = stretchAt(zone, afterMs);
  const timeMs = timeOfDayMs(afterMs, stretch);
  const hour = [quietUntilHour, quietFromHour, 24 + quietUntilHour].find((each) => each * hourMs > timeMs) ?? Infinity;
  return Math.min(afterMs - timeMs + hour * hourMs, stretch.untilMs);
}

function timeOfDayMs(atMs: number, { offsetMs }: Stretch): number {
  const timeMs = (atMs + offsetMs) % dayMs;
  return timeMs < 0 ? timeMs + dayMs : timeMs;
}

// Temporal takes 6 µs to find a zone's next clock change, and a send to thousands needs the same few zones.
function stretchAt(zone: string, atMs: number): Stretch {
  const last = lastStretches.get(zone);
  if (last && last.fromMs <= atMs && atMs < last.untilMs) return last;
  const there = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone);
  const stretch = {
    fromMs: atMs,
    untilMs: there.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity,
    offsetMs: there.offsetNanoseconds / 1_000_000,
  };
  lastStretches.set(zone, stretch);
  return stretch;
}
