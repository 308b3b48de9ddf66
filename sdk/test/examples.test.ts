// The examples, as somebody runs them: with the client built, against a sandbox.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runCommand } from '../../server/test/support/commands.ts';
import { type Deployment, makeDeployment, type Program, startServer } from '../../server/test/support/programs.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

suite('the examples', () => {
  let deployment: Deployment;
  let program: Program;
  before(async () => {
    const built = spawnSync('npm', ['run', '--silent', 'build', '--workspace', 'sdk'], { cwd: root, encoding: 'utf8' });
    assert.equal(built.status, 0, built.stdout);
    deployment = await makeDeployment();
    program = await startServer(deployment.env);
  });
  after(async () => {
    await program.stop();
    await deployment.remove();
  });

  async function run(example: string, args: string[] = [], env: Record<string, string> = {}): Promise<string> {
    const path = join(root, 'sdk/examples', example);
    const settings = { ...process.env, SANDBOX_JSON: join(deployment.folder.path, 'sandbox.json'), ...env };
    const { stdout } = await promisify(execFile)(process.execPath, [path, ...args], { env: settings, timeout: 60_000 });
    return stdout;
  }

  test('a text with consent asks, waits and is delivered once', async () => {
    assert.match(
      await run('text-with-consent.ts'),
      /^sending\nasked for consent\n(the text is sent\n)?the text is delivered\n$/,
    );
  });

  test('a birthday is scheduled for every year', async () => {
    const lines = (await run('birthday.ts')).trim().split('\n');
    assert.equal(lines.length, 6);
    for (const line of lines.slice(0, 5)) assert.match(line, /^\d{4}-0[23]-\d\dT/);
  });

  test('a reconciliation takes everything once, and then only what changed', async () => {
    const { stdout } = await runCommand(['token', '--advisor', 'avery@sandbox.example'], deployment.env);
    const [file, env] = [join(deployment.folder.path, 'copy.json'), { ASSENT_TOKEN: stdout.trim() }];
    const first = /^(\d+) changes, (\d+) contacts$/m.exec(await run('reconcile.ts', [file], env));
    assert.ok(Number(first?.[2]) > 10);
    assert.equal(Object.keys(JSON.parse(readFileSync(file, 'utf8')).contacts).length, Number(first?.[2]));
    assert.equal(await run('reconcile.ts', [file], env), `0 changes, ${first?.[2]} contacts\n`);
  });
});
