import type pg from 'pg';
import { installNodeFunctions } from './node-functions.ts';
import { copyTriggers } from './shard-triggers.ts';
import { advisorOwned, functionsOnNodes, shared, unsupportedKeys } from './tables.ts';

/** Every advisor's tables are distributed like this one. */
const first = 'archive_heads';

type Constraint = { table: string; name: string; definition: string };
type Trigger = Constraint & { function: string; isAlways: boolean; isDeferred: boolean };

/**
 * A batch is a statement for each shard that it has rows for, so every shard more costs; fewer than workers leave some without rows. Two
 * for each worker are even, and one can be moved to another worker.
 */
const shardsOfEach = 2;

/**
 * Distributes what isn't yet, where the database has Citus, and brings nodes up to date that a migration left. `shards` is how many parts
 * the first time makes. Returns what it did.
 */
export async function distribute(client: pg.Client, appRole: string, shards?: number): Promise<string[]> {
  const { rows } = await client.query(`select to_regclass('pg_dist_partition') is not null as found`);
  if (!rows[0].found) return [];
  const missing = await listMissing(client);
  await client.query('begin');
  // The guards of the archive are triggers: with this, the shards have them too.
  await client.query(`set local citus.enable_unsafe_triggers to on`);
  await client.query(`set local citus.multi_shard_modify_mode to 'sequential'`);
  if (missing.length > 0) await distributeTables(client, missing, shards);
  await complete(client, appRole);
  await client.query('commit');
  await installNodeFunctions(client, appRole, first);
  const changed = await copyTriggers(client);
  return [
    ...(missing.length > 0 ? [`the distribution of ${missing.length} tables`] : []),
    ...(changed.length > 0 ? [`the triggers on shards of ${changed.join(', ')}`] : []),
  ];
}

/**
 * With the rows that there are. Foreign keys are added again afterward, since Citus takes tables one by one.
 */
async function distributeTables(client: pg.Client, missing: string[], shards?: number): Promise<void> {
  const keys = await dropForeignKeys(client);
  const triggers = await listTriggers(client);
  const dropped = triggers.filter(({ isDeferred }) => isDeferred);
  // Citus takes a table's triggers along with their functions, but not those of triggers that come later.
  await distributeFunctions(
    client,
    dropped.map((trigger) => trigger.function),
  );
  for (const { table, name } of dropped) await client.query(`drop trigger ${name} on ${table}`);
  const kept = triggers.filter((trigger) => !dropped.includes(trigger));
  await logTables(client, missing);
  for (const table of missing) {
    if (shared.includes(table as never)) await client.query('select create_reference_table($1)', [table]);
    else if (table === first)
      await client.query(
        `select create_distributed_table($1, 'advisor_id', colocate_with => 'none', shard_count => $2)`,
        [table, shards ?? shardsOfEach * (await countWorkers(client))],
      );
    else await client.query(`select create_distributed_table($1, 'advisor_id', colocate_with => $2)`, [table, first]);
    await removeCopied(
      client,
      table,
      kept.filter((trigger) => trigger.table === table),
    );
  }
  for (const { table, name, definition } of keys)
    if (!unsupportedKeys.includes(name))
      await client.query(`alter table ${table} add constraint ${name} ${definition}`);
  for (const trigger of dropped) {
    await client.query(trigger.definition);
    await enable(client, trigger);
  }
}

/** A shard that isn't logged can't be moved while it is written to. */
async function logTables(client: pg.Client, tables: string[]): Promise<void> {
  const { rows } = await client.query<{ table: string }>(
    `select oid::regclass::text as table from pg_class where oid = any ($1::regclass[]) and relpersistence = 'u'`,
    [tables],
  );
  for (const { table } of rows) await client.query(`alter table ${table} set logged`);
}

/** Those that can have advisors; a coordinator alone counts as one. */
async function countWorkers(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ workers: number }>(
    `select greatest(count(*), 1)::integer as workers from pg_dist_node where noderole = 'primary' and shouldhaveshards`,
  );
  return rows[0]?.workers ?? 1;
}

/** What a distributed database has besides; each only if it is missing. */
async function complete(client: pg.Client, appRole: string): Promise<void> {
  await recordOnNodes(client, appRole);
  await distributeFunctions(client, functionsOnNodes);
  await grantSequences(client, appRole);
}

