import type { TSchema } from 'typebox';
import { endReasons } from '../../domain/access/grants.ts';
import { Event, EventOf } from '../events/events.ts';
import { Id } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

/** Every event that is pushed, by its type: those of the feed, and those that only webhooks tell. */
export const pushedEvents: Record<string, TSchema> = Object.fromEntries(
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
