import { sandboxCarrierId } from '../carriers/carriers.ts';
import type { Db, Transaction } from '../database/db.ts';

/** Up to but not including `to`. */
export type Period = { from: Date; to: Date };
/** A carrier's record, with the SHA-256 of its text if the carrier provides it. */
export type StagedRecord = {
  carrierMessageId: string;
  fromNumber: string;
  toNumber: string;
  textHash: Buffer | null;
  dateTime: Date;
};

/** One of our records, and whether its counterpart exists. */
export type Compared = { advisorId: number; id: number; isMatched: boolean };
/** An attempt whose outcome is unknown, or that is still in progress. */
export type DoubtRow = {
  advisorId: number;
  messageId: number;
  toNumber: string;
  fromNumbers: string[];
  textHash: Buffer | null;
};
export type ComparedRecord = Omit<StagedRecord, 'dateTime'> & {
  /** The advisor whose number it was sent from; null if nobody has that number. */
  advisorId: number | null;
  messageId: number | null;
  hasAttempt: boolean;
  isSame: boolean;
};

/** The records of one carrier, as they were staged. */
export type Run = { runId: number; carrierId: number };

const rowsPerFetch = 5_000;
const deletedMax = 10_000;

export async function insertCarrierRecords(db: Db, runId: number, records: StagedRecord[]): Promise<void> {
  await db.query(
    `insert into carrier_records (run_id, carrier_message_id, from_number, to_number, text_hash, date_time)
     select $1, *
     from unnest($2::text[], $3::text[], $4::text[], $5::bytea[], $6::timestamptz[])
     on conflict do nothing`,
    [
      runId,
      records.map(({ carrierMessageId }) => carrierMessageId),
      records.map(({ fromNumber }) => fromNumber),
      records.map(({ toNumber }) => toNumber),
      records.map(({ textHash }) => textHash),
      records.map(({ dateTime }) => dateTime),
    ],
  );
}

/** Those of a run, or of all earlier runs; in batches, until none is left. */
export async function deleteCarrierRecords(db: Db, runs: { is: number } | { before: number }): Promise<void> {
  const [condition, runId] = 'is' in runs ? ['run_id = $1', runs.is] : ['run_id < $1', runs.before];
  let deleted: number;
  do
    deleted = (
      await db.query(
        `delete from carrier_records
         where (run_id, carrier_message_id) in (
           select run_id, carrier_message_id
           from carrier_records
           where ${condition}
           limit ${deletedMax}
         )
         returning 1`,
        [runId],
      )
    ).length;
  while (deleted === deletedMax);
}

/**
 * Whether we have any record from the period. It stops at the first one, and finds it by the time. Spans advisors: a carrier's
 * records are about texts of many.
 */
export async function hasRecords(db: Db, { from, to }: Period): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(
    `select
       exists (select 1 from messages where date_time_created >= $1 and date_time_created < $2)
       or exists (select 1 from messages where date_time_sent >= $1 and date_time_sent < $2)
       or exists (select 1 from replies where date_time_created >= $1 and date_time_created < $2)
       or exists (select 1 from attempts where date_time_started >= $1 and date_time_started < $2)
       or exists (select 1 from archive_entries where date_time_created >= $1 and date_time_created < $2) as found`,
    [from, to],
  );
  return row?.found ?? false;
}

/**
 * Attempts that the carrier accepted, which messages tell, and whether it has a record of them. Spans advisors: a carrier's
 * records are about texts of many.
 */
export function compareAttempts(
  db: Transaction,
  { runId, carrierId }: Run,
  { from, to }: Period,
): AsyncGenerator<Compared[]> {
  return fetched<Compared>(
    db,
    `select
       m.advisor_id as "advisorId", m.message_id as id,
       exists (
         select
         from carrier_records
         where run_id = $1 and carrier_message_id = m.carrier_message_id
       ) as "isMatched"
     from messages m
     where m.date_time_sent >= $2
       and m.date_time_sent < $3
       and coalesce(m.carrier_id, ${sandboxCarrierId}) = $4`,
    [runId, from, to, carrierId],
  );
}

/**
 * Attempts whose answer was lost or hasn't come yet, with everything needed to recognize the carrier's record. Spans advisors: a
 * carrier's records are about texts of many.
 */
