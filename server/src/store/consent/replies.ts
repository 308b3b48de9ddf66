import type { Db } from '../database/db.ts';

/** `memberId` is null if the sender is no phone number. */
type NewReply = { memberId: number | null; archiveNumber: number; carrierId: number; carrierMessageId: string };

/** Whether the carrier has delivered this text before: from the same member or none, with the same id and the same words. */
export async function hasReply(
  db: Db,
  advisorId: number,
  { memberId, carrierId, carrierMessageId, text }: Omit<NewReply, 'archiveNumber'> & { text: string },
): Promise<boolean> {
  return db.has(
    `select
     from replies r
     join archive_bodies b on b.advisor_id = r.advisor_id and b.number = r.archive_number
     where r.advisor_id = $1
       and r.carrier_message_id = $2
       and r.carrier_id = $5
       and r.member_id is not distinct from $3::bigint
       and b.body = convert_to($4, 'UTF8')`,
    [advisorId, carrierMessageId, memberId, text, carrierId],
    'has-reply',
  );
}

export async function insertReply(db: Db, advisorId: number, reply: NewReply, now: Date): Promise<void> {
  await db.query(
    `insert into replies (advisor_id, member_id, archive_number, carrier_message_id, date_time_created, carrier_id)
     values ($1, $2, $3, $4, $5, $6)`,
    [advisorId, reply.memberId, reply.archiveNumber, reply.carrierMessageId, now, reply.carrierId],
    'insert-reply',
  );
}
