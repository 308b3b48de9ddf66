import { setTimeout as pause } from 'node:timers/promises';
import { sandboxCarrierId } from '../carriers/carriers.ts';
import type { Db, Transaction } from '../database/db.ts';
import { kindOf } from '../database/errors.ts';

/** How far the feeds of an advisor are numbered. */
type FeedNumbers = { advisorId: number; lastEvent: number; lastChange: number };
/** A trigger that keeps rows from being removed, even by the owner. */
type Guard = { table: string; name: string; isAlways: boolean };

/** Everything else is emptied, also what a later version adds. */
const keptTables = [
  'migrations',
  'carriers',
  'carrier_status',
  'nodes',
  'signing_keys',
  'sandbox_clock',
  'archive_tree',
  'database_time',
];
const lockWithinMs = 8_000;
const lockMs = 800;
const lockPauseMs = 50;
/** Truncating sixty small tables took 0.8 s where deleting their rows took 0.06. Of a large one it is the other way around. */
const deletedBytesMax = 4 * 1024 * 1024;

/**
 * Empties the database, inside a transaction of its owner. Nobody else reads or writes until that is committed. Ids go on where they
 * were, so that what is still under way for a row that is gone finds no other; only firms are numbered as at first.
 */
export async function emptyDatabase(db: Transaction, { emptyRoot }: { emptyRoot: Buffer }): Promise<FeedNumbers[]> {
  const tables = await listTables(db);
  const emptied = tables.filter(({ name }) => !keptTables.includes(name));
  await lockAll(db, [...emptied.map(({ name }) => name), 'sandbox_clock', 'archive_tree']);
  const numbers = await listFeedNumbers(db);
  const guards = await listGuards(db);
  for (const { table, name } of guards) await db.query(`alter table ${table} disable trigger ${name}`);
  for (const { name, bytes } of emptied)
    await db.query(bytes > deletedBytesMax ? `truncate ${name} cascade` : `delete from ${name}`);
  for (const { table, name, isAlways } of guards)
    await db.query(`alter table ${table} enable ${isAlways ? 'always' : ''} trigger ${name}`);
  await db.query('alter table firms alter column firm_id restart');
  await db.query('delete from carriers where carrier_id <> $1', [sandboxCarrierId]);
  await db.query('update carriers set disabled = false, version = version + 1 where disabled');
  await db.query('update archive_tree set size = 0, root = $1, fault = null', [emptyRoot]);
  await db.query('update sandbox_clock set offset_ms = 0, resets = resets + 1, resetting_until = null');
  return numbers;
}

/**
 * Whoever holds one table and waits for another that we hold would be in a deadlock, which PostgreSQL ends after a second by failing one
 * of the two. So all of them are locked in less, or let go and tried again.
 */
async function lockAll(db: Transaction, tables: string[]): Promise<void> {
  const usual = await db.value<string>(`select current_setting('statement_timeout')`);
  for (const deadline = Date.now() + lockWithinMs; ; await pause(lockPauseMs)) {
    try {
      return await db.savepoint(async () => {
        await db.query(`set local statement_timeout = ${lockMs}`);
        await db.query(`lock table ${tables.join(', ')} in access exclusive mode`);
        await db.query(`set local statement_timeout = '${usual}'`);
      });
    } catch (error) {
      if (kindOf(error) !== 'timeout' || Date.now() > deadline) throw error;
    }
  }
}

/** The next advisor gets this id. */
export async function setNextAdvisorId(db: Db, advisorId: number): Promise<void> {
  await db.query(`alter table advisors alter column advisor_id restart with ${Number(advisorId)}`);
}

/**
 * The feeds of an advisor who was made again go on after a gap: a cursor from before is one of what is no longer kept, and no event gets
 * the id of another.
 */
export async function insertFeedNumbers(db: Db, { advisorId, lastEvent, lastChange }: FeedNumbers): Promise<void> {
  await db.query(
    `insert into archive_heads as head (advisor_id, last_number, last_event)
     values ($1, 0, $2)
     on conflict (advisor_id) do update
     set last_event = head.last_event + excluded.last_event`,
    [advisorId, lastEvent + 1],
  );
  await db.query('insert into contact_books (advisor_id, last_change) values ($1, $2)', [advisorId, lastChange + 1]);
}

/** Those that refer to others come first. */
async function listTables(db: Db) {
  return db.query<{ name: string; bytes: number }>(
    `with recursive ranks (table_id, rank) as (
       select oid, 0
       from pg_class
       where relkind = 'r' and relnamespace = 'public'::regnamespace
       union
       select confrelid, rank + 1
       from ranks
       join pg_constraint on contype = 'f' and conrelid = table_id and confrelid <> table_id
     )
     select quote_ident(relname) as name, pg_table_size(oid) as bytes
     from ranks
     join pg_class on oid = table_id
     group by oid, relname
     order by max(rank), relname`,
  );
}

/** Spans advisors: it is about all of them. */
async function listFeedNumbers(db: Db): Promise<FeedNumbers[]> {
  return db.query<FeedNumbers>(
    `select
       a.advisor_id as "advisorId", coalesce(h.last_event, 0) as "lastEvent", coalesce(b.last_change, 0) as "lastChange"
     from advisors a
     left join archive_heads h on h.advisor_id = a.advisor_id
     left join contact_books b on b.advisor_id = a.advisor_id`,
  );
}

async function listGuards(db: Db): Promise<Guard[]> {
  const isOfRemoval = 't.tgtype & (8 | 32) <> 0';
  return db.query<Guard>(
    `select
       quote_ident(c.relname) as table, quote_ident(t.tgname) as name, t.tgenabled = 'A' as "isAlways"
     from pg_trigger t
     join pg_class c on c.oid = t.tgrelid
     where not t.tgisinternal and c.relnamespace = 'public'::regnamespace and ${isOfRemoval}`,
  );
}
