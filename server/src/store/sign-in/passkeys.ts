import type { Db } from '../database/db.ts';
import { type Owner, type OwnerKind, ownerColumns, ownerOf } from './owners.ts';

export type PasskeyRow = {
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
  passkey_id as "passkeyId", name, public_key as "publicKey", counter, transports,
  date_time_created as "dateTimeCreated", date_time_used as "dateTimeUsed"`;

/** Makes additions for one owner take turns, so that the limit on passkeys is exact, and sign-ins and resets. */
export async function lockPasskeys(db: Db, owner: Owner): Promise<void> {
  const { advisorId, staffId } = owner;
  if (staffId !== undefined) await db.query('select 1 from staff where staff_id = $1 for no key update', [staffId]);
  else await db.query('select 1 from advisors where advisor_id = $1 for no key update', [advisorId]);
}

/** False if the passkey exists already. */
export async function insertPasskey(db: Db, owner: Owner, passkey: NewPasskey): Promise<boolean> {
  return db.has(
    `insert into passkeys (passkey_id, name, public_key, counter, transports, date_time_created, advisor_id, staff_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict do nothing
     returning 1`,
    [
      passkey.passkeyId,
      passkey.name,
      passkey.publicKey,
      passkey.counter,
      passkey.transports,
      passkey.dateTimeCreated,
      ...ownerColumns(owner),
    ],
  );
}

export async function listPasskeys(db: Db, owner: Owner): Promise<PasskeyRow[]> {
  const [column, id] = ownerOf(owner);
  return db.query<PasskeyRow>(
    `select ${columns}
     from passkeys
     where ${column} = $1
     order by date_time_created, passkey_id`,
    [id],
  );
}

/** Any advisor's, or any of the staff: the passkey tells us who is signing in. */
export async function findPasskey(db: Db, kind: OwnerKind, passkeyId: string) {
  const column = `${kind}_id`;
  return db.find<PasskeyRow & { ownerId: number }>(
    `select ${column} as "ownerId", ${columns} from passkeys where passkey_id = $1 and ${column} is not null`,
    [passkeyId],
  );
}

/** False if it was removed or used in the meantime. */
export async function updatePasskeyUse(
  db: Db,
  owner: Owner,
  use: { passkeyId: string; from: number; to: number; now: Date },
): Promise<boolean> {
  const [column, id] = ownerOf(owner);
  return db.has(
    `update passkeys
     set counter = $4, date_time_used = $5
     where ${column} = $1 and passkey_id = $2 and counter = $3
     returning 1`,
    [id, use.passkeyId, use.from, use.to, use.now],
  );
}

export async function deletePasskey(db: Db, passkeyId: string): Promise<void> {
  await db.query('delete from passkeys where passkey_id = $1', [passkeyId]);
}

/** Returns how many there were. */
export async function deletePasskeys(db: Db, owner: Owner): Promise<number> {
  const [column, id] = ownerOf(owner);
  return (await db.query(`delete from passkeys where ${column} = $1 returning 1`, [id])).length;
}
