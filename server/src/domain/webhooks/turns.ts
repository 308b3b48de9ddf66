import type { NewDelivery } from '../../store/webhooks/deliveries.ts';
import { insertDeliveries } from '../../store/webhooks/deliveries.ts';
import { type StreamChange, type StreamRow, updateStream } from '../../store/webhooks/streams.ts';
import { disableWebhook, type WebhookRow } from '../../store/webhooks/webhooks.ts';
import { dayMs } from '../shared/time.ts';
import { findNext, type PushedEvent } from './pushed-events.ts';
import { secretsOf, type WebhookDeps } from './webhooks.ts';

/** How long a stream is one node's. Its turn ends well before: a request takes 10 s at most. */
export const leaseMs = 60_000;
const turnMs = 15_000;
const eventsAtOnce = 50;

/**
 * The pause before the next attempt grows by half each time, up to six hours. What comes next waits too, so an endpoint that
 * fails a third of the time must soon go on: if pauses doubled, the unluckiest of a million events would wait for hours. After
 * three days the endpoint is switched off.
 */
const pauseMs = 5_000;
const growth = 1.5;
const pauseMsMax = 6 * 60 * 60 * 1_000;
const givenUpAfterMs = 3 * dayMs;
const jitter = 0.2;
const gone = 410;

/** What a turn came to: whether it failed, and why the endpoint must be switched off, if so. */
type Outcome = { change: StreamChange; deliveries: NewDelivery[]; isOver: boolean; switchOff: string | null };

/**
 * Tells an application what comes next about an advisor, one event after the other, until there is nothing more, one is
 * refused, or others should have their turn. What was told is written down a page at a time, so a crash tells at most a page
 * again. Returns why the endpoint was switched off, if it was.
 */
export async function takeTurn(
  deps: WebhookDeps,
  webhook: WebhookRow,
  claimed: StreamRow,
  leasedUntil: Date,
): Promise<string | null> {
  const endAtMs = Date.now() + turnMs;
  let stream = claimed;
  for (let lease = leasedUntil; ; ) {
    const outcome = await tellPage(deps, webhook, stream, endAtMs);
    const isLast = outcome.isOver || Date.now() >= endAtMs || deps.signals.stopping.signal.aborted;
    const next = isLast ? null : new Date(Date.now() + leaseMs);
    const lastsOn = await deps.db.transaction(async (db) => {
      await insertDeliveries(db, outcome.deliveries);
      return updateStream(db, stream, lease, { ...outcome.change, leasedUntil: next });
    });
    const { switchOff } = outcome;
    if (switchOff && (await disableWebhook(deps.db, webhook.applicationId, switchOff, new Date()))) return switchOff;
    if (!lastsOn || next === null) return null;
    stream = { ...stream, ...outcome.change, ...lastsOn };
    lease = next;
  }
}

async function tellPage(deps: WebhookDeps, webhook: WebhookRow, stream: StreamRow, endAtMs: number): Promise<Outcome> {
  const { events, end } = await findNext(deps, stream, eventsAtOnce);
  const deliveries: NewDelivery[] = [];
  let position = { number: stream.number, contactId: stream.contactId };
  let { failures } = stream;
  for (const event of events) {
    const of = { advisorId: stream.advisorId, attempt: failures + 1 };
    const delivery = Date.now() < endAtMs && (await deliverUnlessStopping(deps, webhook, event, of));
    if (!delivery) {
      const failingSince = failures > 0 ? stream.failingSince : null;
      return { ...going(position, { failures, failingSince }), deliveries, isOver: true };
    }
    deliveries.push(delivery);
    if (!isSuccess(delivery)) {
      const failingSince = failures > 0 ? stream.failingSince : delivery.dateTime;
      return { ...failed(delivery, position, { failures: failures + 1, failingSince }), deliveries, isOver: true };
    }
    failures = 0;
    position = event.position;
  }
  const isOver = end.number === stream.number && end.contactId === stream.contactId;
  const none = { failures: 0, failingSince: null };
  return { ...going(end, none), deliveries, isOver: isOver || events.length === 0 };
}

type Place = Pick<StreamChange, 'number' | 'contactId'>;
type Failing = Pick<StreamChange, 'failures' | 'failingSince'>;

function going(position: Place, failing: Failing): Pick<Outcome, 'change' | 'switchOff'> {
  return { change: { ...position, ...failing, notBefore: new Date(), leasedUntil: null }, switchOff: null };
}

function failed(
  { status, answer }: NewDelivery,
  position: Place,
  { failures, failingSince }: Failing,
): Pick<Outcome, 'change' | 'switchOff'> {
  const notBefore = new Date(Date.now() + pauseAfter(failures));
  const change = { ...position, failures, failingSince, notBefore, leasedUntil: null };
  if (status === gone) return { change, switchOff: 'the endpoint answered 410 Gone' };
  const isGivenUp = failingSince !== null && Date.now() - failingSince.getTime() >= givenUpAfterMs;
  const last = status === null ? answer : `it answered ${status}`;
  return { change, switchOff: isGivenUp ? `an event failed for three days; last: ${last}` : null };
}

/** The first retry comes after 5 s; later ones have jitter, so that streams that failed together come back apart. */
export function pauseAfter(failures: number): number {
  const next = Math.min(pauseMs * growth ** (failures - 1), pauseMsMax);
  return failures === 1 ? next : next * (1 - jitter + 2 * jitter * Math.random());
}

/** Null if the node is stopping: nobody knows whether it arrived, so it is told again. */
async function deliverUnlessStopping(...of: Parameters<typeof deliver>): Promise<NewDelivery | null> {
  const { signal } = of[0].signals.stopping;
  if (signal.aborted) return null;
  return deliver(...of).catch((error) => {
    if (signal.aborted) return null;
    throw error;
  });
}

/** One attempt, and what came back. */
export async function deliver(
  deps: WebhookDeps,
  webhook: WebhookRow,
  { id, type, body }: Pick<PushedEvent, 'id' | 'type' | 'body'>,
  { advisorId, attempt }: { advisorId: number | null; attempt: number },
): Promise<NewDelivery> {
  const { applicationId, url } = webhook;
  const dateTime = new Date();
  const until = deps.signals.stopping.signal;
  const pushed = await deps.push({ url, secrets: secretsOf(deps, webhook), id, body, until });
  const durationMs = Date.now() - dateTime.getTime();
  return { applicationId, advisorId, eventId: id, type, body, attempt, ...pushed, durationMs, dateTime };
}

export function isSuccess({ status }: Pick<NewDelivery, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300;
}
