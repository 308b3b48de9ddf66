import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';
import { type KeptRange, keptOf } from '../shared/feeds.ts';

/** Contacts with consecutive ids that one statement changed. */
export type ChangeRow = {
  number: number;
  change: 'created' | 'updated' | 'deleted';
  firstContactId: number;
  lastContactId: number;
  dateTime: Date;
};

/** Changes from a number on, in order; and what is kept, as of the same moment. */
export async function listChanges(
  db: Db,
  advisorId: number,
  { from, limit }: { from: number; limit: number },
): Promise<{ kept: KeptRange; changes: ChangeRow[] }> {
  const rows = await db.query<ChangeRow & { first: number | null; last: number | null }>(
    `select
       first, last, c.number, c.change, c.first_contact_id as "firstContactId", c.last_contact_id as "lastContactId",
       c.date_time as "dateTime"
     from (
       select
         (select last_change from contact_books where advisor_id = $1) as last,
         (select number from contact_changes where advisor_id = $1 order by number limit 1) as first
     ) as kept
     left join lateral (
       select *
       from contact_changes
       where advisor_id = $1 and number >= $2
       order by number
       limit $3
     ) as c on true
     order by c.number`,
    [advisorId, from, limit],
    'list-changes',
  );
  return { kept: keptOf(rows[0]), changes: rows.filter(({ number }) => number !== null) };
}

/** The contacts in these spans of ids that are in the book, with the position of their span; each span in order. */
export async function listContactsIn(
  db: Db,
  advisorId: number,
  spans: { firstContactId: number; lastContactId: number }[],
  limit: number,
): Promise<{ position: number; contactId: number }[]> {
  if (spans.length === 0) return [];
  return db.query(
    `select (position - 1)::integer as position, contact_id as "contactId"
     from unnest($2::bigint[], $3::bigint[]) with ordinality as span (first_id, last_id, position)
     cross join lateral (
       select contact_id
       from contacts
       where advisor_id = $1 and contact_id between first_id and last_id
       order by contact_id
       limit $4
     ) as c
     order by position, contact_id
     limit $4`,
    [advisorId, ...columnsOf(spans, 'firstContactId', 'lastContactId'), limit],
    'list-contacts-in',
  );
}