export function listDoubts(db: Transaction, { from, to }: Period): AsyncGenerator<DoubtRow[]> {
  return fetched<DoubtRow>(
    db,
    `select
       a.advisor_id as "advisorId", a.message_id as "messageId", t.phone as "toNumber",
       array[t.texting_number, e.meta::json ->> 'from'] as "fromNumbers", e.text_hash as "textHash"
     from (
       select advisor_id, message_id
       from attempts
       where date_time_started >= $1 and date_time_started < $2 and outcome = 'unknown'
       union all
       select text.advisor_id, text.message_id
       from claims
       cross join lateral unnest(advisor_ids, message_ids, attempts) as text (advisor_id, message_id, attempt)
       join messages m using (advisor_id, message_id)
       where date_time_started >= $1 and date_time_started < $2 and m.attempt < text.attempt
     ) as a
     cross join lateral (
       select archive_number, phone, texting_number
       from messages
       join members using (advisor_id, member_id)
       join advisors using (advisor_id)
       where advisor_id = a.advisor_id and message_id = a.message_id
       limit 1
     ) as t
     cross join lateral (
       select meta, sha256(body) as text_hash
       from archive_entries
       left join archive_bodies using (advisor_id, number)
       where advisor_id = a.advisor_id and number = t.archive_number
       limit 1
     ) as e`,
    [from, to],
  );
}

/**
 * The carrier's records for the period, each with the message that has its id. A removed body counts as the same. Spans
 * advisors: a carrier's records are about texts of many.
 */
export function compareRecords(
  db: Transaction,
  { runId, carrierId }: Run,
  { from, to }: Period,
): AsyncGenerator<ComparedRecord[]> {
  return fetched<ComparedRecord>(
    db,
    `select
       r.carrier_message_id as "carrierMessageId", r.from_number as "fromNumber", r.to_number as "toNumber",
       r.text_hash as "textHash", coalesce(t.advisor_id, s.advisor_id) as "advisorId", t.message_id as "messageId",
       t.date_time_sent is not null as "hasAttempt",
       coalesce(t.phone = r.to_number, true) and coalesce(r.text_hash = t.text_hash, true) as "isSame"
     from carrier_records r
     left join lateral (
       select m.advisor_id, m.message_id, m.date_time_sent, members.phone, sha256(b.body) as text_hash
       from messages m
       join members using (advisor_id, member_id)
       left join archive_bodies b on b.advisor_id = m.advisor_id and b.number = m.archive_number
       where m.carrier_message_id = r.carrier_message_id and coalesce(m.carrier_id, ${sandboxCarrierId}) = $4
       limit 1
     ) as t on true
     left join lateral (
       select advisor_id
       from advisors
       where texting_number = r.from_number
       limit 1
     ) as s on true
     where r.run_id = $1 and r.date_time >= $2 and r.date_time < $3`,
    [runId, from, to, carrierId],
  );
}

/** Messages and replies must each have their entry in the archive, and the entries of texts must each have theirs. */
const counterparts = {
  messages: {
    id: 'message_id',
    table: 'messages',
    counterpart: 'archive_entries',
    matches: `c.number = r.archive_number and c.kind = 'text_out' and c.message_id = r.message_id`,
  },
  textsOut: {
    id: 'number',
    table: 'archive_entries',
    only: `r.kind = 'text_out'`,
    counterpart: 'messages',
    matches: 'c.message_id = r.message_id and c.archive_number = r.number',
  },
  replies: {
    id: 'reply_id',
    table: 'replies',
    counterpart: 'archive_entries',
    matches: `c.number = r.archive_number and c.kind = 'text_in' and c.member_id = r.member_id`,
  },
  textsIn: {
    id: 'number',
    table: 'archive_entries',
    only: `r.kind = 'text_in'`,
    counterpart: 'replies',
    matches: `c.carrier_message_id = r.meta::json ->> 'carrierMessageId' and c.archive_number = r.number`,
  },
} satisfies Record<string, { id: string; table: string; only?: string; counterpart: string; matches: string }>;

/**
 * All of these that the period has, and whether each has its counterpart. Spans advisors: a carrier's records are about texts of
 * many.
 */
export function compareOwn(
  db: Transaction,
  of: keyof typeof counterparts,
  { from, to }: Period,
): AsyncGenerator<Compared[]> {
  const { id, table, only = 'true', counterpart, matches } = { only: undefined, ...counterparts[of] };
  return fetched<Compared>(
    db,
    `select r.advisor_id as "advisorId", r.${id} as id, c.advisor_id is not null as "isMatched"
     from ${table} r
     left join lateral (
       select c.advisor_id
       from ${counterpart} c
       where c.advisor_id = r.advisor_id and ${matches}
       limit 1
     ) as c on true
     where r.date_time_created >= $1 and r.date_time_created < $2 and ${only}`,
    [from, to],
  );
}

/** A query's rows in batches: no statement times out, however many rows there are. */
async function* fetched<Row extends object>(db: Transaction, sql: string, values: unknown[]): AsyncGenerator<Row[]> {
  await db.query(`declare compared no scroll cursor for ${sql}`, values);
  for (;;) {
    const rows = await db.query<Row>(`fetch ${rowsPerFetch} from compared`);
    if (rows.length > 0) yield rows;
    if (rows.length < rowsPerFetch) break;
  }
  await db.query('close compared');
}
