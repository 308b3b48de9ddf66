import type { StateWord } from '../../words/states.ts';
import { clockTime } from '../../words/times.ts';
import { faultWords } from '../carriers/words.ts';
import type { CarrierNow, CarrierState, KeyTraffic, Range } from './queries.ts';

export const rangeWords: Record<Range, { name: string; before: string }> = {
  hour: { name: 'Hour', before: 'the hour before' },
  day: { name: 'Day', before: 'a week earlier' },
  week: { name: 'Week', before: 'the week before' },
  month: { name: 'Month', before: 'the month before' },
  year: { name: 'Year', before: 'the year before' },
};

export const count = (value: number) => value.toLocaleString('en-US');
const precise = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });
/** `0.8`, `14`, `1,240`: as much as a histogram can tell. */
export const milliseconds = (value: number) => (value < 10 ? precise.format(value) : count(Math.round(value)));
/** `38.2/s` */
export const pace = (perSecond: number) =>
  `${perSecond < 100 ? precise.format(perSecond) : count(Math.round(perSecond))}/s`;

/** `1.9 %`; a dash of nothing. */
export function share(part: number, whole: number): string {
  if (whole === 0) return '–';
  const percent = (100 * part) / whole;
  if (percent > 0 && percent < 0.1) return '< 0.1 %';
  // 99.97 % is not everything.
  return `${precise.format(percent < 100 ? Math.min(99.9, percent) : 100)} %`;
}

/** `8 % more than a week earlier` */
export function compared(now: number, before: number, than: string): string {
  if (before === 0) return now === 0 ? `as many as ${than}` : `none ${than}`;
  const percent = Math.round((100 * (now - before)) / before);
  if (percent === 0) return `as many as ${than}`;
  const much =
    percent >= 1000
      ? `${count(Math.round(now / before))} times as many as`
      : `${Math.abs(percent)} % ${percent > 0 ? 'more' : 'fewer'} than`;
  return `${much} ${than}`;
}

/** `2 min 4 s` */
export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

const stateTones: Record<CarrierState, Omit<StateWord, 'word'>> = {
  good: { icon: 'circle-check', tone: 'good' },
  throttled: { icon: 'alert-triangle', tone: 'warn' },
  not_taking: { icon: 'alert-triangle', tone: 'warn' },
  partly: { icon: 'alert-triangle', tone: 'warn' },
  down: { icon: 'alert-triangle', tone: 'bad' },
  disabled: { icon: 'player-pause', tone: 'quiet' },
  unknown: { icon: 'alert-triangle', tone: 'warn' },
};

/** As on the page of carriers, and how texts fare with it. */
export function stateOf({ state, connections: { bound, all } }: CarrierNow): StateWord {
  const connected = `${bound} of ${all} bound`;
  const words: Record<CarrierState, string> = {
    good: all === 0 ? 'Open' : connected,
    throttled: 'Throttled',
    not_taking: 'Not taking texts',
    partly: bound < all ? connected : 'Not on every node',
    down: all === 0 ? 'Can’t be opened' : connected,
    disabled: 'Disabled',
    unknown: 'No node has it open',
  };
  return { word: words[state], ...stateTones[state] };
}

/** A carrier that somebody should know of: what it is, and what it means for its texts. */
export function troubleOf(carrier: CarrierNow): { what: string; then: string; guide: string } | null {
  const { name, state, troubledSince, fault, connections } = carrier;
  const since = troubledSince ? ` since ${clockTime(Date.parse(troubledSince))}` : '';
  const then = waitOf(carrier);
  if (state === 'throttled')
    return { what: `${name} has been asking us to slow down${since}.`, then, guide: 'texts-wait-too-long' };
  if (state === 'not_taking')
    return { what: `${name} hasn’t taken every text${since}.`, then, guide: 'a-carrier-refuses-many-texts' };
  if (state === 'down')
    return {
      what: `${name} is down${fault ? `: ${faultWords(fault).replace(/\.?$/, '.')}` : '.'}`,
      then,
      guide: connections.all > 0 ? 'a-carriers-connections-are-down' : 'a-carrier-cant-be-opened',
    };
  if (state === 'unknown' && carrier.waiting > 0)
    return { what: `No node has ${name} open.`, then, guide: 'texts-wait-too-long' };
  return null;
}

function waitOf({ waiting, clearsAt, state }: CarrierNow): string {
  if (waiting === 0) return 'No text waits.';
  const texts = waiting === 1 ? '1 text waits and isn’t lost' : `${count(waiting)} texts wait, none is lost`;
  if (state === 'down' || state === 'unknown') return `${texts}; they go out once it is back.`;
  return clearsAt
    ? `${texts}; at this pace they are out by ${clockTime(Date.parse(clearsAt))}.`
    : `${texts}; none has gone out for two minutes.`;
}

export function callerName({ keyId, key }: Pick<KeyTraffic, 'keyId' | 'key'>): string {
  if (key) return key.applicationName;
  if (keyId === 0) return 'The advisors’ own app';
  return keyId < 0 ? 'Refused credentials' : `Key ${keyId}, deleted`;
}

const problemWords: Record<string, string> = {
  invalid_request: 'Invalid request',
  unauthorized: 'Credentials refused',
  forbidden: 'Scope missing',
  not_found: 'Not found',
  conflict: 'Account not set up',
  version_mismatch: 'Wrong version',
  rate_limited: 'Too many requests',
  payload_too_large: 'Body too large',
  unsupported_media_type: 'Wrong type of body',
  downstream_timeout: 'The database took too long',
  downstream_unavailable: 'The database or a carrier was away',
  internal_error: 'Failed on our side',
};

export function problemName(code: string): string {
  return problemWords[code] ?? `HTTP status ${code}`;
}
