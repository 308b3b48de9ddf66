import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../src/store/database/schema/migrate.ts';
import { dropDatabase, makeTemplate } from './clones.ts';
import { startTemporary } from './temporary-postgres.ts';

/**
 * Once for all test files: a PostgreSQL with a migrated template that each file clones. It is an embedded one in a
 * temporary folder, or DATABASE_URL's, which may be the coordinator of a distributed one. Test files find its address in the environment,
 * and a folder that has a file for each port that one of them got.
 */
const template = `assent_test_template_${process.pid}`;
let tearDown = async () => {};
const memoryFolder = '/dev/shm';
const memoryBytesMin = 8 * 1024 ** 3;

export async function globalSetup(): Promise<void> {
  const server = process.env.DATABASE_URL ? undefined : await startTemporary(memory());
  const administration = server?.url('postgres') ?? String(process.env.DATABASE_URL);
  await makeTemplate(administration, template, migrate);
  process.env.ASSENT_TEST_DATABASE = administration;
  process.env.ASSENT_TEST_TEMPLATE = template;
  const ports = mkdtempSync(join(tmpdir(), 'assent-ports-'));
  process.env.ASSENT_TEST_PORTS = ports;
  tearDown = async () => {
    rmSync(ports, { recursive: true });
    await dropDatabase(administration, template);
    await server?.stop();
  };
}

export async function globalTeardown(): Promise<void> {
  await tearDown();
}

/** Memory, if there is plenty: a file's database is 700 files, and on a disk they take up to 0.4 s of CPU. */
function memory(): string | undefined {
  if (!existsSync(memoryFolder) || process.availableMemory() < memoryBytesMin) return undefined;
  const { bavail, bsize } = statfsSync(memoryFolder);
  return bavail * bsize < memoryBytesMin ? undefined : memoryFolder;
}
