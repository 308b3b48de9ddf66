import type { Db } from '../database/db.ts';

/** How a node's carrier does, as the node last wrote it. The domain knows what is in the status. */
type StatusRow<Status> = { node: string; carrierId: number; status: Status; dateTime: Date };

/** Writes how this node's carriers do, and forgets nodes that are gone: real time. */
export async function upsertStatus(
  db: Db,
  node: string,
  statuses: { carrierId: number; status: object }[],
  { now, forgetBefore }: { now: Date; forgetBefore: Date },
): Promise<void> {
  await db.query(
    `with forgotten as (
       delete from carrier_status
       where date_time < $5 or (node = $1 and carrier_id <> all ($2::smallint[]))
     )
     insert into carrier_status (node, carrier_id, status, date_time)
     select $1, carrier_id, status, $4
     from unnest($2::smallint[], $3::jsonb[]) as given (carrier_id, status)
     on conflict (node, carrier_id) do update
     set status = excluded.status, date_time = excluded.date_time`,
    [
      node,
      statuses.map(({ carrierId }) => carrierId),
      statuses.map(({ status }) => JSON.stringify(status)),
      now,
      forgetBefore,
    ],
  );
}

export async function deleteStatus(db: Db, node: string): Promise<void> {
  await db.query('delete from carrier_status where node = $1', [node]);
}

/** Of every node that wrote lately. */
export async function listStatus<Status>(db: Db, since: Date): Promise<StatusRow<Status>[]> {
  return db.query<StatusRow<Status>>(
    `select node, carrier_id::integer as "carrierId", status, date_time as "dateTime"
     from carrier_status
     where date_time >= $1
     order by carrier_id, node`,
    [since],
  );
}

/** By carrier: texts that wait for it, and texts in doubt that it may have taken. Spans advisors: a carrier has texts of many. */
export async function countTexts(db: Db) {
  return db.query<{ carrierId: number; waiting: number; inDoubt: number }>(
    `select carrier_id::integer as "carrierId", sum(waiting)::integer as waiting, sum(in_doubt)::integer as "inDoubt"
     from (
       select carrier_id, count(*) as waiting, 0 as in_doubt
       from dispatches
       group by carrier_id
       union all
       select carrier_id, 0, count(*)
       from messages
       where rare_status = 'in_doubt' and carrier_id is not null
       group by carrier_id
     ) as texts
     group by carrier_id`,
  );
}
