import type { Db } from '../database/db.ts';
import { deleteSome } from '../shared/batches.ts';

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

/** Has those who add passkeys for one advisor take turns, so that their number is exact. */
export async function lockPasskeys(db: Db, advisorId: number): Promise<void> {
  await db.query('select 1 from advisors where advisor_id = $1 for no key update', [advisorId]);
}

/** False where the passkey is there already. */
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

/** Whoever it belongs to: it is what says who signs in. */
export async function findPasskey(db: Db, passkeyId: string): Promise<PasskeyRow | null> {
  const [row] = await db.query<PasskeyRow>(`select ${columns} from passkeys where passkey_id = $1`, [passkeyId]);
  return row ?? null;
}

/** False where it was removed, or used by someone who is ahead, in the meantime. */
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

/** Its name, or null where there is none. */
export async function deletePasskey(db: Db, advisorId: number, passkeyId: string): Promise<string | null> {
  const [deleted] = await db.query<{ name: string }>(
    'delete from passkeys where advisor_id = $1 and passkey_id = $2 returning name',
    [advisorId, passkeyId],
  );
  return deleted?.name ?? null;
}

/** Without an advisor it is one to sign in with. */
export async function insertChallenge(
  db: Db,
  advisorId: number | null,
  challenge: { challengeHash: Buffer; expires: Date },
): Promise<void> {
  await db.query('insert into passkey_challenges (challenge_hash, advisor_id, date_time_expires) values ($1, $2, $3)', [
    challenge.challengeHash,
    advisorId,
    challenge.expires,
  ]);
}

/** Uses the challenge up; false where it isn't there, is over or is another's. */
export async function deleteChallenge(
  db: Db,
  advisorId: number | null,
  { challengeHash, now }: { challengeHash: Buffer; now: Date },
): Promise<boolean> {
  const deleted = await db.query(
    `delete from passkey_challenges
     where challenge_hash = $1 and advisor_id is not distinct from $2 and date_time_expires > $3
     returning 1`,
    [challengeHash, advisorId, now],
  );
  return deleted.length > 0;
}

export async function deletePasskeys(db: Db, advisorId: number): Promise<void> {
  await db.query('delete from passkeys where advisor_id = $1', [advisorId]);
}

export async function deleteExpiredChallenges(db: Db, now: Date, limit: number): Promise<number> {
  const expired = { table: 'passkey_challenges', key: 'challenge_hash', where: 'date_time_expires <= $1' };
  return deleteSome(db, expired, [now], limit);
}
