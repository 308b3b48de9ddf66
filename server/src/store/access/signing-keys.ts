import type { Db } from '../database/db.ts';

export type SigningKeyRow = {
  kid: string;
  privateJwk: Record<string, string>;
  dateTimeCreated: Date;
  /** When it starts to sign. */
  dateTimeSigns: Date;
};

const firstKeyLock = 7_277_003;

/** Adds the key unless one exists: of several nodes that start at once, one wins and all use its key. */
export async function insertFirstSigningKey(db: Db, key: SigningKeyRow): Promise<void> {
  await db.transaction(async (transaction) => {
    await transaction.query('select pg_advisory_xact_lock($1)', [firstKeyLock]);
    const [known] = await transaction.query('select kid from signing_keys limit 1');
    if (!known) await insertSigningKey(transaction, key);
  });
}

export async function insertSigningKey(db: Db, key: SigningKeyRow): Promise<void> {
  await db.query(
    'insert into signing_keys (kid, private_jwk, date_time_created, date_time_signs) values ($1, $2, $3, $4)',
    [key.kid, key.privateJwk, key.dateTimeCreated, key.dateTimeSigns],
  );
}

/** Ordered by when they start to sign, the latest first. */
export async function listSigningKeys(db: Db): Promise<SigningKeyRow[]> {
  return db.query<SigningKeyRow>(
    `select
       kid, private_jwk as "privateJwk", date_time_created as "dateTimeCreated", date_time_signs as "dateTimeSigns"
     from signing_keys
     order by date_time_signs desc, kid`,
  );
}

/** Deletes the keys whose successor started to sign before that time. */
export async function deleteSigningKeysSucceededBefore(db: Db, time: Date): Promise<void> {
  await db.query(
    `delete from signing_keys k
     where exists (
       select from signing_keys newer
       where newer.date_time_signs > k.date_time_signs and newer.date_time_signs < $1
     )`,
    [time],
  );
}

export async function deleteSigningKeys(db: Db): Promise<void> {
  await db.query('delete from signing_keys');
}
