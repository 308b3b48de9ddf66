import type { Db } from './db.ts';

export type AnswerKey = { advisorId: number; applicationId: number; method: string; path: string; key: string };
export type AnswerRow = { fingerprint: Buffer; status: number; body: string };

/**
 * Claims the key for this transaction. While another transaction holds it, this waits for that one's end: the unique
 * index makes twins on different nodes take turns. False when an answer is there that has not expired.
 */
export async function claimAnswer(
  db: Db,
  { advisorId, applicationId, method, path, key }: AnswerKey,
  fingerprint: Buffer,
  { now, expiredBefore }: { now: Date; expiredBefore: Date },
): Promise<boolean> {
  const rows = await db.query(
    `insert into idempotent_answers as a (
       advisor_id, application_id, method, path, key, fingerprint, date_time_created
     )
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (advisor_id, application_id, method, path, key) do update
     set fingerprint = excluded.fingerprint, date_time_created = excluded.date_time_created, status = null, body = null
     where a.date_time_created < $8
     returning key`,
    [advisorId, applicationId, method, path, key, fingerprint, now, expiredBefore],
    'claim-answer',
  );
  return rows.length > 0;
}

export async function findAnswer(
  db: Db,
  { advisorId, applicationId, method, path, key }: AnswerKey,
): Promise<AnswerRow | null> {
  const [row] = await db.query<AnswerRow>(
    `select fingerprint, status, body
     from idempotent_answers
     where advisor_id = $1 and application_id = $2 and method = $3 and path = $4 and key = $5`,
    [advisorId, applicationId, method, path, key],
    'find-answer',
  );
  return row ?? null;
}

export async function updateAnswer(
  db: Db,
  { advisorId, applicationId, method, path, key }: AnswerKey,
  { status, body }: Pick<AnswerRow, 'status' | 'body'>,
): Promise<void> {
  await db.query(
    `update idempotent_answers
     set status = $6, body = $7
     where advisor_id = $1 and application_id = $2 and method = $3 and path = $4 and key = $5`,
    [advisorId, applicationId, method, path, key, status, body],
    'update-answer',
  );
}

export async function deleteExpiredAnswers(db: Db, expiredBefore: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from idempotent_answers
     where ctid = any (array(
       select ctid
       from idempotent_answers
       where date_time_created < $1
       limit $2
     ))
     returning key`,
    [expiredBefore, limit],
  );
  return rows.length;
}
