import { areaCodesByZones, countryCodesByZones } from './area-codes.ts';
import { zonesOfState } from './states.ts';

/** Whether a text may go out at an instant, and when that next changes. */
export type Window = { open: boolean; until: Date };
/** A stretch of time in which a zone keeps one offset from UTC. */
type Stretch = { fromMs: number; untilMs: number; offsetMs: number };

/** Texts wait from this hour of the recipient's day on. */
export const quietFromHour = 21;
/** And go out from this hour on. */
export const quietUntilHour = 8;
/** How far ahead an hour that suits every zone is looked for. */
const searchDaysMax = 3;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const zonesByAreaCode = byCode(areaCodesByZones);
const zonesByCountryCode = byCode(countryCodesByZones);
/** The stretch that each zone was last asked about: instants come in order, so it is nearly always the right one. */
const lastStretches = new Map<string, Stretch>();

/**
 * The time zones that a number may be in, by its area code or country code. Where there are several, the contact's
 * state leaves those that it has; a state that is unknown or has none of them (a number taken along when moving)
 * leaves them all. Empty when the number says nothing: toll-free, personal and new area codes.
 */
export function zonesOf(phone: string, state: string | null): string[] {
  const zones = (phone.startsWith('+1') ? zonesByAreaCode.get(phone.slice(2, 5)) : zonesOfCountry(phone)) ?? [];
  if (zones.length < 2 || state === null) return zones;
  const zonesThere = zonesOfState(state) ?? [];
  const narrowed = zones.filter((zone) => zonesThere.includes(zone));
  return narrowed.length > 0 ? narrowed : zones;
}

/**
 * The hours are open while it is from 8:00 to before 21:00 in every zone. Where no hour of the coming days suits them
 * all, which no number of the tables has, the first zone alone counts: a text that waits forever helps nobody.
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
  // One zone alone is open and closed every day, so this comes back.
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

/** No country code begins another one, so at most one of these is there. */
function zonesOfCountry(phone: string): string[] | undefined {
  return [2, 3, 4].map((end) => zonesByCountryCode.get(phone.slice(1, end))).find((zones) => zones !== undefined);
}

function isOpen(atMs: number, zones: string[]): boolean {
  return zones.every((zone) => {
    const hour = timeOfDayMs(atMs, stretchAt(zone, atMs)) / hourMs;
    return hour >= quietUntilHour && hour < quietFromHour;
  });
}

/** When the zone's clock next shows one of the two hours, or is changed. */
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

// Temporal takes 6 µs to find the next change of a zone's clock, and a send to thousands asks for the same few.
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
