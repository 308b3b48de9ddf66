import type { Db } from '../database/db.ts';
import type { TextKind } from '../texting/texts.ts';

export type QueuedText = { messageId: number; memberId: number; phone: string; kind: TextKind; text: string };

/** Takes the queued texts to these members out of the outbox, so that no carrier gets them. Their outcomes are the caller's to record. */
export async function takeQueuedTexts(db: Db, advisorId: number, memberIds: number[]): Promise<QueuedText[]> {
  return db.query<QueuedText>(
    `with taken as (
       delete from dispatches
       using messages t
       where dispatches.advisor_id = $1
         and t.advisor_id = $1
         and t.message_id = dispatches.message_id
         and t.member_id = any ($2::bigint[])
       returning t.message_id, t.member_id, t.kind, t.archive_number
     )
     select
       taken.message_id as "messageId", taken.member_id as "memberId", m.phone, taken.kind,
       convert_from(b.body, 'UTF8') as text
     from taken
     join members m on m.advisor_id = $1 and m.member_id = taken.member_id
     join archive_bodies b on b.advisor_id = $1 and b.number = taken.archive_number
     order by taken.message_id`,
    [advisorId, memberIds],
  );
}

/** The advisor has read everything in these conversations; some are done. */
export async function insertReadConversations(
  db: Db,
  advisorId: number,
  { read, done }: { read: number[]; done: number[] },
  now: Date,
): Promise<void> {
  await db.query(
    `insert into conversations (advisor_id, member_id, read_reply_id, done_at)
     select $1, member_id, max(reply_id), case when member_id = any ($3::bigint[]) then $4::timestamptz end
     from replies
     where advisor_id = $1 and member_id = any ($2::bigint[])
     group by member_id
     on conflict (advisor_id, member_id) do nothing`,
    [advisorId, read, done, now],
  );
}
