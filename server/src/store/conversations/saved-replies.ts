import type { Db } from '../database/db.ts';

export type SavedReplyInput = { title: string; text: string };
export type SavedReplyRow = SavedReplyInput & { savedReplyId: number };

export async function listSavedReplies(db: Db, advisorId: number, limit: number): Promise<SavedReplyRow[]> {
  return db.query(
    `select saved_reply_id as "savedReplyId", title, text
     from saved_replies
     where advisor_id = $1
     order by title, saved_reply_id
     limit $2`,
    [advisorId, limit],
    'list-saved-replies',
  );
}

export async function insertSavedReply(db: Db, advisorId: number, { title, text }: SavedReplyInput): Promise<number> {
  const { savedReplyId } = await db.one<{ savedReplyId: number }>(
    `insert into saved_replies (advisor_id, title, text)
     values ($1, $2, $3)
     returning saved_reply_id as "savedReplyId"`,
    [advisorId, title, text],
    'insert-saved-reply',
  );
  return savedReplyId;
}

/** Whether there is such a one. */
export async function updateSavedReply(
  db: Db,
  advisorId: number,
  savedReplyId: number,
  { title, text }: SavedReplyInput,
): Promise<boolean> {
  return db.has(
    `update saved_replies
     set title = $3, text = $4
     where advisor_id = $1 and saved_reply_id = $2
     returning 1`,
    [advisorId, savedReplyId, title, text],
    'update-saved-reply',
  );
}

/** Whether there was such a one. */
export async function deleteSavedReply(db: Db, advisorId: number, savedReplyId: number): Promise<boolean> {
  return db.has(
    `delete from saved_replies
     where advisor_id = $1 and saved_reply_id = $2
     returning 1`,
    [advisorId, savedReplyId],
    'delete-saved-reply',
  );
}
