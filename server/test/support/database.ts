import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Pool } from '../../src/store/database/db.ts';
import { connect } from '../../src/store/database/pool.ts';
import { appRole } from '../../src/store/database/schema/migrate.ts';
import { cloneDatabase, dropDatabase } from './clones.ts';

/** The test's own database, cloned from the migrated template. */
export type TestDatabase = {
  url: string;
  pool: Pool;
  /** As the owner, bypassing the restricted role: to look behind the scenes or to break something. */
  asOwner<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>;
  drop(): Promise<void>;
};

export type DatabaseOptions = {
  size?: number;
  timeoutMs?: number;
  /** A PostgreSQL with a migrated template, instead of the one that all test files share. */
  server?: { administration: string; template: string };
  /** Where its files are, if not with those of the others. */
  tablespace?: string;
};

/** A test that keeps asking reuses a connection; then it is closed, since an open one keeps a database from being cloned. */
const ownerIdleMs = 200;

export async function makeDatabase(options: DatabaseOptions = {}): Promise<TestDatabase> {
  const { ASSENT_TEST_DATABASE, ASSENT_TEST_TEMPLATE } = process.env;
  const { administration = ASSENT_TEST_DATABASE, template = ASSENT_TEST_TEMPLATE } = options.server ?? {};
  if (!administration || !template) throw new Error('Run the tests with `npm test`, or one file with `npm test FILE`.');
  const name = `assent_test_${randomBytes(6).toString('hex')}`;
  const place = options.tablespace ? ` tablespace ${options.tablespace}` : '';
  const url = await cloneDatabase(administration, { name, template, place });
  const pool = connect({
    connectionString: url,
    size: options.size ?? 10,
    timeoutMs: options.timeoutMs ?? 5_000,
    role: appRole,
  });
  const owner = new pg.Pool({
    connectionString: url,
    max: 4,
    idleTimeoutMillis: ownerIdleMs,
    allowExitOnIdle: true,
    // So that tests can break the guards of a distributed database, too.
    options: '-c citus.enable_unsafe_triggers=on',
  });
  owner.on('error', () => {});
  return {
    url,
    pool,
    asOwner: async <Row extends object>(sql: string, values?: unknown[]) => (await owner.query<Row>(sql, values)).rows,
    async drop() {
      await owner.end();
      await pool.end();
      await dropDatabase(administration, name);
    },
  };
}

/** How many wait for a lock: where the database is distributed, on whatever node. */
export async function countWaiting({ asOwner, pool }: TestDatabase): Promise<number> {
  const here = await asOwner(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  if ((await pool.nodes()) === null) return here.length;
  const anywhere = await asOwner('select distinct waiting_gpid from citus_lock_waits');
  return Math.max(here.length, anywhere.length);
}

export async function isWaiting(database: TestDatabase): Promise<boolean> {
  return (await countWaiting(database)) > 0;
}

/** Whether nobody else does anything in it. What PostgreSQL has received from a process that was killed is still carried out. */
export async function isQuiet({ asOwner }: TestDatabase): Promise<boolean> {
  const busy = await asOwner(
    `select from pg_stat_activity
     where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
  );
  return busy.length === 0;
}

/** SQL for a time that is moved. By UTC: a distributed database updates no row by what depends on a connection's time zone. */
export function moved(time: string, interval: string): string {
  return `(${time} at time zone 'UTC' + ${interval}) at time zone 'UTC'`;
}
