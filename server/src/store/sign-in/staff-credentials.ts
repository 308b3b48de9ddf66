import type { Db } from '../database/db.ts';

/** A password and its second factor, the secret of an authenticator app. */
type CredentialsRow = { passwordHash: string; sealedTotp: Buffer; totpStep: number };

const columns = `password_hash as "passwordHash", sealed_totp as "sealedTotp", totp_step as "totpStep"`;

/** Makes changes to how one of the staff signs in take turns. False if they are disabled. */
export async function lockStaff(db: Db, staffId: number): Promise<boolean> {
  return db.has('select from staff where staff_id = $1 and not disabled for no key update', [staffId]);
}

export async function findCredentials(db: Db, staffId: number): Promise<CredentialsRow | null> {
  return db.find<CredentialsRow>(`select ${columns} from staff_credentials where staff_id = $1`, [staffId]);
}

export async function listCredentials(db: Db) {
  return db.query<CredentialsRow & { staffId: number }>(
    `select staff_id as "staffId", ${columns} from staff_credentials order by staff_id`,
  );
}

export async function upsertCredentials(
  db: Db,
  staffId: number,
  { passwordHash, sealedTotp, totpStep }: CredentialsRow,
): Promise<void> {
  await db.query(
    `insert into staff_credentials (staff_id, password_hash, sealed_totp, totp_step)
     values ($1, $2, $3, $4)
     on conflict (staff_id) do update
     set password_hash = excluded.password_hash, sealed_totp = excluded.sealed_totp, totp_step = excluded.totp_step`,
    [staffId, passwordHash, sealedTotp, totpStep],
  );
}

/** Uses up the codes of this step and those before it; false if somebody has already. */
export async function updateTotpStep(db: Db, staffId: number, step: number): Promise<boolean> {
  return db.has('update staff_credentials set totp_step = $2 where staff_id = $1 and totp_step < $2 returning 1', [
    staffId,
    step,
  ]);
}

/** Unless it has been replaced since. */
export async function updateSealedTotp(
  db: Db,
  staffId: number,
  { from, to }: Record<'from' | 'to', Buffer>,
): Promise<void> {
  await db.query('update staff_credentials set sealed_totp = $3 where staff_id = $1 and sealed_totp = $2', [
    staffId,
    from,
    to,
  ]);
}

/** The password, its second factor and the recovery codes. */
export async function deleteCredentials(db: Db, staffId: number): Promise<void> {
  await db.query('delete from recovery_codes where staff_id = $1', [staffId]);
  await db.query('delete from staff_credentials where staff_id = $1', [staffId]);
}

export async function replaceRecoveryCodes(db: Db, staffId: number, codeHashes: Buffer[]): Promise<void> {
  await db.query('delete from recovery_codes where staff_id = $1', [staffId]);
  await db.query('insert into recovery_codes (staff_id, code_hash) select $1, unnest($2::bytea[])', [
    staffId,
    codeHashes,
  ]);
}

/** Spends the code; false if there is none. */
export async function deleteRecoveryCode(db: Db, staffId: number, codeHash: Buffer): Promise<boolean> {
  return db.has('delete from recovery_codes where staff_id = $1 and code_hash = $2 returning 1', [staffId, codeHash]);
}

export async function countRecoveryCodes(db: Db, staffId: number): Promise<number> {
  const found = await db.value<number>('select count(*)::int as "left" from recovery_codes where staff_id = $1', [
    staffId,
  ]);
  return found ?? 0;
}
