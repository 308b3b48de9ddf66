import pg from 'pg';
import { startTemporary } from '../../src/store/database/embedded.ts';
import { migrate } from '../../src/store/database/migrate.ts';

/**
 * Once for all test files: a PostgreSQL with a migrated template that each file clones. It is an embedded one in a
 * temporary folder, or DATABASE_URL's. Test files find its address in the environment.
 */
const template = `assent_test_template_${process.pid}`;
let tearDown = async () => {};

export async function globalSetup(): Promise<void> {
  const server = process.env.DATABASE_URL ? undefined : await startTemporary();
  const administration = server?.url('postgres') ?? String(process.env.DATABASE_URL);
  await administer(administration, `create database ${template}`);
  await migrate(inDatabase(administration, template));
  process.env.ASSENT_TEST_DATABASE = administration;
  process.env.ASSENT_TEST_TEMPLATE = template;
  tearDown = async () => {
    await administer(administration, `drop database ${template} with (force)`);
    await server?.stop();
  };
}

export async function globalTeardown(): Promise<void> {
  await tearDown();
}

function inDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

async function administer(connectionString: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}
