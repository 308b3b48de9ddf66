import type { Db } from '../database/db.ts';

export type AlertTargetRow = {
  targetId: number;
  kind: 'webhook' | 'mail';
  address: string;
  sealedSecret: Buffer | null;
  dateTimeCreated: Date;
};
/** What is wrong now. */
type AlertStateRow = { about: string; says: string; node: string; told: boolean; dateTimeBegun: Date };
export type AlertDeliveryRow = {
  deliveryId: number;
  targetId: number;
  about: string;
  state: 'begun' | 'over' | 'test';
  says: string;
  attempts: number;
  notBefore: Date | null;
  fault: string | null;
  dateTimeCreated: Date;
};

const targetColumns =
  'target_id as "targetId", kind, address, sealed_secret as "sealedSecret", date_time_created as "dateTimeCreated"';
const deliveryColumns = `
  delivery_id as "deliveryId", target_id as "targetId", about, state, says, attempts, not_before as "notBefore", fault,
  date_time_created as "dateTimeCreated"`;

/** Null if there is one already. */
export async function insertAlertTarget(
  db: Db,
  { kind, address, sealedSecret }: Pick<AlertTargetRow, 'kind' | 'address' | 'sealedSecret'>,
  now: Date,
): Promise<AlertTargetRow | null> {
  return db.find<AlertTargetRow>(
    `insert into alert_targets (kind, address, sealed_secret, date_time_created)
     values ($1, $2, $3, $4)
     on conflict do nothing
     returning ${targetColumns}`,
    [kind, address, sealedSecret, now],
  );
}

export async function deleteAlertTarget(db: Db, targetId: number): Promise<AlertTargetRow | null> {
  return db.find<AlertTargetRow>(`delete from alert_targets where target_id = $1 returning ${targetColumns}`, [
    targetId,
  ]);
}

export async function updateAlertSecret(db: Db, targetId: number, sealedSecret: Buffer): Promise<void> {
  await db.query('update alert_targets set sealed_secret = $2 where target_id = $1', [targetId, sealedSecret]);
}

export async function listAlertTargets(db: Db): Promise<AlertTargetRow[]> {
  return db.query<AlertTargetRow>(`select ${targetColumns} from alert_targets order by target_id`);
}

export async function listAlertStates(db: Db): Promise<AlertStateRow[]> {
  return db.query<AlertStateRow>(
    `select about, says, node, told, date_time_begun as "dateTimeBegun"
     from alert_states
     order by date_time_begun, about`,
  );
}

/** Of several nodes that see it at once, one inserts it. */
export async function insertAlertState(
  db: Db,
  { about, says, node }: Pick<AlertStateRow, 'about' | 'says' | 'node'>,
  realNow: Date,
): Promise<void> {
  await db.query(
    `insert into alert_states (about, says, node, date_time_begun)
     values ($1, $2, $3, $4)
     on conflict do nothing`,
    [about, says, node, realNow],
  );
}

/** True for the one node that tells of it. */
export async function updateAlertTold(db: Db, about: string, says: string, begunBefore: Date): Promise<boolean> {
  return db.has(
    `update alert_states
     set told = true, says = $2
     where about = $1 and not told and date_time_begun <= $3
     returning 1`,
    [about, says, begunBefore],
  );
}

/** The row, for the one node that ends it. */
export async function deleteAlertState(db: Db, about: string) {
  return db.find<{ told: boolean }>('delete from alert_states where about = $1 returning told', [about]);
}

/** A test, which was sent already. */
export async function insertAlertTest(
  db: Db,
  { targetId, says, fault }: Pick<AlertDeliveryRow, 'targetId' | 'says' | 'fault'>,
  realNow: Date,
): Promise<void> {
  await db.query(
    `insert into alert_deliveries (target_id, about, state, says, attempts, fault, date_time_created)
     values ($1, 'test', 'test', $2, 1, $3, $4)`,
    [targetId, says, fault, realNow],
  );
}

/** For every target. */
export async function insertAlertDeliveries(
  db: Db,
  { about, state, says }: Pick<AlertDeliveryRow, 'about' | 'state' | 'says'>,
  realNow: Date,
): Promise<void> {
  await db.query(
    `insert into alert_deliveries (target_id, about, state, says, not_before, date_time_created)
     select target_id, $1, $2, $3, $4, $4
     from alert_targets`,
    [about, state, says, realNow],
  );
}

/** Takes those that are due, for as long as the lease: if this node dies, another one sends them after it. */
export async function claimAlertDeliveries(
  db: Db,
  { realNow, leasedUntil, limit }: { realNow: Date; leasedUntil: Date; limit: number },
): Promise<AlertDeliveryRow[]> {
  return db.query<AlertDeliveryRow>(
    `update alert_deliveries
     set attempts = attempts + 1, not_before = $2
     where delivery_id = any (array(
       select delivery_id
       from alert_deliveries
       where not_before <= $1
       order by not_before
       limit $3
       for update skip locked
     ))
     returning ${deliveryColumns}`,
    [realNow, leasedUntil, limit],
  );
}

export async function updateAlertDelivery(
  db: Db,
  deliveryId: number,
  { fault, notBefore }: Pick<AlertDeliveryRow, 'fault' | 'notBefore'>,
): Promise<void> {
  await db.query('update alert_deliveries set fault = $2, not_before = $3 where delivery_id = $1', [
    deliveryId,
    fault,
    notBefore,
  ]);
}

/** The newest first. */
export async function listAlertDeliveries(db: Db, limit: number): Promise<AlertDeliveryRow[]> {
  return db.query<AlertDeliveryRow>(
    `select ${deliveryColumns}
     from alert_deliveries
     order by date_time_created desc, delivery_id desc
     limit $1`,
    [limit],
  );
}

export async function deleteAlertDeliveries(db: Db, before: Date): Promise<void> {
  await db.query('delete from alert_deliveries where date_time_created < $1 and not_before is null', [before]);
}
