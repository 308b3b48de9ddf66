import type { Db } from '../database/db.ts';
import { type Owner, ownerColumns, ownerOf } from './owners.ts';

/** Without an owner, the challenge is for signing in. */
export async function insertChallenge(
  db: Db,
  owner: Owner | null,
  challenge: { challengeHash: Buffer; expires: Date },
): Promise<void> {
  await db.query(
    `insert into passkey_challenges (challenge_hash, date_time_expires, advisor_id, staff_id)
     values ($1, $2, $3, $4)`,
    [challenge.challengeHash, challenge.expires, ...ownerColumns(owner)],
  );
}

/** Uses the challenge up; false if it doesn't exist, has expired or is somebody else's. */
export async function deleteChallenge(
  db: Db,
  owner: Owner | null,
  { challengeHash, now }: { challengeHash: Buffer; now: Date },
): Promise<boolean> {
  return db.has(
    `delete from passkey_challenges
     where challenge_hash = $1 and date_time_expires > $2
       and advisor_id is not distinct from $3 and staff_id is not distinct from $4
     returning 1`,
    [challengeHash, now, ...ownerColumns(owner)],
  );
}

/** Those for passkeys that the owner was about to add. */
export async function deleteChallengesOf(db: Db, owner: Owner): Promise<void> {
  const [column, id] = ownerOf(owner);
  await db.query(`delete from passkey_challenges where ${column} = $1`, [id]);
}
