import type { Static } from 'typebox';
import type { Deps } from '../../deps.ts';
import * as events from '../../domain/events/events.ts';
import type { EventQuery } from '../../schemas/events/events.ts';

export async function list(deps: Deps, advisorId: number, { query }: { query: Static<typeof EventQuery> }) {
  const { wait, ...rest } = query;
  const { data, ...feed } = await events.listEvents(deps, advisorId, { ...rest, waitSeconds: wait });
  return { data: data.map((event) => ({ ...event, dateTime: event.dateTime.toISOString() })), ...feed };
}
