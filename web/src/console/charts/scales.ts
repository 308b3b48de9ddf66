import { clockTime, dayAndTime } from '../../words/times.ts';

/** Where the gridlines of values are, from zero up: four or five round numbers, the last one above everything. */
export function valueTicks(max: number, isWhole: boolean): number[] {
  const rough = (isWhole ? Math.max(max, 3) : max || 1) / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = [1, 2, 2.5, 5, 10].map((each) => each * power).filter((each) => !isWhole || Number.isInteger(each));
  const step = round.find((each) => each >= rough) ?? rough;
  const count = Math.max(1, Math.ceil(max / step));
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

type TimeTick = { step: number; label: string };

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
/** A label's width, in pixels, with space around it. */
const labelWidth = 58;

/** Days are those of UTC, as the server adds them up; everything shorter is in the reader's zone. */
function zoneOf(stepSeconds: number): string | undefined {
  return stepSeconds >= day ? 'UTC' : undefined;
}

/** Steps that begin a round time, with its name: as many as have room. */
export function timeTicks(times: readonly number[], stepSeconds: number, width: number): TimeTick[] {
  const [key, label] = unitOf(times, stepSeconds);
  const all = times.flatMap((time, step) => {
    const before = times[step - 1];
    return before !== undefined && key(before) !== key(time) ? { step, label: label(time) } : [];
  });
  const nth = Math.max(1, Math.ceil((all.length * labelWidth) / Math.max(width, labelWidth)));
  return all.filter((_, index) => index % nth === 0);
}

type Unit = [key: (at: number) => number | string, label: (at: number) => string];

function unitOf(times: readonly number[], stepSeconds: number): Unit {
  const span = times.length * stepSeconds;
  const zone = zoneOf(stepSeconds);
  // Made once: to make one takes longer than to use it.
  const name = (options: Intl.DateTimeFormatOptions) => {
    const formatter = new Intl.DateTimeFormat('en-US', { ...options, timeZone: zone });
    return (at: number) => formatter.format(at);
  };
  const hoursAt = (at: number) => new Date(at).getHours();
  if (span <= 2 * hour) return [(at) => Math.floor(new Date(at).getMinutes() / 10), (at) => clockTime(at)];
  if (span <= 2 * day) return [(at) => Math.floor(hoursAt(at) / 4), name({ hour: 'numeric' })];
  if (span <= 8 * day) return [name({ day: 'numeric' }), name({ weekday: 'short' })];
  if (span <= 62 * day) return [name({ day: 'numeric' }), name({ month: 'short', day: 'numeric' })];
  return [name({ month: 'numeric' }), name({ month: 'short' })];
}

const dayNames = new Intl.DateTimeFormat('en-US', {
  weekday: 'short',
  month: 'short',
  day: 'numeric',
  year: 'numeric',
  timeZone: 'UTC',
});

/** `Tue, Nov 17, 4:30 – 4:45 PM`, and the same in UTC. */
export function stepName(at: number, stepSeconds: number): { here: string; utc: string } {
  if (stepSeconds >= day) return { here: dayNames.format(at), utc: 'from midnight to midnight, UTC' };
  const end = at + stepSeconds * 1000;
  const utc = (each: number) => new Date(each).toISOString().slice(11, 16);
  return { here: `${dayAndTime(at)} – ${clockTime(end)}`, utc: `${utc(at)} – ${utc(end)} UTC` };
}

/** `per 15 minutes` */
export function perStep(stepSeconds: number): string {
  if (stepSeconds === minute) return 'per minute';
  if (stepSeconds < hour) return `per ${stepSeconds / minute} minutes`;
  if (stepSeconds === hour) return 'per hour';
  return stepSeconds < day ? `per ${stepSeconds / hour} hours` : 'per day';
}
