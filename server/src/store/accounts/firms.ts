import type { Db } from '../database/db.ts';

/** For whom a STOP to one of the firm's advisors counts. */
export const optOutScopes = ['advisor', 'firm'] as const;
export type OptOutScope = (typeof optOutScopes)[number];

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
  return db.one<FirmRow>(
    `insert into firms (name, date_time_created)
     values ($1, $2)
     returning ${columns}`,
    [name, now],
  );
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
  return db.find<FirmRow>(`select ${columns} from firms where firm_id = $1`, [firmId]);
}

/** Until the transaction ends, nobody else changes the firm's settings or disposes of its records. */
export async function findFirmForUpdate(db: Db, firmId: number): Promise<FirmRow | null> {
  await db.write(`select pg_advisory_xact_lock(${firmLock})`, [firmId], 'lock-firm');
  return findFirm(db, firmId);
}

/** The scope, which nobody changes until the transaction ends. */
export async function findOptOutScopeForShare(db: Db, firmId: number): Promise<OptOutScope | null> {
  await db.write(`select pg_advisory_xact_lock_shared(${firmLock})`, [firmId], 'share-firm');
  return db.value<OptOutScope>(
    'select opt_out_scope as scope from firms where firm_id = $1',
    [firmId],
    'find-opt-out-scope',
  );
}

/** The lock on a firm. The functions that write retentions and holds, and dispose of bodies, take it too. */
const firmLock = `hashtextextended('firm', $1)`;

export async function listFirms(db: Db): Promise<FirmRow[]> {
  return db.query<FirmRow>(`select ${columns} from firms order by firm_id`);
}
