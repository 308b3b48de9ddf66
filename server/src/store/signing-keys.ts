import type { Db } from './db.ts';

export type SigningKeyRow = { kid: string; privateJwk: Record<string, string> };

const firstKeyLock = 7_277_003;

/** Adds the key unless there is one: of several nodes that start at once, one wins and all use its key. */
export async function insertFirstSigningKey(db: Db, key: SigningKeyRow, now: Date): Promise<void> {
  await db.transaction(async (transaction) => {
    await transaction.query('select pg_advisory_xact_lock($1)', [firstKeyLock]);
    await transaction.query(
      `insert into signing_keys (kid, private_jwk, date_time_created)
       select $1, $2, $3
       where not exists (select from signing_keys)`,
      [key.kid, key.privateJwk, now],
    );
  });
}

/** The newest first: it signs. The others still verify what they signed. */
export async function listSigningKeys(db: Db): Promise<SigningKeyRow[]> {
  return db.query<SigningKeyRow>(
    'select kid, private_jwk as "privateJwk" from signing_keys order by date_time_created desc, kid',
  );
}
