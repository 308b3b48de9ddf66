import { type Delivery, listDeliveries, redeliver, testWebhook } from '../../domain/webhooks/deliveries.ts';
import { pushedTypes } from '../../domain/webhooks/pushed-events.ts';
import { isSuccess } from '../../domain/webhooks/turns.ts';
import * as webhooks from '../../domain/webhooks/webhooks.ts';
import { Id, stringLengthMax } from '../../schemas/shared/strings.ts';
import { Type } from '../../schemas/shared/type.ts';
import { ApplicationParams } from './applications.ts';
import { operatorEndpoint } from './endpoint.ts';

const text = () => Type.String({ minLength: 1, maxLength: stringLengthMax });

/** What an operator gives for an application's endpoint; without types it gets all. */
const EndpointParams = Type.Object({ webhookId: Id() });
const EndpointInput = Type.Object({
  url: Type.String({ minLength: 1, maxLength: 2000 }),
  types: Type.Optional(Type.Array(text(), { minItems: 1, maxItems: 20 })),
});
const Redelivery = Type.Object({ eventId: text() });

const deliveriesShown = 200;

export const list = operatorEndpoint({
  handler: async (deps) => ({ data: await webhooks.listWebhooks(deps), types: pushedTypes }),
});

export const add = operatorEndpoint({
  isFresh: true,
  params: ApplicationParams,
  body: EndpointInput,
  handler: async (deps, _, { params, body: { url, types = null } }, by) => ({
    secret: await webhooks.addWebhook(deps, params.clientId, url, types, by),
  }),
});

export const remove = operatorEndpoint({
  params: EndpointParams,
  handler: (deps, _, { params }, by) => webhooks.removeWebhook(deps, params, by),
});

export const rotate = operatorEndpoint({
  isFresh: true,
  params: EndpointParams,
  handler: async (deps, _, { params }, by) => ({ secret: await webhooks.rotateWebhookSecret(deps, params, by) }),
});

export const disable = operatorEndpoint({
  params: EndpointParams,
  handler: (deps, _, { params }, by) => webhooks.disableWebhook(deps, params, by),
});

export const enable = operatorEndpoint({
  params: EndpointParams,
  handler: (deps, _, { params }, by) => webhooks.enableWebhook(deps, params, by),
});

export const test = operatorEndpoint({
  params: EndpointParams,
  handler: async (deps, _, { params }) => shown(await testWebhook(deps, params)),
});

export const deliveries = operatorEndpoint({
  params: EndpointParams,
  handler: async (deps, _, { params }) => ({
    data: (await listDeliveries(deps, params, deliveriesShown)).map(shown),
  }),
});

export const again = operatorEndpoint({
  params: EndpointParams,
  body: Redelivery,
  handler: async (deps, _, { params, body }) => shown(await redeliver(deps, params, body.eventId)),
});

/** Without the event, which may have a text in it, and without an answer that could repeat it. */
function shown(delivery: Delivery) {
  const { eventId, type, attempt, status, response, durationMs, dateTime } = delivery;
  const succeeded = isSuccess(delivery);
  return { eventId, type, attempt, status, succeeded, why: status === null ? response : null, durationMs, dateTime };
}
