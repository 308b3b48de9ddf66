import type { Db } from '../database/db.ts';

/** For whom a STOP to one of the firm's advisors counts. */
export type OptOutScope = 'advisor' | 'firm';

export type FirmRow = {
  firmId: number;
  name: string;
  /** Whether the first text to a person names the firm and how to stop; null means the environment's default. */
  firstTextLine: boolean | null;
  optOutScope: OptOutScope;
  dateTimeCreated: Date;
};
/** Settings to change; an unset one stays as it is. */
export type FirmChange = { firstTextLine?: boolean; optOutScope?: OptOutScope };

const columns = `
  firm_id as "firmId", name, first_text_line as "firstTextLine", opt_out_scope as "optOutScope",
  date_time_created as "dateTimeCreated"`;

export async function insertFirm(db: Db, name: string, now: Date): Promise<FirmRow> {
  const [row] = await db.query<FirmRow>(
    `insert into firms (name, date_time_created)
     values ($1, $2)
     returning ${columns}`,
    [name, now],
  );
  if (!row) throw new Error('The insert returned no firm.');
  return row;
}

export async function updateFirm(db: Db, firmId: number, { firstTextLine, optOutScope }: FirmChange): Promise<void> {
  await db.query(
    `update firms
     set first_text_line = coalesce($2, first_text_line),
         opt_out_scope = coalesce($3, opt_out_scope)
     where firm_id = $1`,
    [firmId, firstTextLine ?? null, optOutScope ?? null],
  );
}

export async function findFirm(db: Db, firmId: number): Promise<FirmRow | null> {
  const [row] = await db.query<FirmRow>(`select ${columns} from firms where firm_id = $1`, [firmId]);
  return row ?? null;
}

/** Blocks `for share` locks; disposing of the firm's records takes one. */
export async function findFirmForUpdate(db: Db, firmId: number): Promise<FirmRow | null> {
  // The functions that write a retention or a hold lock the row themselves, as the owner: on another connection to each node.
  const isDistributed = await db.isDistributed();
  if (isDistributed) await lockFirm(db, firmId, 'pg_advisory_xact_lock');
  const [row] = await db.query<FirmRow>(
    `select ${columns} from firms where firm_id = $1${isDistributed ? '' : ' for no key update'}`,
    [firmId],
  );
  return row ?? null;
}

/** The scope, which nobody changes until the transaction ends. */
export async function findOptOutScopeForShare(db: Db, firmId: number): Promise<OptOutScope | null> {
  const isDistributed = await db.isDistributed();
  if (isDistributed) await lockFirm(db, firmId, 'pg_advisory_xact_lock_shared');
  const [row] = await db.query<{ scope: OptOutScope }>(
    `select opt_out_scope as scope from firms where firm_id = $1${isDistributed ? '' : ' for share'}`,
    [firmId],
    'find-opt-out-scope',
  );
  return row?.scope ?? null;
}

/** In a distributed database two `for share` locks on a table that every node has would wait for each other. */
async function lockFirm(
  db: Db,
  firmId: number,
  lock: 'pg_advisory_xact_lock' | 'pg_advisory_xact_lock_shared',
): Promise<void> {
  await db.query(`select ${lock}(hashtextextended('firm', $1))`, [firmId], lock);
}

export async function listFirms(db: Db): Promise<FirmRow[]> {
  return db.query<FirmRow>(`select ${columns} from firms order by firm_id`);
}
