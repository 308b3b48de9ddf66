import type { Db } from '../database/db.ts';

export type CarrierRow = {
  carrierId: number;
  name: string;
  kind: string;
  /** Null for the sandbox's. */
  sealedSettings: Buffer | null;
  disabled: boolean;
  version: number;
  dateTimeCreated: Date;
};
export type CarrierChange = Partial<Pick<CarrierRow, 'sealedSettings' | 'disabled'>>;

/** The row that every database has. */
export const sandboxCarrierId = 1;

const columns = `
  carrier_id::integer as "carrierId", name, kind, sealed_settings as "sealedSettings", disabled, version,
  date_time_created as "dateTimeCreated"`;

export async function listCarriers(db: Db): Promise<CarrierRow[]> {
  return db.query<CarrierRow>(`select ${columns} from carriers order by carrier_id`, [], 'list-carriers');
}

export async function findCarrier(db: Db, name: string): Promise<CarrierRow | null> {
  return db.find<CarrierRow>(`select ${columns} from carriers where name = $1`, [name]);
}

/** Locked, so that a change knows the values before it. */
export async function findCarrierForUpdate(db: Db, name: string): Promise<CarrierRow | null> {
  return db.find<CarrierRow>(`select ${columns} from carriers where name = $1 for update`, [name]);
}

/** Null if another one has the name. Its settings follow, sealed for its id. */
export async function insertCarrier(
  db: Db,
  { name, kind }: Pick<CarrierRow, 'name' | 'kind'>,
  now: Date,
): Promise<CarrierRow | null> {
  return db.find<CarrierRow>(
    `insert into carriers (name, kind, date_time_created)
     values ($1, $2, $3)
     on conflict do nothing
     returning ${columns}`,
    [name, kind, now],
  );
}

/** The next version of a carrier: nodes open it again. */
export async function updateCarrier(db: Db, carrierId: number, change: CarrierChange): Promise<void> {
  await db.query(
    `update carriers
     set sealed_settings = coalesce($2, sealed_settings), disabled = coalesce($3, disabled), version = version + 1
     where carrier_id = $1`,
    [carrierId, change.sealedSettings, change.disabled],
  );
}

/** The same settings, sealed with another key: nodes don't have to open it again. */
export async function updateSealedSettings(db: Db, carrierId: number, sealedSettings: Buffer): Promise<void> {
  await db.query('update carriers set sealed_settings = $2 where carrier_id = $1', [carrierId, sealedSettings]);
}

/** False if a number has it. */
export async function deleteCarrier(db: Db, carrierId: number): Promise<boolean> {
  return db.has(
    `delete from carriers
     where carrier_id = $1 and not exists (select from advisors where advisors.carrier_id = $1)
     returning 1`,
    [carrierId],
  );
}
