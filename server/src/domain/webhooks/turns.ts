import type { Deps } from '../../deps.ts';
import type { Batch } from '../../store/database/db.ts';
import type { NewDelivery } from '../../store/webhooks/deliveries.ts';
import { insertDeliveries } from '../../store/webhooks/deliveries.ts';
import type { StreamRow } from '../../store/webhooks/streams.ts';
import { type StreamChange, type StreamUpdate, type UpdatedStream, updateStreams } from '../../store/webhooks/turns.ts';
import type { WebhookRow } from '../../store/webhooks/webhooks.ts';
import { byService } from '../archive/archive.ts';
import { endOf } from '../shared/signals.ts';
import { storable } from '../shared/text/text-rules.ts';
import { dayMs, realTimeIn } from '../shared/time.ts';
import { findNext, type PushedEvent } from './pushed-events.ts';
import { secretsOf, switchOff } from './webhooks.ts';

/** How long a stream is one node's. Its turn ends well before: a request takes 10 s at most. */
export const leaseMs = 60_000;
const turnMs = 15_000;
/** Few at first: an endpoint that fails now and then would have us read many in vain. */
const eventsAtFirst = 8;
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

type TurnResult = { change: StreamChange; deliveries: NewDelivery[]; isOver: boolean; offReason: string | null };

/** Turns that write something down at the same time do it in one transaction. */
const recording: Batch<{ update: StreamUpdate; deliveries: NewDelivery[] }, UpdatedStream | null> = {
  async run(db, told) {
    await insertDeliveries(
      db,
      told.flatMap(({ deliveries }) => deliveries),
    );
    return updateStreams(
      db,
      told.map(({ update }) => update),
    );
  },
  weigh: ({ deliveries }) => 1 + deliveries.length,
};

/**
 * Tells an endpoint what comes next about an advisor, one event after the other, until there is nothing more, one is
 * refused, or others should have their turn. What was told is written down a page at a time, so a crash tells at most a page
 * again. Returns why the endpoint was switched off, if it was.
 */
export async function takeTurn(
  deps: Deps,
  webhook: WebhookRow,
  claimed: StreamRow,
  leasedUntil: Date,
): Promise<string | null> {
  const endAtMs = performance.now() + turnMs;
  const untilReset = deps.signals.resetGuard.signal();
  const endpoint = endpointOf(deps, webhook);
  const { webhookId, advisorId, feed } = claimed;
  let stream = claimed;
  let limit = eventsAtFirst;
  for (let heldUntil = leasedUntil; ; limit = eventsAtOnce) {
    const { change, deliveries, isOver, offReason } = await tellPage(deps, endpoint, stream, { limit, endAtMs });
    const isLast = isOver || performance.now() >= endAtMs || deps.signals.stopping.signal.aborted;
    const next = isLast ? null : realTimeIn(deps, leaseMs);
    // The stream is gone, or another one is in its place.
    if (untilReset.aborted) return null;
    const update = { webhookId, advisorId, feed, heldUntil, change: { ...change, leasedUntil: next } };
    const goesOn = await deps.db.batch(recording, { update, deliveries });
    // Somebody else decides, or another endpoint is in its place.
    if (!goesOn) return null;
    if (offReason && (await switchOff(deps, webhook, offReason, byService))) return offReason;
    if (next === null) return null;
    stream = { ...stream, ...change, ...goesOn };
    heldUntil = next;
  }
}

async function tellPage(
  deps: Deps,
  endpoint: WebhookEndpoint,
  stream: StreamRow,
  { limit, endAtMs }: { limit: number; endAtMs: number },
): Promise<TurnResult> {
  const { events, end, isLast } = await findNext(deps, endpoint, stream, limit);
  const deliveries: NewDelivery[] = [];
  let position = { number: stream.number, contactId: stream.contactId };
  let { failures } = stream;
  for (const event of events) {
    const of = { advisorId: stream.advisorId, attempt: failures + 1 };
    const delivery = performance.now() < endAtMs && (await deliverUnlessStopping(deps, endpoint, event, of));
    if (!delivery) {
      const failingSince = failures > 0 ? stream.failingSince : null;
      return { ...going(deps, position, { failures, failingSince }), deliveries, isOver: true };
    }
    deliveries.push(delivery);
    if (!isSuccess(delivery)) {
      const failingSince = failures > 0 ? stream.failingSince : delivery.dateTime;
      return {
        ...failed(deps, delivery, position, { failures: failures + 1, failingSince }),
        deliveries,
        isOver: true,
      };
    }
    failures = 0;
    position = event.position;
  }
  return { ...going(deps, end, { failures: 0, failingSince: null }), deliveries, isOver: isLast };
}

type StreamPosition = Pick<StreamChange, 'number' | 'contactId'>;
type FailureState = Pick<StreamChange, 'failures' | 'failingSince'>;

function going(
  { databaseClock }: Deps,
  position: StreamPosition,
  failing: FailureState,
): Pick<TurnResult, 'change' | 'offReason'> {
  return { change: { ...position, ...failing, notBefore: databaseClock.now(), leasedUntil: null }, offReason: null };
}

function failed(
  deps: Deps,
  { status, response }: NewDelivery,
  position: StreamPosition,
  { failures, failingSince }: FailureState,
): Pick<TurnResult, 'change' | 'offReason'> {
  const notBefore = realTimeIn(deps, pauseAfter(failures));
  const change = { ...position, failures, failingSince, notBefore, leasedUntil: null };
  if (status === gone) return { change, offReason: 'the endpoint answered 410 Gone' };
  const isGivenUp = failingSince !== null && failingSince <= realTimeIn(deps, -givenUpAfterMs);
  const last = status === null ? response : `it answered ${status}`;
  return { change, offReason: isGivenUp ? `an event failed for three days; last: ${last}` : null };
}

/** The first retry comes after 5 s; later ones have jitter, so that streams that failed together come back apart. */
export function pauseAfter(failures: number): number {
  const next = Math.min(pauseMs * growth ** (failures - 1), pauseMsMax);
  return failures === 1 ? next : next * (1 - jitter + 2 * jitter * Math.random());
}

/** Null if the node is stopping: nobody knows whether it arrived, so it is told again. */
async function deliverUnlessStopping(...of: Parameters<typeof deliver>): Promise<NewDelivery | null> {
  const signal = endOf(of[0].signals);
  if (signal.aborted) return null;
  return deliver(...of).catch((error) => {
    if (signal.aborted) return null;
    throw error;
  });
}

type WebhookEndpoint = Pick<WebhookRow, 'webhookId' | 'applicationId' | 'url' | 'types'> & { secrets: string[] };

export function endpointOf(deps: Deps, webhook: WebhookRow): WebhookEndpoint {
  const { webhookId, applicationId, url, types } = webhook;
  return { webhookId, applicationId, url, types, secrets: secretsOf(deps, webhook) };
}

export async function deliver(
  deps: Deps,
  { webhookId, url, secrets }: WebhookEndpoint,
  { id, type, body }: Pick<PushedEvent, 'id' | 'type' | 'body'>,
  { advisorId, attempt }: { advisorId: number | null; attempt: number },
): Promise<NewDelivery> {
  const dateTime = deps.databaseClock.now();
  const beganMs = performance.now();
  const pushed = await deps.push({ url, secrets, id, body, now: dateTime, until: endOf(deps.signals) });
  const response = storable(pushed.response);
  const durationMs = Math.round(performance.now() - beganMs);
  return { webhookId, url, advisorId, eventId: id, type, body, attempt, ...pushed, response, durationMs, dateTime };
}

export function isSuccess({ status }: Pick<NewDelivery, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300;
}
