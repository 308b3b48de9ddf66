import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { hasCitus } from '../distribution/queries.ts';
import { listDifferentTriggers } from '../distribution/shard-triggers.ts';
import { findExcess } from './logins.ts';
import { appRole, asOwner, compareMigrations, readMigrations } from './migrate.ts';

export type DatabaseFacts = Awaited<ReturnType<typeof inspectDatabase>>;

const settingNames = ['fsync', 'full_page_writes', 'synchronous_commit', 'autovacuum', 'archive_mode'] as const;
/** Those in which rows come and go, or change with every text. */
const hotTables = [
  'dispatches',
  'claims',
  'messages',
  'members',
  'archive_heads',
  'attempts',
  'webhook_streams',
  'nodes',
];
const deadRowsMin = 50_000;

/** What a deployment’s login can see of its database, for somebody who checks it. It changes nothing. */
export async function inspectDatabase(connectionString: string) {
  return asOwner(connectionString, async (client) => {
    const askedAt = performance.now();
    const askedTime = Date.now();
    const { now } = await one<{ now: Date }>(client, 'select clock_timestamp() as now');
    const answeredMs = performance.now() - askedAt;
    const found = await one<{ isMember: boolean; isMigrated: boolean }>(
      client,
      `select
         to_regclass('migrations') is not null as "isMigrated",
         exists (select from pg_roles where rolname = $1 and pg_has_role(session_user, oid, 'member')) as "isMember"`,
      [appRole],
    );
    const migrations = found.isMigrated ? await migrationsIn(client, found.isMember) : null;
    const citus = await inspectCitus(client, found.isMember);
    const isSame = migrations && migrations.missing.length + migrations.changed.length + migrations.newer.length === 0;
    return {
      answeredMs,
      /** How far its clock is ahead of ours; negative if it is behind. Exact to half of `answeredMs`. */
      clockAheadMs: now.getTime() - (askedTime + answeredMs / 2),
      isMember: found.isMember,
      /** What the login may do that the server needn’t; null if nothing. */
      excess: found.isMember ? await findExcess(client, appRole) : null,
      /** Null until `assent migrate` has run once. */
      migrations,
      /** Triggers that aren’t as this version’s migrations made them, on tables and shards; null in another version. */
      weakened: isSame
        ? [
            ...(await listWeakened(client)),
            ...(citus?.unreachable.length === 0 ? await listWeakenedShards(client) : []),
          ]
        : null,
      ...(await serverFacts(client)),
      bloated: await listBloated(client),
      citus,
    };
  });
}

async function migrationsIn(client: pg.Client, isMember: boolean) {
  // Only a member of the role may read the list.
  if (!isMember) return null;
  await client.query(`set role ${appRole}`);
  const { missing, changed, newer } = await compareMigrations(client);
  await client.query('reset role');
  const applied = readMigrations().length - missing.length;
  return { applied, missing: missing.map(({ name }) => name), changed, newer };
}

type ServerFacts = {
  version: string;
  isReplica: boolean;
  /** Whether this connection is encrypted; null over a socket of this machine. */
  isEncrypted: boolean | null;
  settings: Record<(typeof settingNames)[number], string>;
  databaseBytes: number;
  /** How many transactions old the oldest row that isn’t frozen may be. */
  oldestTransactions: number;
};

async function serverFacts(client: pg.Client) {
  const row = await one<
    ServerFacts & { used: number; most: number; lastArchivedAt: Date | null; lastFailedAt: Date | null }
  >(
    client,
    `select
       current_setting('server_version') as version,
       pg_is_in_recovery() as "isReplica",
       case when inet_server_addr() is not null then (select ssl from pg_stat_ssl where pid = pg_backend_pid()) end
         as "isEncrypted",
       (select json_object_agg(name, current_setting(name)) from unnest($1::text[]) as name) as settings,
       (select sum(numbackends) from pg_stat_database)::integer as used,
       least(
         current_setting('max_connections')::integer
           - current_setting('superuser_reserved_connections')::integer
           - coalesce(current_setting('reserved_connections', true), '0')::integer,
         (select nullif(rolconnlimit, -1) from pg_roles where rolname = session_user),
         (select nullif(datconnlimit, -1) from pg_database where datname = current_database())
       ) as most,
       pg_database_size(current_database())::float8 as "databaseBytes",
       (select age(datfrozenxid) from pg_database where datname = current_database()) as "oldestTransactions",
       a.last_archived_time as "lastArchivedAt", a.last_failed_time as "lastFailedAt"
     from pg_stat_archiver a`,
    [settingNames],
  );
  const { used, most, lastArchivedAt, lastFailedAt, ...rest } = row;
  // Whether copies of the write-ahead log fail; null if none were made.
  const walArchive = row.settings.archive_mode === 'off' ? null : { lastArchivedAt, lastFailedAt };
  return { ...rest, connections: { used, most }, walArchive };
}

