import type { Db, Transaction } from '../database/db.ts';

/** A key as a JWK. The member `d` is the private part. */
export type Jwk = Record<string, string>;
export type SigningKeyRow = {
  kid: string;
  /** Without its private part if that is sealed. */
  jwk: Jwk;
  sealedPrivatePart: Buffer | null;
  dateTimeCreated: Date;
  dateTimeSigns: Date;
};

const keysLock = 7_277_003;

/** Until the transaction ends, no other node makes or seals keys because none suits it. */
export async function lockSigningKeys(db: Transaction): Promise<void> {
  await db.query('select pg_advisory_xact_lock($1)', [keysLock]);
}

export async function insertSigningKey(db: Db, key: SigningKeyRow): Promise<void> {
  await db.query(
    `insert into signing_keys (kid, jwk, sealed_private_part, date_time_created, date_time_signs)
     values ($1, $2, $3, $4, $5)`,
    [key.kid, key.jwk, key.sealedPrivatePart, key.dateTimeCreated, key.dateTimeSigns],
  );
}

/** Replaces the row that has the same kid; does nothing if there is none. The application's role can't update keys. */
export async function replaceSigningKey(db: Transaction, key: SigningKeyRow): Promise<void> {
  if ((await deleteSigningKey(db, key.kid)) > 0) await insertSigningKey(db, key);
}

export async function listSigningKeys(db: Db): Promise<SigningKeyRow[]> {
  return db.query<SigningKeyRow>(
    `select
       kid, jwk, sealed_private_part as "sealedPrivatePart", date_time_created as "dateTimeCreated",
       date_time_signs as "dateTimeSigns"
     from signing_keys
     order by date_time_signs desc, kid`,
  );
}

export async function deleteSigningKey(db: Db, kid: string): Promise<number> {
  return (await db.query('delete from signing_keys where kid = $1 returning kid', [kid])).length;
}

export async function deleteSigningKeys(db: Db): Promise<void> {
  await db.query('delete from signing_keys');
}
