import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { getAdvisor } from '../../domain/accounts/advisors.ts';
import { followTexts, type TextEvent } from '../../domain/archive/text-log.ts';
import { setWaitingAside } from '../../domain/delivery/set-aside.ts';
import { cutTo, inOneLine, padTo, safeJson, widthOf } from '../terminal.ts';
import { always, type Call, UsageError, type Verb, wholeNumber } from '../verb.ts';

const lastDefault = 10;
const lastMax = 10_000;
const nameColumnsMax = 20;
/** In an even narrower terminal, lines wrap. */
const saidColumnsMin = 12;

export const textVerbs: Verb[] = [
  {
    name: 'texts tail',
    about:
      'Show texts and consent changes as they happen, until Ctrl-C. That you read an advisor’s texts is archived once. With --json, one object per line.',
    options: {
      advisor: { value: 'EMAIL|ID', about: 'Only this advisor’s; by default, all advisors’.' },
      last: { value: 'N', about: `Start with the last N; ${lastDefault} by default.` },
      numbers: { about: 'Show full phone numbers; by default, only the last four digits.' },
      full: { about: 'Show full texts; by default, lines are cut to the terminal’s width.' },
    },
    examples: ['texts tail', 'texts tail --advisor avery@sandbox.example --last 50 --full'],
    watches: true,
    run: tail,
  },
  {
    name: 'texts set-aside',
    about:
      'After a restore: mark every queued text in_doubt and stop texts to groups, because they may already have been sent. Works only while the copies outside show that the database was restored.',
    isFinal: always,
    run: async ({ runtime, out }) => {
      const { texts, broadcasts } = await setWaitingAside(runtime);
      out.note(`${texts} texts are in doubt now, and are not sent again. ${broadcasts} texts to groups were stopped.`);
    },
  },
];

async function tail({ runtime, options, switches, json, streams, until }: Call): Promise<void> {
  const last = options.last === undefined ? lastDefault : wholeNumber('--last', options.last);
  if (last > lastMax) throw new UsageError(`--last must be at most ${lastMax}.`);
  const advisorId = options.advisor ? (await getAdvisor(runtime, options.advisor)).advisorId : null;
  const { stdout } = streams;
  const phoneOf = switches.has('numbers') ? (phone: string) => phone : masked;
  const lineOf = json
    ? (event: TextEvent) => safeJson({ ...event, phone: event.phone && phoneOf(event.phone) })
    : lineFormatter({
        phoneOf,
        now: () => runtime.clock.now(),
        columns: () => (!switches.has('full') && stdout.isTTY && stdout.columns) || Number.POSITIVE_INFINITY,
      });
  for await (const events of followTexts(runtime, { advisorId, last }, untilUnread(stdout, until)))
    await write(stdout, events.map((event) => `${lineOf(event)}\n`).join(''));
}

/** Also aborts when the reader is gone, as with `| head`. */
function untilUnread(output: Writable, until: AbortSignal): AbortSignal {
  const unread = new AbortController();
  output.on('error', () => unread.abort());
  return AbortSignal.any([until, unread.signal]);
}

/** Waits for a slow reader, so that unread output doesn't pile up in memory. */
function write(output: Writable, text: string): Promise<void> {
  return new Promise((resolve) => {
    if (text === '') resolve();
    else output.write(text, () => resolve());
  });
}

type Style = Parameters<typeof styleText>[0];
type Look = {
  phoneOf(phone: string): string;
  now(): Date;
  columns(): number;
};

const looks: Record<TextEvent['event'], { sign: string; style: Style }> = {
  out: { sign: '→', style: 'blue' },
  in: { sign: '←', style: 'green' },
  consent: { sign: '●', style: 'yellow' },
};
/** Labels for our own texts; an advisor's texts need none. */
const kinds: Record<string, string> = {
  consent_request: 'consent request',
  reminder: 'reminder',
  opt_in: 'confirmation',
  opt_out: 'confirmation',
  help: 'help',
};

/** Formats events as lines. Columns are as wide as the widest value so far; Node decides whether to use colors. */
function lineFormatter({ phoneOf, now, columns }: Look): (event: TextEvent) => string {
  const widths = { name: 0, phone: 0 };
  const column = (name: keyof typeof widths, text: string) => {
    widths[name] = Math.max(widths[name], widthOf(text));
    return padTo(widths[name], text);
  };
  return (event) => {
    const { sign, style } = looks[event.event];
    const time = timeOf(event.dateTime, now());
    const name = column('name', cutTo(nameColumnsMax, inOneLine(event.advisorName)));
    const phone = column('phone', event.phone === null ? '–' : phoneOf(event.phone));
    const [label, said] = saidIn(event);
    const room = Math.max(saidColumnsMin, columns() - widthOf(`${time} ${sign} ${name}  ${phone}  ${label}`));
    const parts = [styleText('dim', time), ' ', styleText(style, sign), ' ', name, '  ', styleText('dim', phone), '  '];
    return [...parts, styleText(style, label), cutTo(room, said)].join('');
  };
}

/** Our label, and what was said or done. */
function saidIn(event: TextEvent): [label: string, said: string] {
  if (event.event === 'consent') return ['consent ', `${wordOf(event.from)} → ${wordOf(event.to)}`];
  const labels = event.event === 'out' ? [kinds[event.kind], event.heldReason && 'held'] : [mediaLabel(event.media)];
  const label = labels.filter(Boolean).join(', ');
  return [label ? `[${label}] ` : '', event.text === null ? '(no longer kept)' : inOneLine(event.text)];
}

function mediaLabel(media: number): string | undefined {
  return media > 0 ? `with ${media} media` : undefined;
}

function wordOf(state: string): string {
  return state.replaceAll('_', ' ');
}

/** Local time, with the date unless it is today. */
function timeOf(date: Date, now: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const dayOf = (day: Date) => `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return dayOf(date) === dayOf(now) ? time : `${dayOf(date)} ${time}`;
}

/** Enough to tell conversations apart on a screen that others can see. */
function masked(phone: string): string {
  const hidden = /^\+1\d{10}$/.test(phone) ? '+1 ••• •••' : `+${'•'.repeat(phone.length - 5)}`;
  return `${hidden} ${phone.slice(-4)}`;
}