/** Deferred ones would look at every row that is moved, at the end, and a table with waiting triggers can't be altered. */
async function listTriggers(client: pg.Client): Promise<Trigger[]> {
  const { rows } = await client.query<Trigger>(
    `select
       tgrelid::regclass::text as table, quote_ident(tgname) as name, pg_get_triggerdef(oid) as definition,
       tgfoid::regprocedure::text as function, tgenabled = 'A' as "isAlways", tgdeferrable as "isDeferred"
     from pg_trigger
     where not tgisinternal and tgrelid = any ($1::regclass[])
     order by tgrelid::regclass::text, tgname`,
    [[...shared, ...advisorOwned]],
  );
  return rows;
}

async function enable(client: pg.Client, { table, name, isAlways }: Trigger): Promise<void> {
  await client.query(`alter table ${table} enable ${isAlways ? 'always ' : ''}trigger ${name}`);
}

/**
 * The rows have been copied to their nodes; here they would stay behind, and nobody would see them. The table's guards are off for
 * that, here and not on the shards, in a transaction that has the table to itself.
 */
async function removeCopied(client: pg.Client, table: string, triggers: Trigger[]): Promise<void> {
  await client.query('set local citus.enable_ddl_propagation to off');
  await client.query(`alter table ${table} disable trigger user`);
  await client.query('set local citus.enable_ddl_propagation to on');
  await client.query('select truncate_local_data_after_distributing_table($1)', [table]);
  await client.query('set local citus.enable_ddl_propagation to off');
  for (const trigger of triggers) await enable(client, trigger);
  await client.query('set local citus.enable_ddl_propagation to on');
}

/** The coordinator draws the ids of new rows as the role that inserts them. */
async function grantSequences(client: pg.Client, appRole: string): Promise<void> {
  const { rows } = await client.query<{ sequence: string }>(
    `select seqrelid::regclass::text as sequence
     from pg_sequence
     join pg_depend on objid = seqrelid
     where classid = 'pg_class'::regclass and deptype = 'i' and refobjid = any ($1::regclass[])
       and not has_sequence_privilege($2, seqrelid, 'usage')`,
    [[...shared, ...advisorOwned], appRole],
  );
  for (const { sequence } of rows) await client.query(`grant usage on sequence ${sequence} to ${appRole}`);
}

async function distributeFunctions(client: pg.Client, names: string[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct name
     from unnest($1::text[]) as name
     where not exists (
       select
       from pg_dist_object
       where classid = 'pg_proc'::regclass and objid = name::regprocedure
     )`,
    [names],
  );
  for (const { name } of rows) await client.query('select create_distributed_function($1)', [name]);
}

/**
 * The coordinator would compute the default, and insert it as the application's role, which may not say when an entry was recorded. So
 * a trigger of the shard does.
 */
async function recordOnNodes(client: pg.Client, appRole: string): Promise<void> {
  const { rows } = await client.query<{ columns: string }>(
    `select string_agg(quote_ident(attname), ', ') filter (where has_column_privilege($1, attrelid, attnum, 'insert')) as columns
     from pg_attribute
     where attrelid = 'archive_entries'::regclass and attnum > 0 and not attisdropped
     having bool_or(attname = 'recorded_at' and atthasdef)`,
    [appRole],
  );
  if (!rows[0]) return;
  await client.query(`revoke insert on archive_entries from ${appRole}`);
  await client.query(`grant insert (${rows[0].columns}) on archive_entries to ${appRole}`);
  await client.query('alter table archive_entries alter column recorded_at drop default');
  await client.query(
    `create trigger recorded before insert on archive_entries for each row execute function set_recorded_at()`,
  );
  await client.query('alter table archive_entries enable always trigger recorded');
}

/** Shared tables come first: others refer to them. */
async function listMissing(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ table: string }>(
    `select "table"
     from unnest($1::text[]) with ordinality as wanted ("table", position)
     where not exists (
       select
       from pg_dist_partition
       where logicalrelid = "table"::regclass and (partmethod = 'h' or repmodel = 't')
     )
     order by position`,
    [[...shared, first, ...advisorOwned.filter((table) => table !== first)]],
  );
  return rows.map(({ table }) => table);
}

async function dropForeignKeys(client: pg.Client): Promise<Constraint[]> {
  const { rows } = await client.query<Constraint>(
    `select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
     from pg_constraint
     where contype = 'f' and connamespace = 'public'::regnamespace
     order by conrelid::regclass::text, conname`,
  );
  for (const { table, name } of rows) await client.query(`alter table ${table} drop constraint ${name}`);
  return rows;
}
