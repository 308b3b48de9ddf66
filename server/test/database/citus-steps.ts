import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../src/config.ts';
import { runCommand } from '../support/commands.ts';
import { bin } from '../support/debian-postgres.ts';
import type { PostgresServer } from '../support/replicated-postgres.ts';
import { credentialsKey } from '../support/world.ts';

/** The blocks of the section of a page. */
function blocksOf(page: string, heading: string): string[] {
  const text = readFileSync(join(root, 'docs/operators', page), 'utf8');
  const [, section = ''] = new RegExp(`^## ${heading}\n(.*?)^(\\*\\*|## )`, 'ms').exec(text) ?? [];
  return [...section.matchAll(/^ *```\w+\n(.*?)^ *```/gms)].map(([, block = '']) => block.replaceAll(/^ {3}/gm, ''));
}

/**
 * An operator's database with a firm in it, `assent`, which the steps of the guide move to Citus, each with the role that the guide names.
 * The first server is the coordinator. Returns what the last step says.
 */
export async function followSteps(servers: PostgresServer[]): Promise<string> {
  const [roles = ''] = blocksOf('running.md', 'First steps in production');
  const steps = blocksOf('scale.md', 'Several PostgreSQL: Citus');
  assert.equal(steps.length, 4);
  const [onWorkers = '', onCoordinator = '', migrate = '', check = ''] = steps;
  const [coordinator, ...workers] = servers as [PostgresServer, ...PostgresServer[]];
  const folder = mkdtempSync(join(tmpdir(), 'assent-citus-'));
  const keyFile = join(folder, 'archive.key');
  const key = generateKeyPairSync('ed25519').privateKey;
  writeFileSync(keyFile, key.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  const production = {
    ASSENT_ENV: 'production',
    PUBLIC_URL: 'https://api.example.com',
    CREDENTIALS_KEY: credentialsKey,
    ARCHIVE_KEY_FILE: keyFile,
  };
  const as = (login: string) => `postgres://${login}@127.0.0.1:${coordinator.port}/assent`;
  /** Each of its commands, as a login. */
  async function run(commands: string, login: string): Promise<string> {
    let said = '';
    for (const [, words = ''] of commands.matchAll(/^assent (.*)$/gm)) {
      // In production it would fix the clock, which the tests move.
      const settings = words === 'migrate' ? {} : production;
      const { stdout, stderr } = await runCommand(words.split(' '), { ...settings, DATABASE_URL: as(login) });
      assert.doesNotMatch(stderr, /^assent: /m, words);
      said += stdout + stderr;
    }
    return said;
  }
  try {
    paste(coordinator, roles);
    await run(migrate, 'assent_owner');
    await run('assent firms add Example', 'assent_server');
    for (const worker of workers) paste(worker, onWorkers);
    const addresses = onCoordinator.replaceAll(
      /'db-(\d)\.example\.com', 5432/g,
      (_, index) => `'127.0.0.1', ${servers[index]?.port}`,
    );
    paste(coordinator, addresses);
    assert.match(await run(migrate, 'assent_owner'), /^Applied the distribution of \d+ tables/);
    return await run(check, 'assent_server');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** As the superuser of the tests. */
function paste({ port }: PostgresServer, input: string): void {
  const args = ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-h', '127.0.0.1', '-p', String(port), '-U', 'assent', 'postgres'];
  const { status, stderr } = spawnSync(`${bin}/psql`, args, { input, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
}
