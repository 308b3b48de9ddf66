import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { clientOf } from '../connecting/tls.ts';
import { distribute } from '../distribution/distribute.ts';
import { findExcess, findOwnerInstead, makeRestrictedLogin } from './logins.ts';
import { pasteable, setUp } from './setup.ts';

/** The role that the server's statements run as. It can't change the schema, nor records that the rules protect. */
export const appRole = 'assent_app';

const folder = new URL('../../../../migrations/', import.meta.url);
/** It may change until 0.1.0 is released; from then on, schema changes are migrations after it. */
const baseline = '001-baseline';
const migrationLock = 7_277_002;
const oldestVersion = 15;
/** Less than a request waits. */
const lockMsMax = 2_000;
const lockTriesMax = 100;
const lockTimeout = '55P03';

export class MigrationError extends Error {}

type Migration = { name: string; sql: string; sha256: string };

/**
 * Brings the schema up to date, as the owner. Concurrent processes take turns. `shards` is for a database that it distributes. Returns
 * the applied migrations.
 */
export async function migrate(
  connectionString: string,
  { shards }: { shards?: number | undefined } = {},
): Promise<string[]> {
  return asOwner(connectionString, async (client) => {
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    const { rows } = await client.query('show server_encoding');
    if (rows[0].server_encoding !== 'UTF8')
      throw new MigrationError(
        `The database’s encoding is ${rows[0].server_encoding}, and texts need UTF8. Create it anew: create database … encoding 'UTF8' template template0;`,
      );
    const left = await setUp(client, appRole);
    const owner = await findOwnerInstead(client, left !== null);
    if (owner)
      throw new MigrationError(
        `The login in DATABASE_URL is not the owner’s. Put "${owner}" into it for \`assent migrate\`, and this login for everything else.`,
      );
    if (left)
      throw new MigrationError(
        `This login may not set up the database. Have a superuser paste this into psql, then migrate again:${left}`,
      );
    await client.query(
      'create table if not exists migrations (name text primary key, sha256 text not null, date_time_applied timestamptz not null default now())',
    );
    const applied: string[] = [];
    for (const migration of await pending(client)) {
      await apply(client, migration);
      applied.push(migration.name);
    }
    return [...applied, ...(await distribute(client, appRole, shards))];
  });
}

/** Where the database is distributed, migrations may create triggers, and change tables that are on every node with those that aren't. */
const distributedSettings = `
  set local citus.enable_unsafe_triggers = on;
  set local citus.multi_shard_modify_mode = sequential`;

/**
 * Servers of the version before answer requests meanwhile. A migration that waits for a table makes everybody wait who comes after
 * it, so it gives up soon, lets them through, and tries again.
 */
async function apply(client: pg.Client, { name, sql, sha256 }: Migration): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await client.query(`begin; set local lock_timeout = ${lockMsMax}; ${distributedSettings}`);
      await client.query(sql);
      await client.query('insert into migrations (name, sha256) values ($1, $2)', [name, sha256]);
      await client.query('commit');
      return;
    } catch (error) {
      await client.query('rollback');
      if (!(error instanceof pg.DatabaseError) || error.code !== lockTimeout || tries >= lockTriesMax) throw error;
      await pause(lockMsMax);
    }
  }
}

/**
 * In production domain time is real time and can't be moved: moving it would also decide when the retention of records
 * ends. In a sandbox the application's role moves the clock.
 */
export async function fixClock(connectionString: string): Promise<void> {
  await asOwner(connectionString, async (client) => {
    await client.query(`revoke update on sandbox_clock from ${appRole}`);
  });
}

/** Checks before serving that the schema is this program's, and that its login can't do more than the restricted role. */
export async function checkDatabase(connectionString: string): Promise<void> {
  await asOwner(connectionString, async (client) => {
    const { rows } = await client.query(`select to_regclass('migrations') as found`);
    if (rows[0].found) await becomeMember(client);
    const missing = rows[0].found ? await pending(client) : readMigrations();
    if (missing.length > 0)
      throw new MigrationError(`The database lacks ${missing.length} migrations: run \`assent migrate\` as its owner.`);
    const excess = await findExcess(client, appRole);
    if (excess)
      throw new MigrationError(
        `The login in DATABASE_URL is not a restricted one: ${excess}. Use two logins: the owner for \`assent migrate\` alone, and for everything else one that is only a member of ${appRole}. ${await makeRestrictedLogin(client, appRole)}`,
      );
  });
}

/** Without the role, not even the list of migrations can be read; a login that doesn't inherit becomes it first. */
async function becomeMember(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select quote_ident(session_user) as login, pg_has_role(session_user, $1, 'member') as member`,
    [appRole],
  );
  const [{ login, member }] = rows;
  if (!member)
    throw new MigrationError(
      `The login in DATABASE_URL is not a member of ${appRole}. Have a superuser paste this into psql:${pasteable([`grant ${appRole} to ${login};`])}`,
    );
  await client.query(`set role ${appRole}`);
}

export async function asOwner<Result>(
  connectionString: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = clientOf({ connectionString, application_name: 'assent migrate' });
  try {
    await client.connect();
    const { rows } = await client.query('show server_version_num');
    if (Number(rows[0].server_version_num) < oldestVersion * 10_000)
      throw new MigrationError(`PostgreSQL ${oldestVersion} or newer is needed.`);
    return await work(client);
  } finally {
    await client.end();
  }
}

async function pending(client: pg.Client): Promise<Migration[]> {
  const { missing, changed, newer } = await compareMigrations(client);
  const isFromBefore = newer.length > 0 && missing.some(({ name }) => name === baseline);
  if (isFromBefore || changed.length > 0)
    throw new MigrationError(
      'This database was made by another version before 0.1.0 and can’t be converted: export what you need with that version (`assent archive export`), then start with a new database.',
    );
  return missing;
}

/** Those that the database lacks, those that are not what it has, and those that a newer version of the program applied. */
export async function compareMigrations(
  client: pg.Client,
): Promise<{ missing: Migration[]; changed: string[]; newer: string[] }> {
  const { rows } = await client.query<{ name: string; sha256: string }>('select name, sha256 from migrations');
  const applied = new Map(rows.map((row) => [row.name, row.sha256]));
  const migrations = readMigrations();
  const known = new Set(migrations.map(({ name }) => name));
  return {
    missing: migrations.filter(({ name }) => !applied.has(name)),
    changed: migrations.filter(({ name, sha256 }) => (applied.get(name) ?? sha256) !== sha256).map(({ name }) => name),
    newer: [...applied.keys()].filter((name) => !known.has(name)).sort(),
  };
}

/** The baseline is a folder: a file for each capability, together one migration. */
export function readMigrations(): Migration[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry) => {
      const sql = entry.isDirectory() ? readFiles(`${entry.name}/`) : readFileSync(new URL(entry.name, folder), 'utf8');
      return { name: entry.name, sql, sha256: createHash('sha256').update(sql).digest('hex') };
    });
}

function readFiles(name: string): string {
  const path = new URL(name, folder);
  const files = readdirSync(path).sort();
  return files.map((file) => readFileSync(new URL(file, path), 'utf8')).join('\n');
}

export async function ensureDatabase(connectionString: string, name: string): Promise<void> {
  await asOwner(connectionString, async (client) => {
    const { rows } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rows.length > 0) return;
    await client.query(`create database ${pg.escapeIdentifier(name)}`).catch((error) => {
      // Another of our processes may have just created it.
      if (error.code !== '42P04' && error.code !== '23505') throw error;
    });
  });
}
