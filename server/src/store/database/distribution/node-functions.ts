import type pg from 'pg';

/**
 * Functions by which statements run on the shards themselves. Citus hands a call to the node of `anchor`, an advisor, as a part of
 * the transaction; there PostgreSQL plans the statement, once for each shard and connection, as it would on a database of its own.
 */
const definitions = [
  // A shard that is being moved must not be written to, and one that is written to must not be moved. Only the owner may
  // lock shards; this lock keeps nobody from writing.
  `create or replace function share_shards(shards bigint[]) returns void
   language plpgsql security definer set search_path = pg_catalog, pg_temp
   as $$
   begin
     perform lock_shard_metadata(5, shards);
   end $$`,
  // With the parameters of all shards one after the other, as text. Each row has the place of its shard, from 1.
  `create or replace function run_on_shards(
     anchor bigint, named text, statement text, has_rows boolean, shards bigint[], parameters text[]
   )
   returns table (place integer, "row" text)
   language plpgsql
   set enable_seqscan = off
   set enable_hashjoin = off
   set enable_mergejoin = off
   set enable_bitmapscan = off
   set enable_sort = off
   set jit = off
   set plan_cache_mode = force_generic_plan
   as $$
   declare
     width integer := cardinality(parameters) / cardinality(shards);
     setting text;
     plan text;
     own text;
     found_row record;
   begin
     perform share_shards(shards);
     if exists (
       select
       from unnest(shards) as wanted (shardid)
       where not exists (
         select
         from pg_dist_placement p
         where p.shardid = wanted.shardid and p.groupid = (select groupid from pg_dist_local_group)
       )
     ) then
       raise serialization_failure using message = 'A shard was moved.';
     end if;
     for at in 1 .. cardinality(shards) loop
       plan := coalesce(named, 'unnamed') || '-' || shards[at];
       -- A rollback undoes a setting, but not a prepared statement.
       setting := 'assent.' || replace(plan, '-', '_');
       if named is null or current_setting(setting, true) is distinct from 'prepared' then
         if named is null and exists (select from pg_prepared_statements where name = plan) then
           execute format('deallocate %I', plan);
         end if;
         if not exists (select from pg_prepared_statements where name = plan) then
           execute format('prepare %I as %s', plan, statement_on_shard(statement, shards[at]));
         end if;
         if named is not null then
           perform set_config(setting, 'prepared', false);
         end if;
       end if;
       own := (
         select '(' || string_agg(quote_nullable(value), ', ' order by position) || ')'
         from unnest(parameters[(at - 1) * width + 1 : at * width]) with ordinality as g (value, position)
       );
       if not has_rows then
         execute format('execute %I %s', plan, own);
         continue;
       end if;
       for found_row in execute format('execute %I %s', plan, own) loop
         place := at;
         "row" := found_row::text;
         return next;
       end loop;
     end loop;
   end $$`,
  // The statement with the names of this shard, and of its neighbors in other tables, where it has a table's name in braces.
  `create or replace function statement_on_shard(statement text, shard bigint) returns text
   language plpgsql
   as $$
   declare
     part record;
   begin
     for part in
       select s.logicalrelid::regclass::text as table, s.shardid
       from pg_dist_shard own
       join pg_dist_shard s on s.shardminvalue = own.shardminvalue or s.shardminvalue is null
       where own.shardid = shard and strpos(statement, '{' || s.logicalrelid::regclass::text || '}') > 0
     loop
       statement := replace(statement, '{' || part.table || '}', part.table || '_' || part.shardid);
     end loop;
     return statement;
   end $$`,
];

/** Creates the functions, and has Citus hand calls to the node of the advisor, whose tables are distributed like `first`. */
export async function installNodeFunctions(client: pg.Client, appRole: string, first: string): Promise<void> {
  await client.query('begin');
  for (const definition of definitions) await client.query(definition);
  const run = 'run_on_shards(bigint, text, text, boolean, bigint[], text[])';
  for (const each of ['share_shards(bigint[])', 'statement_on_shard(text, bigint)', run])
    await client.query(`grant execute on function ${each} to ${appRole}`);
  await client.query(
    `select create_distributed_function($1, 'anchor', colocate_with => $2, force_delegation => true)`,
    [run, first],
  );
  await client.query('commit');
}
