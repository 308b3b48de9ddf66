import * as events from '../../domain/events/events.ts';
import { EventFeed, EventQuery } from '../../schemas/events/events.ts';
import { endpoint } from '../door/route.ts';

export const list = endpoint({
  summary: 'List events',
  description:
    'What happened, oldest first, in the order in which it was committed, and kept for 30 days. Each response has a `cursor` for the next request, and none is skipped. With `wait`, an empty response waits for an event.',
  query: EventQuery,
  response: EventFeed,
  problems: [],
  async handler(deps, advisorId, { query }) {
    const { wait, ...rest } = query;
    const { data, ...feed } = await events.listEvents(deps, advisorId, { ...rest, waitSeconds: wait });
    return { data: data.map((event) => ({ ...event, dateTime: event.dateTime.toISOString() })), ...feed };
  },
});
