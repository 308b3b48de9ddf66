import { columnsOf } from '../database/columns.ts';
import type { Db, Transaction } from '../database/db.ts';
import type { MessageKey } from '../delivery/dispatches.ts';

/** Up to but not including `to`. */
export type Period = { from: Date; to: Date };
/** A text that a carrier accepted, and whether the carrier has a record of it. */
export type AttemptRecord = { advisorId: number; id: number; isMatched: boolean };
/** An attempt whose outcome is unknown, or that is still in progress. */
export type UnsettledAttempt = {
  advisorId: number;
  messageId: number;
  /** Whether nobody has settled it since. */
  isOpen: boolean;
  toNumber: string;
  fromNumbers: string[];
  textHash: Buffer | null;
};
const rowsPerFetch = 5_000;

/**
 * Whether we have any attempt from the period. It stops at the first one, and finds it by the time. Spans advisors: a carrier's
 * records are about texts of many.
 */
export async function hasRecords(db: Db, { from, to }: Period): Promise<boolean> {
  const found = await db.value<boolean>(
    `select
       exists (select 1 from messages where date_time_sent >= $1 and date_time_sent < $2)
       or exists (select 1 from attempts where date_time_started >= $1 and date_time_started < $2) as found`,
    [from, to],
  );
  return found ?? false;
}

/** Attempts whose response was lost or hasn't come yet, with everything needed to recognize the carrier's record. */
export async function* listDoubts(db: Transaction, period: Period): AsyncGenerator<UnsettledAttempt[]> {
  for (const texts of [listUnknown(db, period), listClaimed(db, period)])
    for await (const some of texts) yield await describeDoubts(db, some);
}

/** Spans advisors: a carrier's records are about texts of many. */
function listUnknown(db: Transaction, { from, to }: Period): AsyncGenerator<MessageKey[]> {
  return fetched<MessageKey>(
    db,
    `select advisor_id as "advisorId", message_id as "messageId"
     from attempts
     where date_time_started >= $1 and date_time_started < $2 and outcome = 'unknown'`,
    [from, to],
  );
}

/** Texts that are just being handed over. Spans advisors: a claim has texts of many. */
async function* listClaimed(db: Transaction, { from, to }: Period): AsyncGenerator<MessageKey[]> {
  const batches = fetched<MessageKey & { attempt: number }>(
    db,
    `select text.advisor_id as "advisorId", text.message_id as "messageId", text.attempt
     from claims
     cross join lateral unnest(advisor_ids, message_ids, attempts) as text (advisor_id, message_id, attempt)
     where date_time_started >= $1 and date_time_started < $2`,
    [from, to],
  );
  for await (const claimed of batches)
    yield await db.query<MessageKey>(
      `select advisor_id as "advisorId", message_id as "messageId"
       from unnest($1::bigint[], $2::bigint[], $3::smallint[]) as text (advisor_id, message_id, attempt)
       join messages m using (advisor_id, message_id)
       where m.attempt < text.attempt`,
      columnsOf(claimed, 'advisorId', 'messageId', 'attempt'),
    );
}

/** Spans advisors: a carrier's records are about texts of many. */
async function describeDoubts(db: Transaction, texts: MessageKey[]): Promise<UnsettledAttempt[]> {
  return db.query<UnsettledAttempt>(
    `select
       m.advisor_id as "advisorId", m.message_id as "messageId", m.status = 'in_doubt' as "isOpen",
       members.phone as "toNumber",
       array[advisors.texting_number, e.meta::json ->> 'from'] as "fromNumbers", sha256(b.body) as "textHash"
     from unnest($1::bigint[], $2::bigint[]) as text (advisor_id, message_id)
     join messages m on m.advisor_id = text.advisor_id and m.message_id = text.message_id
     join members on members.advisor_id = m.advisor_id and members.member_id = m.member_id
     join advisors on advisors.advisor_id = m.advisor_id
     join archive_entries e on e.advisor_id = m.advisor_id and e.number = m.archive_number
     left join archive_bodies b on b.advisor_id = e.advisor_id and b.number = e.number`,
    columnsOf(texts, 'advisorId', 'messageId'),
  );
}

/**
 * A query's rows in batches: no statement times out, however many rows there are. The carrier's records belong to no advisor, who
 * may be on another node, so no statement joins them with an advisor's rows: each batch is looked up instead.
 */
export async function* fetched<Row extends object>(
  db: Transaction,
  sql: string,
  values: unknown[],
): AsyncGenerator<Row[]> {
  await db.query(`declare compared no scroll cursor for ${sql}`, values);
  for (;;) {
    const rows = await db.query<Row>(`fetch ${rowsPerFetch} from compared`);
    if (rows.length > 0) yield rows;
    if (rows.length < rowsPerFetch) break;
  }
  await db.query('close compared');
}
