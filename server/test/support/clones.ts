import pg from 'pg';

/** Databases of the tests: on one PostgreSQL, or on every node of a distributed one. */

type Node = { host: string; port: number };

/** The nodes that have the databases of this server: itself, and the workers that Citus knows. */
async function listNodes(administration: string): Promise<string[]> {
  const { rows: found } = await run(administration, `select to_regclass('pg_dist_node') is not null as found`);
  if (!found[0]?.found) return [administration];
  const { rows } = await run(
    administration,
    'select nodename as host, nodeport as port from pg_dist_node where groupid > 0 order by groupid',
  );
  return [administration, ...(rows as Node[]).map(({ host, port }) => at(administration, { host, port }))];
}

/** An empty database, on all nodes if there are several; then `fill` is called with its address. */
export async function makeTemplate(
  administration: string,
  name: string,
  fill: (url: string) => Promise<unknown>,
): Promise<void> {
  const nodes = await listNodes(administration);
  for (const node of nodes) await run(node, `create database ${name}`);
  const url = inDatabase(administration, name);
  if (nodes.length > 1) {
    for (const node of nodes) await run(inDatabase(node, name), 'create extension citus');
    const [coordinator, ...workers] = nodes.map((node) => new URL(node));
    await run(url, 'select citus_set_coordinator_host($1, $2)', [coordinator?.hostname, coordinator?.port || 5432]);
    for (const { hostname, port } of workers) await run(url, 'select citus_add_node($1, $2)', [hostname, port]);
  }
  await fill(url);
  // Citus keeps a connection of its own to each of its databases, and an open one keeps a database from being cloned.
  if (nodes.length > 1)
    for (const node of nodes) {
      await run(node, `alter database ${name} allow_connections false`);
      await run(node, 'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [name]);
    }
}

/** Its nodes know each other by address, and ask for a database of the same name: so copies of all parts are a whole. */
export async function cloneDatabase(
  administration: string,
  { name, template, place = '' }: { name: string; template: string; place?: string },
): Promise<string> {
  for (const node of await listNodes(administration))
    await run(node, `create database ${name} template ${template}${place}`);
  return inDatabase(administration, name);
}

export async function dropDatabase(administration: string, name: string): Promise<void> {
  for (const node of await listNodes(administration)) await run(node, `drop database if exists ${name} with (force)`);
}

async function run(connectionString: string, sql: string, values?: unknown[]): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client.query(sql, values).finally(() => client.end());
}

function inDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

function at(url: string, { host, port }: Node): string {
  const changed = new URL(url);
  changed.hostname = host;
  changed.port = String(port);
  return changed.href;
}
