import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';
import { forAdvisors } from '../database/for-advisors.ts';

/** A texting number, whose it is, and the carrier it goes by. */
export type NumberRow = {
  number: string;
  advisorId: number;
  advisor: string;
  carrier: string | null;
  pace: number | null;
  campaign: string | null;
};

/** What became of a number's texts lately. */
type NumberRecord = {
  lastSentAt: Date | null;
  lastDeliveredAt: Date | null;
  /** Of the last hour: texts that were handed over or failed, and those of them that failed or weren't delivered. */
  texts: number;
  failed: number;
  inDoubt: number;
  waiting: number;
};

/** How far back the last delivery is looked for. */
const latestMax = 1_000;

export async function listNumbers(db: Db): Promise<NumberRow[]> {
  return db.query<NumberRow>(
    `select
       texting_number as number, advisor_id as "advisorId", email as advisor, c.name as carrier, texting_pace as pace,
       campaign
     from advisors
     left join carriers c using (carrier_id)
     where texting_number is not null
     order by texting_number`,
  );
}

/** `since` is in domain time. Texts are looked through by the index of the advisor's list. */
export async function findNumberRecord(db: Db, advisorId: number, since: Date): Promise<NumberRecord> {
  return db.one<NumberRecord>(
    `with latest as (
       select status, date_time_created, date_time_sent, date_time_delivered
       from messages
       where advisor_id = $1 and kind = 'text'
       order by date_time_created desc, message_id desc
       limit ${latestMax}
     ),
     recent as (
       select status
       from messages
       where advisor_id = $1 and kind = 'text' and date_time_created >= $2
     )
     select
       (select max(date_time_sent) from latest) as "lastSentAt",
       (select max(date_time_delivered) from latest) as "lastDeliveredAt",
       count(*) filter (where status in ('sent', 'delivered', 'undelivered', 'failed', 'in_doubt'))::integer as texts,
       count(*) filter (where status in ('undelivered', 'failed'))::integer as failed,
       count(*) filter (where status = 'in_doubt')::integer as "inDoubt",
       (select count(*) from dispatches where advisor_id = $1)::integer as waiting
     from recent`,
    [advisorId, since],
  );
}

/** Advisors whose number has moved to another carrier lately: real time. */
export async function listMoved(db: Db, since: Date): Promise<number[]> {
  const rows = await db.query<{ advisorId: number }>(
    `select distinct advisor_id as "advisorId"
     from earlier_numbers
     where left_at >= $1`,
    [since],
    'list-moved',
  );
  return rows.map(({ advisorId }) => advisorId);
}

/**
 * Passes texts that wait to the carrier that their number has now. Returns how many. Spans advisors: several numbers may have
 * moved.
 */
export async function passDispatches(db: Db, advisorIds: number[]): Promise<number> {
  if (advisorIds.length === 0) return 0;
  const rows = await db.query(
    `update dispatches
     set carrier_id = a.carrier_id
     from advisors a
     where dispatches.advisor_id = any ($1)
       and a.advisor_id = dispatches.advisor_id
       and a.carrier_id <> dispatches.carrier_id
     returning 1`,
    [advisorIds],
  );
  return rows.length;
}

/** An advisor's number is another one from now on, or goes by another carrier: real time. */
export async function insertEarlierNumber(
  db: Db,
  { number, carrierId, advisorId, leftAt }: { number: string; carrierId: number; advisorId: number; leftAt: Date },
): Promise<void> {
  await db.query(
    `insert into earlier_numbers (number, carrier_id, advisor_id, left_at)
     values ($1, $2, $3, $4)
     on conflict (number, carrier_id, advisor_id) do update set left_at = excluded.left_at`,
    [number, carrierId, advisorId, leftAt],
  );
}

/** Who else had this number, and texted one of these phones from it, however long ago. */
export async function listEarlierTexters(
  db: Db,
  { number, advisorId, phones }: { number: string; advisorId: number; phones: string[] },
): Promise<{ advisorId: number; firmId: number }[]> {
  const owners = await db.query<{ advisorId: number; firmId: number }>(
    `select distinct advisor_id as "advisorId", firm_id as "firmId"
     from earlier_numbers
     join advisors using (advisor_id)
     where number = $1 and advisor_id <> $2`,
    [number, advisorId],
    'list-earlier-owners',
  );
  if (owners.length === 0) return [];
  const hasTexted = (kinds: string) => `exists (
         select
         from messages t
         join archive_entries e on e.advisor_id = t.advisor_id and e.number = t.archive_number
         where t.advisor_id = m.advisor_id and t.member_id = m.member_id and ${kinds} and strpos(e.meta, $4) > 0
       )`;
  return forAdvisors(db, owners, (db, owners) =>
    db.query(
      `select distinct given.advisor_id as "advisorId", given.firm_id as "firmId"
       from unnest($1::bigint[], $2::bigint[]) as given (advisor_id, firm_id)
       join members m on m.advisor_id = given.advisor_id and m.phone = any ($3)
       where ${hasTexted(`t.kind = 'text'`)} or ${hasTexted(`t.kind <> 'text'`)}`,
      [...columnsOf(owners, 'advisorId', 'firmId'), phones, `"from":"${number}"`],
      'list-earlier-texters',
    ),
  );
}

/** Who had the number with this carrier last: lately, or at any time if nobody has it now. */
export async function findEarlierOwner(
  db: Db,
  number: string,
  { carrierId, leftSince }: { carrierId: number; leftSince: Date },
): Promise<number | null> {
  const row = await db.find<{ advisorId: number }>(
    `select advisor_id as "advisorId"
     from earlier_numbers
     where number = $1 and carrier_id = $2
       and (left_at >= $3 or not exists (select from advisors where texting_number = $1))
     order by left_at desc
     limit 1`,
    [number, carrierId, leftSince],
  );
  return row?.advisorId ?? null;
}
