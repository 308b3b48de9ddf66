/** Times as people say them, in the zone that is asked for. Formatters are kept: to make one takes longer than to use it. */
const formatters = new Map<string, Intl.DateTimeFormat>();
const dayMs = 24 * 60 * 60 * 1000;
/** The reader's. */
export const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

function format(options: Intl.DateTimeFormatOptions, timeZone: string | undefined, at: number): string {
  const key = `${timeZone} ${JSON.stringify(options)}`;
  let formatter = formatters.get(key);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', { ...options, timeZone });
    formatters.set(key, formatter);
  }
  return formatter.format(at);
}

/** `4:42 PM` */
export function clockTime(at: number, timeZone?: string): string {
  return format({ hour: 'numeric', minute: '2-digit' }, timeZone, at).replace(' ', ' ');
}

/** `16:42:07`, as a program's log has it. */
export function secondsTime(at: number, timeZone?: string): string {
  return format({ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }, timeZone, at);
}

/** `Tue, Nov 17, 4:42 PM` */
export function dayAndTime(at: number, timeZone?: string): string {
  return `${format({ weekday: 'short', month: 'short', day: 'numeric' }, timeZone, at)}, ${clockTime(at, timeZone)}`;
}

/** In a list: `4:42 PM` today, then `Mon`, then `Nov 9`, then `Nov 9, 2025`. */
export function shortTime(at: number, now: number, timeZone?: string): string {
  const days = daysBetween(at, now, timeZone);
  if (days === 0) return clockTime(at, timeZone);
  if (days > 0 && days < 6) return format({ weekday: 'short' }, timeZone, at);
  return shortDay(at, now, timeZone);
}

/** For what is to come: `8:00 AM`, `tomorrow, 8:00 AM`, `Mon, Nov 23, 9:00 AM`. */
export function whenTime(at: number, now: number, timeZone?: string): string {
  const days = -daysBetween(at, now, timeZone);
  if (days === 0) return clockTime(at, timeZone);
  if (days === 1) return `tomorrow, ${clockTime(at, timeZone)}`;
  const day = format(
    { weekday: 'short', month: 'short', day: 'numeric', ...otherYear(at, now, timeZone) },
    timeZone,
    at,
  );
  return `${day}, ${clockTime(at, timeZone)}`;
}

/** Between the texts of a thread: `Today`, `Yesterday`, `Monday, November 9`. */
export function dayName(at: number, now: number, timeZone?: string): string {
  const days = daysBetween(at, now, timeZone);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  if (days === -1) return 'Tomorrow';
  return format({ weekday: 'long', month: 'long', day: 'numeric', ...otherYear(at, now, timeZone) }, timeZone, at);
}

/** `Nov 9, 10:03 AM` */
export function pastTime(at: number, now: number, timeZone?: string): string {
  const days = daysBetween(at, now, timeZone);
  if (days === 0) return `today, ${clockTime(at, timeZone)}`;
  return `${shortDay(at, now, timeZone)}, ${clockTime(at, timeZone)}`;
}

/** `Nov 9`, and `Nov 9, 2025` of another year. */
export function shortDay(at: number, now: number, timeZone?: string): string {
  return format({ month: 'short', day: 'numeric', ...otherYear(at, now, timeZone) }, timeZone, at);
}

/** The whole moment with its zone, and in UTC: for a tooltip. */
export function fullTime(at: number, timeZone?: string): string {
  const here = format({ dateStyle: 'full', timeStyle: 'long' }, timeZone, at);
  return `${here} · ${new Date(at).toISOString().replace('T', ' ').slice(0, 19)} UTC`;
}

/** `March 3`, of a date without a time. */
export function birthday(date: string): string {
  return format({ month: 'long', day: 'numeric' }, 'UTC', Date.parse(`${date}T00:00:00Z`));
}

/** `Austin` of `America/Austin`: how people know a zone. */
export function cityOf(timeZone: string): string {
  return (timeZone.split('/').at(-1) ?? timeZone).replaceAll('_', ' ');
}

/** The same for all moments of a day, in that zone. */
export function dayKey(at: number, timeZone?: string): string {
  return format({ year: 'numeric', month: '2-digit', day: '2-digit' }, timeZone, at);
}

function otherYear(at: number, now: number, timeZone?: string): Intl.DateTimeFormatOptions {
  const year = (each: number) => format({ year: 'numeric' }, timeZone, each);
  return year(at) === year(now) ? {} : { year: 'numeric' };
}

/** Days of the calendar: yesterday evening is one day ago this morning. */
function daysBetween(at: number, now: number, timeZone?: string): number {
  return Math.round((midnight(now, timeZone) - midnight(at, timeZone)) / dayMs);
}

function midnight(at: number, timeZone?: string): number {
  const [month, day, year] = dayKey(at, timeZone).split('/').map(Number);
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day);
}
