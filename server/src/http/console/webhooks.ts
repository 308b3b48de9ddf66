import { type Delivery, listDeliveries, redeliver, testWebhook } from '../../domain/webhooks/deliveries.ts';
import { pushedTypes } from '../../domain/webhooks/pushed-events.ts';
import { isSuccess } from '../../domain/webhooks/turns.ts';
import * as webhooks from '../../domain/webhooks/webhooks.ts';
import { ApplicationParams } from '../../schemas/access/applications.ts';
import { EndpointInput, EndpointParams, Redelivery } from '../../schemas/webhooks/endpoints.ts';
import { operatorEndpoint } from './endpoint.ts';

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
  handler: async (deps, _, { params }, by) =>
    webhooks.deleteWebhook(deps, await webhooks.getWebhook(deps, params.webhookId), by),
});

export const rotate = operatorEndpoint({
  isFresh: true,
  params: EndpointParams,
  async handler(deps, _, { params }, by) {
    const { clientId, url } = await webhooks.getWebhook(deps, params.webhookId);
    return { secret: await webhooks.rotateWebhookSecret(deps, clientId, url, by) };
  },
});

export const disable = operatorEndpoint({
  params: EndpointParams,
  async handler(deps, _, { params }, by) {
    const { clientId, url } = await webhooks.getWebhook(deps, params.webhookId);
    await webhooks.disableWebhook(deps, clientId, url, by);
  },
});

export const enable = operatorEndpoint({
  params: EndpointParams,
  async handler(deps, _, { params }, by) {
    const { clientId, url } = await webhooks.getWebhook(deps, params.webhookId);
    await webhooks.enableWebhook(deps, clientId, url, by);
  },
});

export const test = operatorEndpoint({
  params: EndpointParams,
  async handler(deps, _, { params }) {
    const { clientId, url } = await webhooks.getWebhook(deps, params.webhookId);
    return shown(await testWebhook(deps, clientId, url));
  },
});

export const deliveries = operatorEndpoint({
  params: EndpointParams,
  async handler(deps, _, { params }) {
    const { clientId, url } = await webhooks.getWebhook(deps, params.webhookId);
    return { data: (await listDeliveries(deps, clientId, { url, limit: deliveriesShown })).map(shown) };
  },
});

export const again = operatorEndpoint({
  params: EndpointParams,
  body: Redelivery,
  async handler(deps, _, { params, body }) {
    const { clientId, url } = await webhooks.getWebhook(deps, params.webhookId);
    return shown(await redeliver(deps, clientId, body.eventId, url));
  },
});

/** Without the event, which may have a text in it, and without an answer that could repeat it. */
function shown(delivery: Delivery) {
  const { eventId, type, attempt, status, response, durationMs, dateTime } = delivery;
  const succeeded = isSuccess(delivery);
  return { eventId, type, attempt, status, succeeded, why: status === null ? response : null, durationMs, dateTime };
}
