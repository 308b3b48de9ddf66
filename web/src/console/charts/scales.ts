import { clockTime, dayAndTime } from '../../words/times.ts';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
export const dayMs = day * 1000;
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
