import { type Delivery, listDeliveries, redeliver, testWebhook } from '../../domain/webhooks/deliveries.ts';
import { pushedTypes } from '../../domain/webhooks/pushed-events.ts';
import { isSuccess } from '../../domain/webhooks/turns.ts';
import {
  addWebhook,
  disableWebhook,
  enableWebhook,
  listWebhooks,
  removeWebhook,
  rotateWebhookSecret,
  setWebhook,
  type WebhookName,
} from '../../domain/webhooks/webhooks.ts';
import { type Call, type Output, UsageError, type Verb, wholeNumber } from '../verb.ts';

const listedByDefault = 20;
export const typesOption = { value: 'TYPE,…', about: 'Push only these types of events; by default all.' };
/** Of the verbs that are about one endpoint. */
const one = ['CLIENT-ID', '[URL]'];
const nameOne = 'If it has several webhooks, name the URL of one.';

export const webhookVerbs: Verb[] = [
  {
    name: 'webhooks add',
    about: 'Push an application’s events to this HTTPS address too. Its secret is shown only once.',
    operands: ['CLIENT-ID', 'URL'],
    options: { types: typesOption },
    examples: ['webhooks add app_sandbox_x7k2 https://partner.example/hook --types consent.changed,message.status'],
    run: async ({ runtime, operands, options, out }) =>
      out.line(await addWebhook(runtime, operands['CLIENT-ID'] ?? '', operands.URL ?? '', typesIn(options.types))),
  },
  {
    name: 'webhooks set',
    about:
      'Push an application’s events to this HTTPS address, instead of the only webhook that it has. Its secret is shown only once.',
    operands: ['CLIENT-ID', 'URL'],
    options: { types: typesOption },
    run: async ({ runtime, operands, options, out }) =>
      out.line(await setWebhook(runtime, operands['CLIENT-ID'] ?? '', operands.URL ?? '', typesIn(options.types))),
  },
  {
    name: 'webhooks list',
    about: 'List the webhooks, the types of events that they get, and whether they work.',
    run: async ({ runtime, out }) =>
      out.records((await listWebhooks(runtime)).map(({ webhookId: _, ...webhook }) => webhook)),
  },
  {
    name: 'webhooks remove',
    about: `Remove an application’s webhook. What it wasn’t told yet, it is never told. ${nameOne}`,
    operands: one,
    run: ({ runtime, operands }) => removeWebhook(runtime, endpointIn(operands)),
    says: 'Removed.',
  },
  {
    name: 'webhooks test',
    about: `Push a webhook.test event and show the response. ${nameOne}`,
    operands: one,
    run: async ({ runtime, operands, out }) => show(out, await testWebhook(runtime, endpointIn(operands))),
  },
  {
    name: 'webhooks deliveries',
    about:
      'List the latest attempts, the last one first: to all of an application’s webhooks, or to one. They are kept for a week.',
    operands: one,
    options: { limit: { value: 'N', about: `How many; ${listedByDefault} by default.` } },
    run: async ({ runtime, operands, options, out }) => {
      const limit = options.limit === undefined ? listedByDefault : wholeNumber('--limit', options.limit);
      out.records((await listDeliveries(runtime, endpointIn(operands), limit)).map(shown));
    },
  },
  {
    name: 'webhooks redeliver',
    about: `Push an event again, by its id. ${nameOne}`,
    operands: ['CLIENT-ID', 'EVENT-ID', '[URL]'],
    run: async ({ runtime, operands, out }) =>
      show(out, await redeliver(runtime, endpointIn(operands), operands['EVENT-ID'] ?? '')),
  },
  {
    name: 'webhooks rotate',
    about: `Issue a new secret, shown only once. For one day, events are signed with both. ${nameOne}`,
    operands: one,
    run: async ({ runtime, operands, out }) => out.line(await rotateWebhookSecret(runtime, endpointIn(operands))),
  },
  {
    name: 'webhooks disable',
    about: `Stop pushing events. After webhooks enable, pushing resumes where it stopped. ${nameOne}`,
    operands: one,
    run: ({ runtime, operands }) => disableWebhook(runtime, endpointIn(operands)),
    says: 'Disabled.',
  },
  {
    name: 'webhooks enable',
    about: `Push events again, from where it stopped, also after three days of failures. ${nameOne}`,
    operands: one,
    run: ({ runtime, operands }) => enableWebhook(runtime, endpointIn(operands)),
    says: 'Enabled.',
  },
];

function endpointIn({ 'CLIENT-ID': clientId = '', URL: url }: Call['operands']): WebhookName {
  return { clientId, url };
}

/** Null for all. */
export function typesIn(text: string | undefined): string[] | null {
  if (text === undefined) return null;
  const types = text.split(',').map((type) => type.trim());
  const unknown = types.find((type) => !pushedTypes.includes(type));
  if (unknown === undefined) return types;
  throw new UsageError(`There is no event type "${unknown}". Types: ${pushedTypes.join(', ')}.`);
}

/** Fails if the endpoint didn't take it, so that a script notices. */
function show(out: Output, delivery: Delivery): void {
  out.records([shown(delivery)]);
  if (!isSuccess(delivery)) out.exitCode = 1;
}

function shown({ dateTime, eventId, type, advisorId, url, attempt, status, response, durationMs }: Delivery) {
  return { dateTime, eventId, type, advisorId, url, attempt, status, response, durationMs };
}