/** Hot tables with more dead rows than autovacuum leaves. */
async function listBloated(client: pg.Client) {
  const { rows } = await client.query<{ table: string; deadRows: number }>(
    `select relname as table, n_dead_tup::float8 as "deadRows"
     from pg_stat_user_tables
     where schemaname = 'public' and relname = any ($1) and n_dead_tup > greatest($2, n_live_tup)
     order by n_dead_tup desc`,
    [hotTables, deadRowsMin],
  );
  return rows;
}

/** Workers that have advisors, in how many parts, and nodes that can't be asked; null without Citus. */
async function inspectCitus(client: pg.Client, isMember: boolean) {
  const { rows } = await client.query(hasCitus);
  if (rows.length === 0) return null;
  if (isMember) await client.query(`set role ${appRole}`);
  const facts = await one<{ workers: number; shards: number; unreachable: string[] }>(
    client,
    `select
       (select count(*)::integer from pg_dist_node where noderole = 'primary' and shouldhaveshards) as workers,
       (select count(*)::integer from pg_dist_shard where logicalrelid = to_regclass('archive_heads')) as shards,
       array(
         select format('%s:%s', nodename, nodeport)
         from run_command_on_all_nodes('select 1')
         join pg_dist_node using (nodeid)
         where not success
         order by nodeid
       ) as unreachable`,
  );
  await client.query('reset role');
  return facts;
}

/** A shard that was moved or split may have lost a trigger, and somebody who may change shards can drop one. */
async function listWeakenedShards(client: pg.Client): Promise<string[]> {
  // Other roles needn't be able to log in on the nodes.
  await client.query(`set role ${appRole}`);
  const different = await listDifferentTriggers(client);
  await client.query('reset role');
  return different.map(({ table, name }) => `${name} on shards of ${table} is not the table’s`);
}

async function one<Row extends object>(client: pg.Client, text: string, values: unknown[] = []): Promise<Row> {
  const { rows } = await client.query<Row>(text, values);
  if (!rows[0]) throw new Error('The database answered nothing.');
  return rows[0];
}

/** A trigger as the migrations make it: its statement, whether it also fires for replication, and its function's body. */
type Trigger = { table: string; name: string; definition: string; isAlways: boolean; function: string; body: string };
type FoundTrigger = Omit<Trigger, 'isAlways'> & { enabled: 'O' | 'A' | 'R' | 'D' };

const schemaFile = new URL('../../../../schema.sql', import.meta.url);
const triggerForm =
  /^(CREATE (?:CONSTRAINT )?TRIGGER (\S+) .*? ON public\.(\S+) .*EXECUTE FUNCTION (\w+)\(.*?\))( \/\* enable always \*\/)?;$/gm;
const functionForm =
  /^CREATE OR REPLACE FUNCTION public\.(\w+)\((?:(?!^CREATE)[\s\S])*?AS \$function\$([\s\S]*?)\$function\$;$/gm;

/**
 * The triggers that are not as the migrations made them: they keep entries from being changed, and consent from changing without
 * one. Somebody who may weaken them leaves no other trace until verification. They must be those of this version.
 */
export async function listWeakened(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<FoundTrigger>(
    `select
       c.relname as table, t.tgname as name, t.tgenabled as enabled, pg_get_triggerdef(t.oid) as definition,
       p.proname as function, p.prosrc as body
     from pg_trigger t
     join pg_class c on c.oid = t.tgrelid
     join pg_proc p on p.oid = t.tgfoid
     where not t.tgisinternal and c.relnamespace = 'public'::regnamespace`,
  );
  const found = new Map(rows.map((row) => [nameOf(row), row]));
  return readTriggers().flatMap((trigger) => {
    const fault = faultOf(trigger, found.get(nameOf(trigger)));
    return fault ? [`${nameOf(trigger)} ${fault}`] : [];
  });
}

function faultOf({ definition, isAlways, body, ...trigger }: Trigger, found: FoundTrigger | undefined): string | null {
  if (!found) return 'was dropped';
  if (found.enabled === 'D') return 'is disabled';
  if (found.enabled === 'R') return 'is only enabled for replication';
  if (isAlways && found.enabled !== 'A') return 'can be switched off by posing as replication';
  if (plain(found.definition) !== plain(definition)) return 'is a different one';
  return found.body === body ? null : `calls ${trigger.function}(), which was replaced`;
}

/** PostgreSQL writes more or fewer parentheses, depending on how a condition was given. */
function plain(definition: string): string {
  return definition.replace(/[()\s]/g, '');
}

function nameOf({ table, name }: Pick<Trigger, 'table' | 'name'>): string {
  return `${name} on ${table}`;
}

/** Of the schema that the migrations add up to. */
function readTriggers(): Trigger[] {
  const schema = readFileSync(schemaFile, 'utf8');
  const bodies = new Map(Array.from(schema.matchAll(functionForm), ([, name = '', body = '']) => [name, body]));
  return Array.from(schema.matchAll(triggerForm), ([, definition = '', name = '', table = '', called = '', always]) => {
    const isAlways = always !== undefined;
    return { table, name, definition, isAlways, function: called, body: bodies.get(called) ?? '' };
  });
}
