import { forAdvisors } from '../database/advisors.ts';
import type { Db } from '../database/db.ts';

export type AnswerKey = { advisorId: number; applicationId: number; method: string; path: string; key: string };
export type Answer = { status: number; body: string };

/** The given rows from a JSON array, in its order. */
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

const sameKey = `
  a.advisor_id = given.advisor_id
  and (a.application_id, a.method, a.path, a.key) = (given.application_id, given.method, given.path, given.key)`;

/**
 * Claims keys, each different, for this transaction and returns which of them it got. If another transaction holds one,
 * this waits for it to end: the unique index makes duplicates on different nodes take turns. A key whose answer exists
 * and has not expired is not claimed.
 */
export async function claimAnswers(
  db: Db,
  keys: (AnswerKey & { fingerprint: Buffer })[],
  { now, expiredBefore }: { now: Date; expiredBefore: Date },
): Promise<boolean[]> {
  return forAdvisors(db, keys, async (db, keys) => {
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
        JSON.stringify(keys.map((each) => ({ ...each, fingerprint: each.fingerprint.toString('hex') }))),
        now,
        expiredBefore,
      ],
      'claim-answers',
    );
    return rows.map(({ claimed }) => claimed);
  });
}

export async function findAnswer(
  db: Db,
  { advisorId, applicationId, method, path, key }: AnswerKey,
): Promise<{ fingerprint: Buffer; answer: Answer } | null> {
  const [row] = await db.query<Answer & { fingerprint: Buffer }>(
    `select fingerprint, status, body
     from idempotent_answers
     where advisor_id = $1 and application_id = $2 and method = $3 and path = $4 and key = $5`,
    [advisorId, applicationId, method, path, key],
    'find-answer',
  );
  return row ? { fingerprint: row.fingerprint, answer: { status: row.status, body: row.body } } : null;
}

export async function updateAnswers(db: Db, answers: { key: AnswerKey; answer: Answer }[]): Promise<void> {
  if (answers.length === 0) return;
  const kept = answers.map(({ key, answer }) => ({ ...key, ...answer }));
  await forAdvisors(db, kept, (db, answers) =>
    db.write(
      `update idempotent_answers as a
     set status = given.status, body = given.body
     from (${given}) as given
     where ${sameKey}`,
      [JSON.stringify(answers)],
      'update-answers',
    ),
  );
}

/** Gives claimed keys back: nothing was kept under them. */
export async function deleteAnswers(db: Db, keys: AnswerKey[]): Promise<void> {
  if (keys.length === 0) return;
  await forAdvisors(db, keys, (db, keys) =>
    db.write(
      `delete from idempotent_answers as a
     using (${given}) as given
     where ${sameKey}`,
      [JSON.stringify(keys)],
      'delete-answers',
    ),
  );
}

/** Spans advisors: answers expire, whoever's they are. */
export async function deleteExpiredAnswers(db: Db, expiredBefore: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from idempotent_answers
     where (advisor_id, application_id, method, path, key) in (
       select advisor_id, application_id, method, path, key
       from idempotent_answers
       where date_time_created < $1
       limit $2
     )
     returning key`,
    [expiredBefore, limit],
  );
  return rows.length;
}
