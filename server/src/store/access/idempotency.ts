import type { Db } from '../database/db.ts';
import { forAdvisors } from '../database/for-advisors.ts';

export type ResponseKey = { advisorId: number; applicationId: number; method: string; path: string; key: string };
export type StoredResponse = { status: number; body: string };

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
 * this waits for it to end: the unique index makes duplicates on different nodes take turns. A key whose response exists
 * and has not expired is not claimed.
 */
export async function claimResponses(
  db: Db,
  keys: (ResponseKey & { fingerprint: Buffer })[],
  { now, expiredBefore }: { now: Date; expiredBefore: Date },
): Promise<boolean[]> {
  return forAdvisors(db, keys, async (db, keys) => {
    const rows = await db.query<{ claimed: boolean }>(
      `with given as materialized (${given}),
     claimed as (
       insert into idempotent_responses as a (
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
      'claim-responses',
    );
    return rows.map(({ claimed }) => claimed);
  });
}

export async function findResponse(db: Db, { advisorId, applicationId, method, path, key }: ResponseKey) {
  const row = await db.find<StoredResponse & { fingerprint: Buffer }>(
    `select fingerprint, status, body
     from idempotent_responses
     where advisor_id = $1 and application_id = $2 and method = $3 and path = $4 and key = $5`,
    [advisorId, applicationId, method, path, key],
    'find-response',
  );
  return row ? { fingerprint: row.fingerprint, response: { status: row.status, body: row.body } } : null;
}

export async function updateResponses(
  db: Db,
  responses: { key: ResponseKey; response: StoredResponse }[],
): Promise<void> {
  if (responses.length === 0) return;
  const kept = responses.map(({ key, response }) => ({ ...key, ...response }));
  await forAdvisors(db, kept, (db, responses) =>
    db.write(
      `update idempotent_responses as a
     set status = given.status, body = given.body
     from (${given}) as given
     where ${sameKey}`,
      [JSON.stringify(responses)],
      'update-responses',
    ),
  );
}

/** Gives claimed keys back: nothing was kept under them. */
export async function deleteResponses(db: Db, keys: ResponseKey[]): Promise<void> {
  if (keys.length === 0) return;
  await forAdvisors(db, keys, (db, keys) =>
    db.write(
      `delete from idempotent_responses as a
     using (${given}) as given
     where ${sameKey}`,
      [JSON.stringify(keys)],
      'delete-responses',
    ),
  );
}

/** Spans advisors: responses expire, whoever's they are. */
export async function deleteExpiredResponses(db: Db, expiredBefore: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from idempotent_responses
     where (advisor_id, application_id, method, path, key) in (
       select advisor_id, application_id, method, path, key
       from idempotent_responses
       where date_time_created < $1
       limit $2
     )
     returning key`,
    [expiredBefore, limit],
  );
  return rows.length;
}
