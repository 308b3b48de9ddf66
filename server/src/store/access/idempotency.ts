import type { Db } from '../database/db.ts';

export type AnswerKey = { advisorId: number; applicationId: number; method: string; path: string; key: string };
export type AnswerRow = { fingerprint: Buffer; status: number; body: string };

/** The columns of the key from a list of JSON, in its order. */
const given = `
  select *
  from rows from (
    json_to_recordset($1) as (
      "advisorId" bigint, "applicationId" bigint, method text, path text, key text, fingerprint text, status smallint,
      body text
    )
  ) with ordinality as g (
    advisor_id, application_id, method, path, key, fingerprint, status, body, position
  )`;

/**
 * Claims keys for this transaction, each different, and tells which of them it got. While another transaction holds one,
 * this waits for that one's end: the unique index makes twins on different nodes take turns. An answer that is there and
 * has not expired is not claimed.
 */
export async function claimAnswers(
  db: Db,
  asked: (AnswerKey & { fingerprint: Buffer })[],
  { now, expiredBefore }: { now: Date; expiredBefore: Date },
): Promise<boolean[]> {
  const rows = await db.query<{ claimed: boolean }>(
    `with given as materialized (${given}),
     claimed as (
       insert into idempotent_answers as a (
         advisor_id, application_id, method, path, key, fingerprint, date_time_created
       )
       select advisor_id, application_id, method, path, key, decode(fingerprint, 'hex'), $2
       from given
       order by advisor_id, application_id, method, path, key
       on conflict (advisor_id, application_id, method, path, key) do update
       set fingerprint = excluded.fingerprint, date_time_created = excluded.date_time_created, status = null, body = null
       where a.date_time_created < $3
       returning advisor_id, application_id, method, path, key
     )
     select claimed.key is not null as claimed
     from given
     left join claimed using (advisor_id, application_id, method, path, key)
     order by position`,
    [
      JSON.stringify(asked.map((each) => ({ ...each, fingerprint: each.fingerprint.toString('hex') }))),
      now,
      expiredBefore,
    ],
    'claim-answers',
  );
  return rows.map(({ claimed }) => claimed);
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

export async function updateAnswers(
  db: Db,
  answers: (AnswerKey & Pick<AnswerRow, 'status' | 'body'>)[],
): Promise<void> {
  if (answers.length === 0) return;
  await db.query(
    `update idempotent_answers as a
     set status = given.status, body = given.body
     from (${given}) as given
     where a.advisor_id = given.advisor_id
       and a.application_id = given.application_id
       and a.method = given.method
       and a.path = given.path
       and a.key = given.key`,
    [JSON.stringify(answers)],
    'update-answers',
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
