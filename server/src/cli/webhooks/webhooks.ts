import { type Delivery, listDeliveries, redeliver, testWebhook } from '../../domain/webhooks/deliveries.ts';
import { isSuccess } from '../../domain/webhooks/turns.ts';
import { disableWebhook, listWebhooks, rotateWebhookSecret, setWebhook } from '../../domain/webhooks/webhooks.ts';
import { type Output, type Verb, wholeNumber } from '../verb.ts';

const listedByDefault = 20;

export const webhookVerbs: Verb[] = [
  {
    name: 'webhooks set',
    about: 'Push an application’s events to this HTTPS address. Its secret is shown only once.',
    operands: ['CLIENT-ID', 'URL'],
    run: async ({ runtime, operands, out }) =>
      out.line(await setWebhook(runtime, operands['CLIENT-ID'] ?? '', operands.URL ?? '')),
  },
  {
    name: 'webhooks list',
    about: 'List the webhooks, and whether they work.',
    run: async ({ runtime, out }) => out.records(await listWebhooks(runtime)),
  },
  {
    name: 'webhooks test',
    about: 'Push a webhook.test event and show the response.',
    operands: ['CLIENT-ID'],
    run: async ({ runtime, operands, out }) => show(out, await testWebhook(runtime, operands['CLIENT-ID'] ?? '')),
  },
  {
    name: 'webhooks deliveries',
    about: 'List the latest attempts, the last one first. They are kept for a week.',
    operands: ['CLIENT-ID'],
    options: { limit: { value: 'N', about: `How many; ${listedByDefault} by default.` } },
    run: async ({ runtime, operands, options, out }) => {
      const limit = options.limit === undefined ? listedByDefault : wholeNumber('--limit', options.limit);
      const deliveries = await listDeliveries(runtime, operands['CLIENT-ID'] ?? '', limit);
      out.records(deliveries.map(shown));
    },
  },
  {
    name: 'webhooks redeliver',
    about: 'Push an event again, by its id.',
    operands: ['CLIENT-ID', 'EVENT-ID'],
    run: async ({ runtime, operands, out }) =>
      show(out, await redeliver(runtime, operands['CLIENT-ID'] ?? '', operands['EVENT-ID'] ?? '')),
  },
  {
    name: 'webhooks rotate',
    about: 'Issue a new secret, shown only once. For one day, events are signed with both.',
    operands: ['CLIENT-ID'],
    run: async ({ runtime, operands, out }) =>
      out.line(await rotateWebhookSecret(runtime, operands['CLIENT-ID'] ?? '')),
  },
  {
    name: 'webhooks disable',
    about: 'Stop pushing events. After webhooks set, pushing resumes where it stopped.',
    operands: ['CLIENT-ID'],
    run: ({ runtime, operands }) => disableWebhook(runtime, operands['CLIENT-ID'] ?? ''),
    says: 'Disabled.',
  },
];

/** Fails if the endpoint didn't take it, so that a script notices. */
function show(out: Output, delivery: Delivery): void {
  out.records([shown(delivery)]);
  if (!isSuccess(delivery)) out.exitCode = 1;
}

function shown({ dateTime, eventId, type, advisorId, attempt, status, answer, durationMs }: Delivery) {
  return { dateTime, eventId, type, advisorId, attempt, status, answer, durationMs };
}
