import { setTimeout as pause } from 'node:timers/promises';
import { problem } from '../../domain/problems.ts';
import type { KeptDelivery } from '../../domain/webhooks/deliveries.ts';
import {
  deliveriesTo,
  endListening,
  type Listener,
  listen,
  renew,
  renewedMs,
} from '../../domain/webhooks/listening.ts';
import { requireSandbox } from '../sandbox/running-sandbox.ts';
import { inOneLine, safeJson } from '../terminal.ts';
import type { Call, Verb } from '../verb.ts';
import { typesIn, typesOption } from './webhooks.ts';

const lookMs = 250;

export const listenVerbs: Verb[] = [
  {
    name: 'listen',
    about:
      'In the sandbox, push events to an address on this machine until Ctrl-C. Print its secret, then each event with the status of the response.',
    options: {
      'forward-to': { value: 'URL', about: 'The address, such as localhost:3000/hook.', required: true },
      types: typesOption,
      application: { value: 'CLIENT-ID', about: 'The application that listens; by default the sandbox’s.' },
    },
    examples: [
      'listen --forward-to localhost:3000/hook',
      'listen --forward-to localhost:3000/hook --types consent.changed',
    ],
    watches: true,
    run: runListen,
  },
];

async function runListen({ runtime, options, out, json, streams, until }: Call): Promise<void> {
  const { clientId } = await requireSandbox(runtime);
  const url = addressIn(options['forward-to'] ?? '');
  const types = typesIn(options.types);
  const listener = await listen(runtime, options.application ?? clientId, { url, types });
  // A terminal or a pipe that is closed takes nothing more.
  const closed = new AbortController();
  for (const stream of [streams.stdout, streams.stderr]) stream.on('error', () => closed.abort());
  try {
    out.note(`Events are pushed to ${url} until Ctrl-C. Verify them with this secret:`);
    out.line(json ? JSON.stringify({ url, secret: listener.secret }) : listener.secret);
    const show = (delivery: KeptDelivery) => out.line(json ? safeJson(recordOf(delivery)) : lineOf(delivery));
    await follow(runtime, listener, show, AbortSignal.any([until, closed.signal]));
  } finally {
    await endListening(runtime, listener);
  }
}

async function follow(
  runtime: Call['runtime'],
  listener: Listener,
  show: (delivery: KeptDelivery) => void,
  until: AbortSignal,
): Promise<void> {
  const next = deliveriesTo(runtime, listener);
  for (let renewMs = 0; !until.aborted; await pause(lookMs, undefined, { signal: until }).catch(() => {})) {
    for (const delivery of await next()) show(delivery);
    if (Date.now() < renewMs) continue;
    if (!(await renew(runtime, listener)))
      throw problem(
        'conflict',
        'The endpoint was removed, switched off by its response 410, or another assent listen took its place.',
      );
    renewMs = Date.now() + renewedMs;
  }
}

/** `localhost:3000/hook` is an address too. */
function addressIn(text: string): string {
  return /^https?:\/\//i.test(text) ? text : `http://${text}`;
}

function recordOf({ dateTime, eventId, type, advisorId, attempt, status, response, durationMs, body }: KeptDelivery) {
  return { dateTime, eventId, type, advisorId, attempt, status, response, durationMs, event: JSON.parse(body) };
}

function lineOf({ dateTime, eventId, type, attempt, status, response, durationMs }: KeptDelivery): string {
  const time = dateTime.toTimeString().slice(0, 8);
  const tries = attempt > 1 ? `  attempt ${attempt}` : '';
  const why = status !== null && status < 300 ? '' : `  ${inOneLine(response)}`;
  return `${time}  ${status ?? '–––'}  ${type}  ${eventId}  ${durationMs} ms${tries}${why}`;
}
