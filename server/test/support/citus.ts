import { existsSync } from 'node:fs';
import pg from 'pg';
import { joinNodes, listNodes } from './clones.ts';
import { postgresUser } from './debian-postgres.ts';
import { makeServer, type PostgresServer } from './replicated-postgres.ts';

/** A coordinator of Citus and two workers, each a PostgreSQL of its own. */
export type Citus = {
  /** Where the owner connects to a database of the coordinator. Those that are made there are made on all nodes. */
  url(database: string): string;
  /** The coordinator, and then the workers. */
  servers: PostgresServer[];
  /** The first process of each PostgreSQL. */
  postmasters(): number[];
  stop(): Promise<void>;
};

const library = '/usr/lib/postgresql/15/lib/citus.so';
export const skip = existsSync(library) ? false : `there is no ${library}`;

/** Debian's PostgreSQL 15, into which Citus was installed. `prepare` finds servers that know nothing of each other yet. */
export async function startCitus(
  settings: Record<string, string> = {},
  prepare: (servers: PostgresServer[]) => Promise<void> = async () => {},
): Promise<Citus> {
  const all = {
    shared_preload_libraries: 'citus',
    max_connections: '300',
    max_prepared_transactions: '300',
    // Citus has one for each database: without, nobody ends deadlocks between nodes.
    max_worker_processes: '100',
    // To move shards while they are written to.
    wal_level: 'logical',
    jit: 'off',
    'citus.node_conninfo': 'sslmode=disable',
    ...settings,
  };
  const user = postgresUser();
  const servers = [await makeServer(user, all), await makeServer(user, all), await makeServer(user, all)];
  await Promise.all(
    servers.map(async (server) => {
      server.initialize();
      await server.start();
    }),
  );
  const url = (port: number | undefined, database: string) => `postgres://assent@127.0.0.1:${port}/${database}`;
  const citus: Citus = {
    servers,
    url: (database) => url(servers[0]?.port, database),
    postmasters: () => servers.map(({ pid }) => pid()),
    async stop() {
      for (const server of servers) {
        await server.end();
        server.remove();
      }
    },
  };
  try {
    await prepare(servers);
    await joinNodes(servers.map(({ port }) => url(port, 'postgres')));
  } catch (error) {
    // They would keep the process running.
    await citus.stop();
    throw error;
  }
  return citus;
}

/** All tables, shards and functions of a database's nodes, without the numbers of shards: the same for databases that are alike. */
export async function describeNodes(url: string): Promise<string[]> {
  const described = new Set<string>();
  for (const [index, node] of (await listNodes(url)).entries()) {
    const client = new pg.Client({ connectionString: node, options: '-c citus.override_table_visibility=off' });
    await client.connect();
    const { rows } = await client.query<{ line: string }>(descriptions).finally(() => client.end());
    const place = index === 0 ? 'coordinator' : 'worker';
    for (const { line } of rows) described.add(`${place}: ${line.replaceAll(/_\d{6}\b/g, ' shard')}`);
  }
  return [...described].sort();
}

const descriptions = `
  with relations as (
    select oid, relname, relacl
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'S')
  )
  select format('%s %s', relname, relacl) as line
  from relations
  union all
  select format('%s.%s %s %s %s', relname, attname, attacl, attnotnull, pg_get_expr(adbin, adrelid))
  from relations
  join pg_attribute on attrelid = oid
  left join pg_attrdef on adrelid = attrelid and adnum = attnum
  where attnum > 0 and not attisdropped
  union all
  select format('%s %s', tgenabled, pg_get_triggerdef(t.oid))
  from relations r
  join pg_trigger t on tgrelid = r.oid
  where not tgisinternal
  union all
  select format('%s %s %s', relname, conname, pg_get_constraintdef(c.oid))
  from relations r
  join pg_constraint c on conrelid = r.oid
  union all
  select pg_get_indexdef(indexrelid)
  from relations
  join pg_index on indrelid = oid
  union all
  select format('%s %s %s %s %s', p.oid::regprocedure, prosrc, proacl, proconfig, prosecdef)
  from pg_proc p
  where pronamespace = 'public'::regnamespace
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`;
