import type { Db } from '../database/db.ts';

export type PasskeyRow = {
  advisorId: number;
  passkeyId: string;
  name: string;
  publicKey: Buffer;
  counter: number;
  transports: string[];
  dateTimeCreated: Date;
  dateTimeUsed: Date | null;
};
export type NewPasskey = Omit<PasskeyRow, 'dateTimeUsed'>;

const columns = `
  advisor_id as "advisorId", passkey_id as "passkeyId", name, public_key as "publicKey", counter, transports,
  date_time_created as "dateTimeCreated", date_time_used as "dateTimeUsed"`;

/** Makes additions for one advisor take turns, so that the limit on passkeys is exact. */
export async function lockPasskeys(db: Db, advisorId: number): Promise<void> {
  await db.query('select 1 from advisors where advisor_id = $1 for no key update', [advisorId]);
}

/** False if the passkey exists already. */
export async function insertPasskey(db: Db, passkey: NewPasskey): Promise<boolean> {
  const inserted = await db.query(
    `insert into passkeys (advisor_id, passkey_id, name, public_key, counter, transports, date_time_created)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict do nothing
     returning 1`,
    [
      passkey.advisorId,
      passkey.passkeyId,
      passkey.name,
      passkey.publicKey,
      passkey.counter,
      passkey.transports,
      passkey.dateTimeCreated,
    ],
  );
  return inserted.length > 0;
}

export async function listPasskeys(db: Db, advisorId: number): Promise<PasskeyRow[]> {
  return db.query<PasskeyRow>(
    `select ${columns}
     from passkeys
     where advisor_id = $1
     order by date_time_created, passkey_id`,
    [advisorId],
  );
}

/** Any advisor's: the passkey tells us who is signing in. */
export async function findPasskey(db: Db, passkeyId: string): Promise<PasskeyRow | null> {
  const [row] = await db.query<PasskeyRow>(`select ${columns} from passkeys where passkey_id = $1`, [passkeyId]);
  return row ?? null;
}

/** False if it was removed or used in the meantime. */
export async function updatePasskeyUse(
  db: Db,
  advisorId: number,
  use: { passkeyId: string; from: number; to: number; now: Date },
): Promise<boolean> {
  const updated = await db.query(
    `update passkeys
     set counter = $4, date_time_used = $5
     where advisor_id = $1 and passkey_id = $2 and counter = $3
     returning 1`,
    [advisorId, use.passkeyId, use.from, use.to, use.now],
  );
  return updated.length > 0;
}

/** The deleted passkey's name, or null if there is none. */
export async function deletePasskey(db: Db, advisorId: number, passkeyId: string): Promise<string | null> {
  const [deleted] = await db.query<{ name: string }>(
    'delete from passkeys where advisor_id = $1 and passkey_id = $2 returning name',
    [advisorId, passkeyId],
  );
  return deleted?.name ?? null;
}

export async function deletePasskeys(db: Db, advisorId: number): Promise<void> {
  await db.query('delete from passkeys where advisor_id = $1', [advisorId]);
}
