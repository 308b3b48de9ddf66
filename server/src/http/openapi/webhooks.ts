import type { TSchema } from 'typebox';
import { endReasons } from '../../domain/access/grants.ts';
import { Event, EventOf } from '../../schemas/events/events.ts';
import { Id } from '../../schemas/shared/strings.ts';
import { Type } from '../../schemas/shared/type.ts';
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

/** Every event that is pushed, by its type: those of the feed, and those that only webhooks tell. */
const pushedEvents: Record<string, TSchema> = Object.fromEntries(
  [
    ...(Event as unknown as { anyOf: EventSchema[] }).anyOf,
    ...(['created', 'updated', 'deleted'] as const).map((what) =>
      EventOf(`contact.${what}`, `A contact was ${what}.`, { contactId: Id() }),
    ),
    EventOf('authorization.ended', 'The application can no longer act for the advisor.', {
      reason: Type.Unsafe<(typeof endReasons)[number]>({ type: 'string', enum: endReasons }),
    }),
    EventOf('webhook.test', 'The operator tests the endpoint. It is about no advisor.', {}),
  ].map((event) => pushed(event as unknown as EventSchema)),
);

type EventSchema = {
  title: string;
  description: string;
  properties: { id: TSchema; type: TSchema & { enum: string[] }; dateTime: TSchema; data: TSchema };
};

/** As in the feed, with the advisor. */
function pushed({ title, description, properties: { data, ...properties } }: EventSchema): [string, TSchema] {
  const [type = ''] = properties.type.enum;
  const advisorId = type === 'webhook.test' ? Type.Null() : Id({ description: 'Whom the event is about.' });
  const schema = Type.Object(
    { ...properties, advisorId, data },
    { title: title.replace(/event$/, 'webhook'), description },
  );
  return [type, schema];
}
