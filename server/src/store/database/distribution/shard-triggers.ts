import type pg from 'pg';

type Trigger = { table: string; name: string; definition: string | null; isAlways: boolean };

/**
 * Gives every shard the triggers of its table. Citus adds and drops those on truncation on the tables alone, unlike others, so this
 * runs after migrations. Returns the tables of which shards were different.
 */
export async function copyTriggers(client: pg.Client): Promise<string[]> {
  const different = await listDifferentTriggers(client);
  for (const { table, name, definition, isAlways } of different) {
    await onShards(client, table, `drop trigger if exists ${name} on ${table}`);
    if (definition === null) continue;
    await onShards(client, table, definition);
    await onShards(client, table, `alter table ${table} enable ${isAlways ? 'always ' : ''}trigger ${name}`);
  }
  return [...new Set(different.map(({ table }) => table))];
}

/** PostgreSQL writes more or fewer parentheses, depending on how a condition was given. */
const plain = (trigger: string) => `translate(${trigger}.definition, '() ', '')`;

/** Triggers that a shard lacks, or has in another way; without a definition, those that only a shard has. */
export async function listDifferentTriggers(client: pg.ClientBase): Promise<Trigger[]> {
  const { rows } = await client.query<Trigger>(
    `with placed as (
       select logicalrelid, shardid, nodeid, shard_name(logicalrelid, shardid) as shard
       from pg_dist_shard
       join pg_dist_placement using (shardid)
       join pg_dist_node using (groupid)
     ),
     wanted as (
       select placed.*, tgname, pg_get_triggerdef(oid) as definition, tgenabled::text as enabled
       from placed
       join pg_trigger on tgrelid = logicalrelid
       where not tgisinternal
     ),
     found as (
       select
         placed.*, regexp_replace(name, '_' || shardid || '$', '') as tgname,
         replace(definition, '_' || shardid, '') as definition, enabled
       from run_command_on_all_nodes($1) as node
       cross join json_to_recordset(result::json) as trigger (shard text, name text, definition text, enabled text)
       join placed using (nodeid, shard)
     )
     select distinct
       logicalrelid::regclass::text as table, quote_ident(tgname) as name, wanted.definition,
       coalesce(wanted.enabled = 'A', false) as "isAlways"
     from wanted
     full join found using (nodeid, shardid, logicalrelid, tgname)
     where ${plain('wanted')} is distinct from ${plain('found')} or wanted.enabled is distinct from found.enabled
     order by 1, 2`,
    [
      `select coalesce(json_agg(json_build_object(
         'shard', tgrelid::regclass, 'name', tgname, 'definition', pg_get_triggerdef(oid), 'enabled', tgenabled
       )), '[]')
       from pg_trigger
       where not tgisinternal`,
    ],
  );
  return rows;
}

/** Runs a statement about a table on all of its shards, whose names Citus puts in. */
async function onShards(client: pg.Client, table: string, sql: string): Promise<void> {
  const { rows } = await client.query<{ shardid: string; result: string }>(
    `select shardid, result
     from run_command_on_placements($1, $2)
     where not success`,
    [
      table,
      `select worker_apply_shard_ddl_command(substring('%s' from '\\d+$')::bigint, ${client.escapeLiteral(sql)})`,
    ],
  );
  if (rows[0]) throw new Error(`Shard ${rows[0].shardid} of ${table} could not be changed: ${rows[0].result}`);
}
