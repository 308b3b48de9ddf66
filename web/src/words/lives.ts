import type { TextItem } from '../api/types.ts';
import { count } from './people.ts';
import { clockTime, dayKey, fullTime, pastTime, whenTime } from './times.ts';

/** A text from when it was written, in epoch milliseconds. `handedOver` and `ended` are null while it waits. */
export type Life = Pick<TextItem, 'dateTime' | 'status' | 'handedOver' | 'ended' | 'waitedFor'> &
  Partial<Pick<TextItem, 'deliverAfter'>>;

const waits = new Set<TextItem['status']>(['held', 'awaiting_consent', 'deferred']);
/** Less is what every text takes. */
const waitMsMin = 60_000;
const waitWords: Record<NonNullable<Life['waitedFor']>, string> = {
  consent: ' for consent',
  decision: ' for a review',
  hours: ' for their day to begin',
};

export const isWaiting = ({ status }: Pick<Life, 'status'>): boolean => waits.has(status);

/** When a text was handed to the carrier, or failed; null as long as it waits. */
export function wentAt({ handedOver, ended }: Pick<Life, 'handedOver' | 'ended'>): number | null {
  return handedOver ?? ended;
}

/** Whether it went so much later than it was written that it has to be said. */
export function hasWaited(life: Life): boolean {
  return (wentAt(life) ?? life.dateTime) - life.dateTime >= waitMsMin;
}

/**
 * In the order in which it happened: a text where it was handed over, or failed, and until then at the end. Of one moment, what lets a text go
 * comes first.
 */
export function inOrder<Each>(
  items: Each[],
  textIn: (item: Each) => Life | null,
  timeOf: (item: Each) => number,
): Each[] {
  const placed = items.map((item) => {
    const life = textIn(item);
    return { item, at: life ? (wentAt(life) ?? Number.POSITIVE_INFINITY) : timeOf(item), isText: life !== null };
  });
  return placed
    .sort((a, b) => (a.at === b.at ? Number(a.isText) - Number(b.isText) : a.at - b.at))
    .map(({ item }) => item);
}

/** `Delivered 5:00 PM`, `Written 8:00 AM · waited 9 h for consent · delivered 5:00 PM`, `Held · written 8:00 AM`. `word` is what it has become. */
export function lifeWords(life: Life, word: string, { now, timeZone }: { now: number; timeZone?: string }): string {
  const { dateTime: written, deliverAfter, waitedFor } = life;
  const at = wentAt(life);
  if (at === null) {
    const clock = (time: number) =>
      isSameDay(time, now, timeZone) ? clockTime(time, timeZone) : pastTime(time, now, timeZone);
    if (life.status === 'deferred' && deliverAfter)
      return `${word} ${whenTime(deliverAfter, now, timeZone)} · written ${clock(written)}`;
    const isLate = waits.has(life.status) || now - written >= waitMsMin;
    return isLate ? `${word} · written ${clock(written)}` : `${word} ${clock(written)}`;
  }
  if (!hasWaited(life)) return `${word} ${clockTime(at, timeZone)}`;
  const wrote = isSameDay(written, at, timeZone) ? clockTime(written, timeZone) : pastTime(written, now, timeZone);
  const waited = `waited ${lengthWords(at - written)}${waitedFor ? waitWords[waitedFor] : ''}`;
  return `Written ${wrote} · ${waited} · ${word.charAt(0).toLowerCase()}${word.slice(1)} ${clockTime(at, timeZone)}`;
}

/** The whole moments, as a tooltip and paper have them. */
export function lifeMoments({ dateTime: written, status, ...went }: Life, timeZone?: string): string {
  const at = wentAt(went);
  const [from, to] = [fullTime(written, timeZone), at === null ? null : fullTime(at, timeZone)];
  if (to === null) return `Written ${from}`;
  return from === to ? to : `Written ${from} · ${status === 'failed' ? 'failed' : 'handed over'} ${to}`;
}

/** `25 min`, `9 h`, `2 days`. */
function lengthWords(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : count(Math.round(hours / 24), 'day');
}

function isSameDay(a: number, b: number, timeZone?: string): boolean {
  return dayKey(a, timeZone) === dayKey(b, timeZone);
}
