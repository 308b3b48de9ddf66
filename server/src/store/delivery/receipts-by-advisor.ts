import { sandboxCarrierId } from '../carriers/carriers.ts';
import type { Db } from '../database/db.ts';
import { forEachShard } from '../database/distribution/by-shard.ts';
import type { MessageKey, Times } from './dispatches.ts';
import { moveByReceipt, type ReceiptRow } from './receipt-moves.ts';

/**
 * Receipts where the database is distributed. All nodes are asked which texts have these ids; then each text is moved on the
 * node of its advisor. Every statement may run twice: a second run finds nothing to change.
 */

type Matched = MessageKey & Pick<ReceiptRow, 'status' | 'code' | 'reason'>;

export async function recordByAdvisor(db: Db, receipts: ReceiptRow[], { now, realNow }: Times): Promise<void> {
  // Of several about one text, delivered counts.
  const byText = new Map(receipts.map((receipt) => [keyOf(receipt), receipt]));
  for (const receipt of receipts) if (receipt.status === 'delivered') byText.set(keyOf(receipt), receipt);
  const { matched, unmatched } = await match(db, [...byText.values()]);
  await keepUnmatched(db, unmatched, realNow);
  await moveTexts(db, matched, now);
}

/** In a transaction. Returns how many receipts had come before the answer that they are about. */
export async function applyByAdvisor(db: Db, limit: number, now: Date): Promise<number> {
  const waiting = await db.query<ReceiptRow>(
    `select carrier_id as "carrierId", carrier_message_id as "carrierMessageId", status, code, failure_code as reason
     from unmatched_receipts
     limit $1
     for update skip locked`,
    [limit],
  );
  const { matched, unmatched } = await match(db, waiting);
  const applied = waiting.filter((receipt) => !unmatched.includes(receipt));
  await db.query(
    `delete from unmatched_receipts
     using unnest($1::smallint[], $2::text[]) as given (carrier_id, carrier_message_id)
     where unmatched_receipts.carrier_id = given.carrier_id
       and unmatched_receipts.carrier_message_id = given.carrier_message_id`,
    [applied.map(({ carrierId }) => carrierId), applied.map(({ carrierMessageId }) => carrierMessageId)],
  );
  await moveTexts(db, matched, now);
  return applied.length;
}

/** Spans advisors: a carrier knows only its own ids. */
async function match(db: Db, receipts: ReceiptRow[]): Promise<{ matched: Matched[]; unmatched: ReceiptRow[] }> {
  if (receipts.length === 0) return { matched: [], unmatched: [] };
  const rows = await db.query<MessageKey & Pick<ReceiptRow, 'carrierId' | 'carrierMessageId'>>(
    `select
       advisor_id as "advisorId", message_id as "messageId", carrier_message_id as "carrierMessageId",
       coalesce(carrier_id, ${sandboxCarrierId})::integer as "carrierId"
     from messages
     where carrier_message_id = any ($1)`,
    [receipts.map(({ carrierMessageId }) => carrierMessageId)],
    'match-receipts',
  );
  const texts = new Map(rows.map((row) => [keyOf(row), row]));
  const matched = receipts.flatMap((receipt) => {
    const text = texts.get(keyOf(receipt));
    const { status, code, reason } = receipt;
    return text ? [{ ...text, status, ...(code && { code }), ...(reason && { reason }) }] : [];
  });
  return { matched, unmatched: receipts.filter((receipt) => !texts.has(keyOf(receipt))) };
}

async function keepUnmatched(db: Db, receipts: ReceiptRow[], realNow: Date): Promise<void> {
  if (receipts.length === 0) return;
  await db.query(
    `insert into unmatched_receipts as kept (
       carrier_id, carrier_message_id, status, code, failure_code, reference, from_number, to_number, date_time_created
     )
     select carrier_id, carrier_message_id, status, code, failure_code, reference, from_number, to_number, $1::timestamptz
     from unnest($2::smallint[], $3::text[], $4::text[], $5::text[], $6::integer[], $7::text[], $8::text[], $9::text[])
       as given (carrier_id, carrier_message_id, status, code, reference, from_number, to_number, failure_code)
     order by carrier_id, carrier_message_id
     on conflict (carrier_id, carrier_message_id) do update
     set status = excluded.status, code = excluded.code, failure_code = excluded.failure_code
     where kept.status <> 'delivered'`,
    [
      realNow,
      receipts.map(({ carrierId }) => carrierId),
      receipts.map(({ carrierMessageId }) => carrierMessageId),
      receipts.map(({ status }) => status),
      receipts.map(({ code }) => code ?? null),
      receipts.map(({ reference }) => reference ?? null),
      receipts.map(({ from }) => from ?? null),
      receipts.map(({ to }) => to ?? null),
      receipts.map(({ reason }) => reason ?? null),
    ],
    'keep-unmatched',
  );
}

async function moveTexts(db: Db, matched: Matched[], now: Date): Promise<void> {
  await forEachShard(db, matched, (db, matched) =>
    db.write(
      `with known as materialized (
         select *
         from unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[])
           as given (advisor_id, message_id, status, code, failure_code)
         order by message_id
       ),
       ${moveByReceipt}
       select`,
      [
        now,
        matched.map(({ advisorId }) => advisorId),
        matched.map(({ messageId }) => messageId),
        matched.map(({ status }) => status),
        matched.map(({ code }) => code ?? null),
        matched.map(({ reason }) => reason ?? null),
      ],
      'move-by-receipts',
    ),
  );
}

function keyOf({ carrierId, carrierMessageId }: Pick<ReceiptRow, 'carrierId' | 'carrierMessageId'>): string {
  return `${carrierId}:${carrierMessageId}`;
}
