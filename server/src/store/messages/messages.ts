import type { Db } from '../database/db.ts';
import type { HeldReason } from '../texting/texts.ts';

export type MessageStatus =
  | 'queued'
  | 'sent'
  | 'delivered'
  | 'undelivered'
  | 'failed'
  | 'in_doubt'
  | 'held'
  | 'awaiting_consent';

export type MessageRow = {
  messageId: number;
  memberId: number;
  phone: string;
  status: MessageStatus;
  segments: number;
  encoding: string;
  failureCode: string | null;
  heldReason: HeldReason | null;
  dateTimeCreated: Date;
  dateTimeSent: Date | null;
  dateTimeDelivered: Date | null;
};

/** Of a message `t`, with the SQL that finds its phone. */
export const messageColumns = (phone: string) => `
  t.message_id as "messageId", t.member_id as "memberId", ${phone} as phone, status, segments, encoding,
  failure_code as "failureCode", held_reason as "heldReason", t.date_time_created as "dateTimeCreated",
  date_time_sent as "dateTimeSent", date_time_delivered as "dateTimeDelivered"`;

export async function findMessage(db: Db, advisorId: number, messageId: number): Promise<MessageRow | null> {
  const [row] = await db.lookUp<MessageRow>(
    `select ${messageColumns('m.phone')}
     from messages t
     join members m using (advisor_id, member_id)
     where advisor_id = $1 and message_id = $2`,
    [advisorId, messageId],
    'find-message',
  );
  return row ?? null;
}
