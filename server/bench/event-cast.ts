import { issueApiKey, unlimited } from '../src/domain/access/api-keys.ts';
import { addApplication } from '../src/domain/access/applications.ts';
import { issueToken } from '../src/domain/access/tokens.ts';
import { insertEvents } from '../src/store/events/new-events.ts';
import type { Cast } from './send-cast.ts';

/** What it takes to be told about texts. */
export const scopes = ['text.messaging.read'];

const eventsAtOnce = 1_000;

/** An application with access to every advisor. */
export async function newListener(cast: Cast): Promise<string> {
  const { clientId } = await newApplication(cast);
  for (const advisorId of cast.advisorIds) await issueToken(cast.runtime, { clientId, advisorId, scopes });
  return clientId;
}

export async function newApplication({ runtime }: Cast): Promise<{ clientId: string; apiKey: string }> {
  const { application } = await addApplication(runtime, { name: 'Bench listener', redirectUris: [] });
  const { apiKey } = await issueApiKey(runtime, application.clientId, unlimited);
  return { clientId: application.clientId, apiKey };
}

/** Events of these advisors in turn, as the domain writes them. */
export async function addEvents({ runtime, owner }: Cast, advisorIds: number[], count: number): Promise<void> {
  const { rows } = await owner.query(
    `select distinct on (advisor_id) advisor_id::integer as "advisorId", member_id::integer as "memberId"
     from members
     where advisor_id = any ($1)
     order by advisor_id`,
    [advisorIds],
  );
  for (let left = count; left > 0; left -= eventsAtOnce) {
    const events = Array.from({ length: Math.min(left, eventsAtOnce) }, (_, index) => ({
      ...rows[index % rows.length],
      ...{ type: 'message.status', status: 'delivered', messageId: index, failureCode: null, scheduledMessageId: null },
    }));
    await runtime.db.transaction((db) => insertEvents(db, events, new Date()));
  }
}
