import type { Db, Transaction } from '../database/db.ts';
import type { MessageKey } from '../delivery/dispatches.ts';
import { type AttemptRecord, fetched, type Period } from './reconciliation.ts';

/** A carrier's record, with the SHA-256 of its text if the carrier provides it. */
export type StagedRecord = {
  carrierMessageId: string;
  fromNumber: string;
  toNumber: string;
  textHash: Buffer | null;
  dateTime: Date;
};

export type ComparedRecord = Omit<StagedRecord, 'dateTime'> & {
  /** The advisor whose number it was sent from; null if nobody has that number. */
  advisorId: number | null;
  messageId: number | null;
  hasAttempt: boolean;
  isSame: boolean;
};

export type Run = { runId: number; carrierId: number };

const deletedMax = 10_000;
/** How far our time of a text may be from the carrier's. */
const aroundMs = 60 * 60 * 1000;

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
 * Attempts that the carrier accepted, which messages tell, and whether it has a record of them. Spans advisors: a carrier's
 * records are about texts of many.
 */
export async function* compareAttempts(
  db: Transaction,
  { runId, carrierId }: Run,
  { from, to }: Period,
): AsyncGenerator<AttemptRecord[]> {
  const batches = fetched<{ advisorId: number; id: number; carrierMessageId: string | null }>(
    db,
    `select advisor_id as "advisorId", message_id as id, carrier_message_id as "carrierMessageId"
     from messages
     where date_time_sent >= $1
       and date_time_sent < $2
       and carrier_id = $3`,
    [from, to, carrierId],
  );
  for await (const attempts of batches) {
    const found = await db.query<{ id: string }>(
      'select carrier_message_id as id from carrier_records where run_id = $1 and carrier_message_id = any ($2)',
      [runId, attempts.map(({ carrierMessageId }) => carrierMessageId)],
    );
    const recorded = new Set(found.map(({ id }) => id));
    yield attempts.map(({ advisorId, id, carrierMessageId }) => ({
      advisorId,
      id,
      isMatched: carrierMessageId !== null && recorded.has(carrierMessageId),
    }));
  }
}

/** The carrier's records for the period, each with the message that has its id. A removed body counts as the same. */
export async function* compareRecords(
  db: Transaction,
  { runId, carrierId }: Run,
  { from, to }: Period,
): AsyncGenerator<ComparedRecord[]> {
  const batches = fetched<StagedRecord>(
    db,
    `select
       carrier_message_id as "carrierMessageId", from_number as "fromNumber", to_number as "toNumber",
       text_hash as "textHash", date_time as "dateTime"
     from carrier_records
     where run_id = $1 and date_time >= $2 and date_time < $3
     order by date_time`,
    [runId, from, to],
  );
  for await (const records of batches) {
    const texts = await findTexts(db, carrierId, records);
    const senders = await findSenders(
      db,
      records.map(({ fromNumber }) => fromNumber),
    );
    yield records.map((record) => {
      const text = texts.get(record.carrierMessageId);
      return {
        ...record,
        advisorId: text?.advisorId ?? senders.get(record.fromNumber) ?? null,
        messageId: text?.messageId ?? null,
        hasAttempt: text?.hasAttempt ?? false,
        isSame: !text || (text.phone === record.toNumber && isSameHash(text.textHash, record.textHash)),
      };
    });
  }
}

type FoundText = MessageKey & { carrierMessageId: string; hasAttempt: boolean; phone: string; textHash: Buffer | null };

/**
 * By the carrier's ids, of records in the order of time. A text that got its receipt with the carrier's answer is found around that
 * time. Spans advisors: a carrier's records are about texts of many.
 */
async function findTexts(db: Db, carrierId: number, records: StagedRecord[]): Promise<Map<string, FoundText>> {
  const rows = await db.query<FoundText>(
    `select
       m.carrier_message_id as "carrierMessageId", m.advisor_id as "advisorId", m.message_id as "messageId",
       m.date_time_sent is not null as "hasAttempt", members.phone, sha256(b.body) as "textHash"
     from (
       select advisor_id, message_id
       from carrier_texts
       where carrier_message_id = any ($1) and carrier_id = $2
       union
       select advisor_id, message_id
       from messages
       where carrier_message_id = any ($1) and carrier_id = $2
         and (date_time_sent between $3 and $4 or date_time_created between $3 and $4)
     ) as found
     join messages m on m.advisor_id = found.advisor_id and m.message_id = found.message_id
     join members on members.advisor_id = m.advisor_id and members.member_id = m.member_id
     left join archive_bodies b on b.advisor_id = m.advisor_id and b.number = m.archive_number`,
    [
      records.map(({ carrierMessageId }) => carrierMessageId),
      carrierId,
      new Date((records[0]?.dateTime.getTime() ?? 0) - aroundMs),
      new Date((records.at(-1)?.dateTime.getTime() ?? 0) + aroundMs),
    ],
  );
  return new Map(rows.map((row) => [row.carrierMessageId, row]));
}

async function findSenders(db: Db, numbers: string[]): Promise<Map<string, number>> {
  const rows = await db.query<{ number: string; advisorId: number }>(
    'select texting_number as number, advisor_id as "advisorId" from advisors where texting_number = any ($1)',
    [[...new Set(numbers)]],
  );
  return new Map(rows.map(({ number, advisorId }) => [number, advisorId]));
}

/** Where one of them is missing, there is nothing to compare. */
function isSameHash(one: Buffer | null, other: Buffer | null): boolean {
  return !one || !other || one.equals(other);
}
