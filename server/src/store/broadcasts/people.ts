import { type ContactFilter, conditionsOf } from '../address-book/contact-search.ts';
import type { ConsentState } from '../consent/consents.ts';
import type { Db } from '../database/db.ts';
import type { GroupPerson } from './recipients.ts';

/** The contacts that match, in the order of names. */
export async function listPeople(
  db: Db,
  advisorId: number,
  filter: ContactFilter,
  limit: number,
): Promise<Pick<GroupPerson, 'contactId' | 'name' | 'phone'>[]> {
  const values: unknown[] = [advisorId, limit];
  const conditions = ['c.advisor_id = $1', ...conditionsOf(filter, values)];
  return db.query(
    `select c.contact_id as "contactId", nullif(c.full_name, c.phone) as name, c.phone
     from contacts c
     where ${conditions.join(' and ')}
     order by c.full_name, c.contact_id
     limit $2`,
    values,
  );
}

/** The numbers that wait to be asked for their consent. */
export async function listPhonesToAsk(db: Db, advisorId: number): Promise<string[]> {
  const rows = await db.query<{ phone: string }>(
    `select r.phone
     from broadcasts b
     join broadcast_recipients r on r.advisor_id = b.advisor_id and r.broadcast_id = b.broadcast_id
     where b.advisor_id = $1 and b.status = 'sending' and b.wording_version is not null and r.state = 'waiting'`,
    [advisorId],
    'list-phones-to-ask',
  );
  return rows.map(({ phone }) => phone);
}

/** How many of those who were asked for their consent have which state by now. */
export async function countAnswers(
  db: Db,
  advisorId: number,
  broadcastId: number,
): Promise<{ state: ConsentState; people: number }[]> {
  return db.query(
    `select m.state, count(*) as people
     from broadcast_recipients r
     join members m on m.advisor_id = r.advisor_id and m.phone = r.phone
     where r.advisor_id = $1 and r.broadcast_id = $2 and r.state = 'accepted'
     group by m.state`,
    [advisorId, broadcastId],
    'count-answers',
  );
}
