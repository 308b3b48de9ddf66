import type { Db } from '../database/db.ts';

export type NewReply = { memberId: number; archiveNumber: number; carrierMessageId: string };

/** Whether the carrier has delivered this text before. */
export async function hasReply(db: Db, advisorId: number, carrierMessageId: string): Promise<boolean> {
  const rows = await db.query(
    `select
     from replies
     where advisor_id = $1 and carrier_message_id = $2`,
    [advisorId, carrierMessageId],
    'has-reply',
  );
  return rows.length > 0;
}

export async function insertReply(db: Db, advisorId: number, reply: NewReply, now: Date): Promise<void> {
  await db.query(
    `insert into replies (advisor_id, member_id, archive_number, carrier_message_id, date_time_created)
     values ($1, $2, $3, $4, $5)`,
    [advisorId, reply.memberId, reply.archiveNumber, reply.carrierMessageId, now],
    'insert-reply',
  );
}
