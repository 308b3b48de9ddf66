import type { Db } from '../database/db.ts';

export async function insertDevice(db: Db, advisorId: number, deviceHash: Buffer, expires: Date): Promise<void> {
  await db.query(
    `insert into devices (device_hash, advisor_id, date_time_expires)
     values ($1, $2, $3)
     on conflict (device_hash, advisor_id) do update
     set date_time_expires = excluded.date_time_expires`,
    [deviceHash, advisorId, expires],
  );
}

export async function isDeviceOf(db: Db, advisorId: number, deviceHash: Buffer, now: Date): Promise<boolean> {
  return db.has('select from devices where advisor_id = $1 and device_hash = $2 and date_time_expires > $3', [
    advisorId,
    deviceHash,
    now,
  ]);
}

/** For everybody who has signed in there. */
export async function updateDeviceHash(db: Db, { from, to }: { from: Buffer; to: Buffer }): Promise<void> {
  await db.query('update devices set device_hash = $2 where device_hash = $1', [from, to]);
}

export async function deleteDevices(db: Db, advisorId: number): Promise<void> {
  await db.query('delete from devices where advisor_id = $1', [advisorId]);
}

export async function deleteOldDevices(db: Db, advisorId: number, kept: number): Promise<void> {
  await db.query(
    `delete from devices
     where advisor_id = $1 and device_hash in (
       select device_hash
       from devices
       where advisor_id = $1
       order by date_time_expires desc
       offset $2
     )`,
    [advisorId, kept],
  );
}
