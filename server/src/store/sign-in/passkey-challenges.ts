import type { Db } from '../database/db.ts';

/** Without an advisor, the challenge is for signing in. */
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

/** Uses the challenge up; false if it doesn't exist, has expired or is another advisor's. */
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
