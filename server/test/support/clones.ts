import pg from 'pg';

/** Databases of the tests: on one PostgreSQL, or on every node of a distributed one. */

type Node = { host: string; port: number };

/** The nodes that have the databases of this server: itself, and the workers that Citus knows. */
export async function listNodes(administration: string): Promise<string[]> {
  const { rows: found } = await run(administration, `select to_regclass('pg_dist_node') is not null as found`);
  if (!found[0]?.found) return [administration];
  const { rows } = await run(
    administration,
    'select nodename as host, nodeport as port from pg_dist_node where groupid > 0 order by groupid',
  );
  return [administration, ...(rows as Node[]).map(({ host, port }) => at(administration, { host, port }))];
}

/** A database that is cloned: an empty one, and then `fill` is called with its address. */
export async function makeTemplate(
  administration: string,
  name: string,
  fill: (url: string) => Promise<unknown>,
): Promise<void> {
  await fill(await createDatabase(administration, name));
  await closeNodes(administration, name);
}

/** So that it can be cloned. */
export async function closeNodes(administration: string, name: string): Promise<void> {
  const nodes = await listNodes(administration);
  if (nodes.length > 1) for (const node of nodes) await close(node, name);
}

/** An empty database, on all nodes if there are several. Returns its address. */
export async function createDatabase(administration: string, name: string): Promise<string> {
  const nodes = await listNodes(administration);
  for (const node of nodes) await run(node, `create database ${name}`);
  if (nodes.length > 1) await joinNodes(nodes.map((node) => inDatabase(node, name)));
  return inDatabase(administration, name);
}

/** Makes the first a coordinator of Citus, and the others its workers. */
export async function joinNodes([coordinator = '', ...workers]: string[]): Promise<void> {
  for (const node of [coordinator, ...workers]) await run(node, 'create extension citus');
  const add = (what: string, { hostname, port }: URL) =>
    run(coordinator, `select ${what}($1, $2)`, [hostname, port || 5432]);
  await add('citus_set_coordinator_host', new URL(coordinator));
  for (const worker of workers) await add('citus_add_node', new URL(worker));
}

/** Its nodes know each other by address, and ask for a database of the same name: so copies of all parts are a whole. */
export async function cloneDatabase(
  administration: string,
  { name, template, place = '' }: { name: string; template: string; place?: string },
): Promise<string> {
  const nodes = await listNodes(administration);
  for (const node of nodes) {
    const isOpen = nodes.length > 1 && (await close(node, template));
    const owner = nodes.length > 1 ? ` owner ${await ownerOf(node, template)}` : '';
    await run(node, `create database ${name} template ${template}${owner} strategy file_copy${place}`);
    if (isOpen) await run(node, `alter database ${template} allow_connections true`);
  }
  return inDatabase(administration, name);
}

/**
 * Citus keeps a connection of its own to each of its databases, and an open one keeps a database from being cloned. Returns
 * whether it was open.
 */
async function close(node: string, name: string): Promise<boolean> {
  const { rows } = await run(node, 'select from pg_database where datname = $1 and datallowconn', [name]);
  if (rows.length === 0) return false;
  await run(node, `alter database ${name} allow_connections false`);
  await run(node, 'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [name]);
  return true;
}

/** Who may create shards in it. */
async function ownerOf(node: string, name: string): Promise<string> {
  const { rows } = await run(node, 'select datdba::regrole::text as owner from pg_database where datname = $1', [name]);
  return rows[0]?.owner;
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
