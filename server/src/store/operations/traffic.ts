import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';

export type Grain = 'minute' | 'hour' | 'day';
export type TrafficKind = 'request' | 'all_requests' | 'text';
export type TrafficRow = {
  grain: Grain;
  dateTime: Date;
  kind: TrafficKind;
  /** The API key or the carrier. */
  subjectId: number;
  outcome: string;
  amount: number;
  latencies: number[];
};

/** Steps of a period, numbered from 0; the requests of one key, if that is given. */
export type TrafficPeriod = { grain: Grain; from: Date; until: Date; stepSeconds: number };
export type TrafficSum = Omit<TrafficRow, 'grain' | 'dateTime'> & { step: number };

/** Adds to what is there, of this node and of others, in one order, so that two nodes that write at once can't deadlock. */
export async function addTraffic(db: Db, rows: TrafficRow[]): Promise<void> {
  await db.query(
    `insert into traffic as had (grain, date_time, kind, subject_id, outcome, amount, latencies)
     select grain, date_time, kind, subject_id, outcome, amount, latencies::integer[]
     from unnest($1::text[], $2::timestamptz[], $3::text[], $4::bigint[], $5::text[], $6::integer[], $7::text[])
       as given (grain, date_time, kind, subject_id, outcome, amount, latencies)
     order by grain, kind, date_time, subject_id, outcome
     on conflict (grain, kind, date_time, subject_id, outcome) do update
     set amount = had.amount + excluded.amount,
         latencies = array(
           select coalesce(before, 0) + coalesce(more, 0)
           from unnest(had.latencies, excluded.latencies) with ordinality as both_of (before, more, bucket)
           order by bucket
         )`,
    [
      ...columnsOf(rows, 'grain', 'dateTime', 'kind', 'subjectId', 'outcome', 'amount'),
      rows.map(({ latencies }) => `{${latencies.join()}}`),
    ],
    'add-traffic',
  );
}

export async function deleteTraffic(db: Db, before: Record<Grain, Date>): Promise<void> {
  await db.query(
    `delete from traffic
     using unnest($1::text[], $2::timestamptz[]) as old (grain, before)
     where traffic.grain = old.grain and traffic.date_time < old.before`,
    [Object.keys(before), Object.values(before)],
  );
}

/**
 * By step, subject and outcome. Sums of the array's elements, one by one: with a row for each element, a year of a hundred keys took ten times
 * as long.
 */
export async function listTraffic(
  db: Db,
  kinds: TrafficKind[],
  { grain, from, until, stepSeconds }: TrafficPeriod,
  subjectId: number | null = null,
): Promise<TrafficSum[]> {
  return db.query<TrafficSum>(
    `select
       kind,
       subject_id as "subjectId",
       floor(extract(epoch from date_time - $3::timestamptz) / $5::integer)::integer as step,
       outcome,
       sum(amount)::float8 as amount,
       array[${bucketSums}]::float8[] as latencies
     from traffic
     where grain = $1
       and kind = any ($2::text[])
       and date_time >= $3
       and date_time < $4::timestamptz
       and ($6::bigint is null or subject_id = $6)
     group by 1, 2, 3, 4`,
    [grain, kinds, from, until, stepSeconds, subjectId],
    'list-traffic',
  );
}

/** As many as domain/shared/traffic-counts.ts has. */
const buckets = 34;
const bucketSums = Array.from({ length: buckets }, (_, bucket) => `coalesce(sum(latencies[${bucket + 1}]), 0)`).join(
  ', ',
);

/** An API key as operators know it, with what its plan allows and what it used on that day. */
type TrafficKeyRow = {
  keyId: number;
  hint: string;
  revoked: boolean;
  applicationId: number;
  applicationName: string;
  ratePerSecond: number | null;
  dailyQuota: number | null;
  usedToday: number;
};

export async function listTrafficKeys(db: Db, day: string): Promise<TrafficKeyRow[]> {
  return db.query<TrafficKeyRow>(
    `select
       k.key_id as "keyId", k.hint, k.revoked, a.application_id as "applicationId", a.name as "applicationName",
       k.rate_per_second as "ratePerSecond", k.daily_quota as "dailyQuota", coalesce(d.used, 0) as "usedToday"
     from api_keys k
     join applications a using (application_id)
     left join api_key_days d on d.key_id = k.key_id and d.day = $1
     order by a.name, k.key_id`,
    [day],
  );
}

type BacklogRow = { carrierId: number; waiting: number; deferred: number; oldest: Date | null };

/**
 * By carrier: texts that wait for their turn, since when the first of them could have gone, and those that wait for their recipient's day.
 * Spans advisors: a carrier has texts of many.
 */
export async function listBacklogs(db: Db): Promise<BacklogRow[]> {
  return db.query<BacklogRow>(
    `select
       carrier_id::integer as "carrierId",
       (count(*) filter (where deferred_until is null))::integer as waiting,
       (count(*) filter (where deferred_until is not null))::integer as deferred,
       min(not_before) filter (where deferred_until is null) as oldest
     from dispatches
     group by carrier_id`,
  );
}
