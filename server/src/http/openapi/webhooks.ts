import { pushedEvents } from '../../schemas/webhooks/webhooks.ts';
import type { Shapes } from './shapes.ts';

/** What is pushed to applications' endpoints, by the event's type: OpenAPI describes our request to them. */
export function webhooksOf(tag: string, { refer }: Shapes): Record<string, Record<string, object>> {
  return Object.fromEntries(
    Object.entries(pushedEvents).map(([type, schema]) => [
      type,
      {
        post: {
          operationId: `on${type.replace(/(^|[._])(\w)/g, (_, __, letter: string) => letter.toUpperCase())}`,
          tags: [tag],
          summary: type,
          description: (schema as { description?: string }).description,
          // Nobody calls us here: the signature shows that the request is ours.
          security: [],
          parameters: Object.keys(webhookHeaders).map((name) => ({ $ref: `#/components/parameters/${name}` })),
          requestBody: { required: true, content: { 'application/json': { schema: refer(schema) } } },
          responses: {
            '2XX': { description: 'You have it.' },
            410: { description: 'You want no more: the endpoint is switched off.' },
            default: { description: 'It is pushed again later, for three days.' },
          },
        },
      },
    ]),
  );
}

/** The headers of Standard Webhooks. */
export const webhookHeaders = {
  WebhookId: header('webhook-id', 'The event’s `id`, the same each time it is pushed.', { type: 'string' }),
  WebhookTimestamp: header('webhook-timestamp', 'When it was pushed, in epoch seconds: real time.', {
    type: 'integer',
  }),
  WebhookSignature: header(
    'webhook-signature',
    'As Standard Webhooks says: `v1,` and the HMAC-SHA256 in base64. Two with a space between while the secret is replaced.',
    { type: 'string' },
  ),
};

function header(name: string, description: string, schema: object) {
  return { name, in: 'header', required: true, description, schema };
}
