import type { Db } from '../database/db.ts';
import { type Owner, ownerColumns, ownerOf } from './owners.ts';

export async function insertDevice(db: Db, owner: Owner, deviceHash: Buffer, expires: Date): Promise<void> {
  const [column] = ownerOf(owner);
  await db.query(
    `insert into devices (device_hash, advisor_id, staff_id, date_time_expires)
     values ($1, $2, $3, $4)
     on conflict (device_hash, ${column}) do update
     set date_time_expires = excluded.date_time_expires`,
    [deviceHash, ...ownerColumns(owner), expires],
  );
}

export async function isDeviceOf(db: Db, owner: Owner, deviceHash: Buffer, now: Date): Promise<boolean> {
  const [column, id] = ownerOf(owner);
  return db.has(`select from devices where ${column} = $1 and device_hash = $2 and date_time_expires > $3`, [
    id,
    deviceHash,
    now,
  ]);
}

/** For everybody who has signed in there. */
export async function updateDeviceHash(db: Db, { from, to }: { from: Buffer; to: Buffer }): Promise<void> {
  await db.query('update devices set device_hash = $2 where device_hash = $1', [from, to]);
}

export async function deleteDevices(db: Db, owner: Owner): Promise<void> {
  const [column, id] = ownerOf(owner);
  await db.query(`delete from devices where ${column} = $1`, [id]);
}

export async function deleteOldDevices(db: Db, owner: Owner, kept: number): Promise<void> {
  const [column, id] = ownerOf(owner);
  await db.query(
    `delete from devices
     where ${column} = $1 and device_hash in (
       select device_hash
       from devices
       where ${column} = $1
       order by date_time_expires desc
       offset $2
     )`,
    [id, kept],
  );
}
