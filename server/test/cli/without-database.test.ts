import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import type { Verb } from '../../src/cli/verb.ts';
import { listVerbs } from '../../src/cli/verbs.ts';
import type { CheckFinding } from '../../src/domain/operations/findings.ts';
import { runCommand } from '../support/commands.ts';

suite('without DATABASE_URL, where no sandbox runs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assent-without-'));
  const dataDir = join(folder, 'data');
  const run = (...args: string[]) => runCommand(args, { ASSENT_DATA_DIR: dataDir });
  after(() => rmSync(folder, { recursive: true }));

  /** With some value for everything that it requires. */
  function callOf({ name, operands = [], options = {}, isFinal }: Verb): string[] {
    const required = Object.entries(options).filter(([, { required }]) => required);
    return [
      ...name.split(' '),
      ...operands,
      ...(isFinal ? ['--yes'] : []),
      ...required.flatMap(([option, { oneOf = ['x'] }]) => [`--${option}`, ...oneOf.slice(0, 1)]),
    ];
  }

  test('every command that needs the database says so, exits with 2, and makes nothing', async () => {
    const verbs = (await listVerbs()).filter(({ offline, name }) => !offline || name === 'migrate');
    assert.ok(verbs.length > 50);
    for (const verb of verbs) {
      const { status, stdout, stderr } = await run(...callOf(verb));
      assert.equal(status, 2, `${verb.name}: ${stderr}`);
      assert.match(stderr, /^assent: DATABASE_URL is not set, and no sandbox is running in /, verb.name);
      assert.equal(stdout, '', verb.name);
    }
    assert.ok(!existsSync(dataDir));
  });

  test('`assent doctor` checks the rest, names it, and exits with 2', async () => {
    const { status, stdout } = await run('doctor', '--json');
    const found = (JSON.parse(stdout) as CheckFinding[]).find(({ check }) => check === 'database');
    assert.equal(status, 2);
    assert.match(found?.says ?? '', /no sandbox is running/);
    assert.ok(!existsSync(dataDir));
  });

  test('help needs none', async () => {
    for (const args of [['--help'], ['token', '--help']]) assert.equal((await run(...args)).status, 0, args.join(' '));
    assert.ok(!existsSync(dataDir));
  });
});
