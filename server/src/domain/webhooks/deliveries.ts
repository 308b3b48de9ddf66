import { randomUUID } from 'node:crypto';
import type { Deps } from '../../deps.ts';
import type { DeliveryRow, NewDelivery } from '../../store/webhooks/deliveries.ts';
import * as store from '../../store/webhooks/deliveries.ts';
import { forgetBefore } from '../shared/in-batches.ts';
import { dayMs, realTimeIn } from '../shared/time.ts';
import { findPushedEvent } from './pushed-events.ts';
import { deliver, endpointOf } from './turns.ts';
import { findWebhook, findWebhooks, type WebhookName } from './webhooks.ts';

export type Delivery = NewDelivery;
export type KeptDelivery = DeliveryRow;

/** Real time: longer than an event is retried. */
const keptMs = 7 * dayMs;

/** The latest attempts. */
export async function listDeliveries(deps: Deps, name: WebhookName, limit: number): Promise<KeptDelivery[]> {
  const webhooks = await findWebhooks(deps, name);
  return store.listDeliveries(deps.db, { webhookIds: webhooks.map(({ webhookId }) => webhookId), limit });
}

/** Of every application, also to endpoints that were removed. */
export async function listAllDeliveries(
  { db }: Pick<Deps, 'db'>,
  filter: store.DeliveryFilter,
): Promise<KeptDelivery[]> {
  return store.listDeliveries(db, filter);
}

/** Pushes an event that says nothing, so that somebody can see whether it arrives. */
export async function testWebhook(deps: Deps, name: WebhookName): Promise<Delivery> {
  const webhook = await findWebhook(deps, name);
  const [id, type] = [`evt_test_${randomUUID()}`, 'webhook.test'];
  const body = JSON.stringify({ id, type, dateTime: deps.clock.now(), advisorId: null, data: {} });
  const delivery = await deliver(deps, endpointOf(deps, webhook), { id, type, body }, { advisorId: null, attempt: 1 });
  await store.insertDeliveries(deps.db, [delivery]);
  return delivery;
}

/** Pushes an event again, with the same id, whatever became of it before. */
export async function redeliver(deps: Deps, name: WebhookName, eventId: string): Promise<Delivery> {
  const webhook = await findWebhook(deps, name);
  const [last] = await store.listDeliveries(deps.db, { webhookIds: [webhook.webhookId], eventId, limit: 1 });
  const event = last ? { ...last, id: eventId } : await findPushedEvent(deps, webhook, eventId);
  const delivery = await deliver(deps, endpointOf(deps, webhook), event, {
    advisorId: event.advisorId,
    attempt: (last?.attempt ?? 0) + 1,
  });
  await store.insertDeliveries(deps.db, [delivery]);
  return delivery;
}

export async function forgetOldDeliveries(deps: Deps): Promise<void> {
  await forgetBefore(deps, 'webhook_deliveries', realTimeIn(deps, -keptMs));
}
