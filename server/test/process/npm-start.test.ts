import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { after, afterEach, before, suite, test } from 'node:test';
import { root } from '../../src/config.ts';
import { type Deployment, freePort, isAlive, makeDeployment } from '../support/programs.ts';
import { until } from '../support/waiting.ts';

suite('a server that npm started', () => {
  let deployment: Deployment;
  let npm: ChildProcess;
  before(async () => {
    deployment = await makeDeployment();
  });
  after(() => deployment.remove());
  afterEach(() => void npm?.kill('SIGKILL'));

  /** Its processes, npm first: npm, our script, the server, and perhaps a shell in between. */
  async function start(name: string): Promise<number[]> {
    const port = await freePort();
    const { PATH, HOME } = process.env;
    npm = spawn('npm', ['run', name], {
      cwd: root,
      env: { PATH, HOME, LOG_LEVEL: 'warn', PORT: String(port), ...deployment.env },
      stdio: 'ignore',
    });
    const ready = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.status === 200;
    await until('it is ready', ready, 120_000, 100);
    return below(npm.pid ?? 0);
  }
  const gone = (pids: number[]) => until('they are gone', () => !pids.some(isAlive));

  for (const name of ['start', 'dev']) {
    test(`by npm run ${name} ends with it, with its exit code`, async () => {
      const pids = await start(name);
      assert.ok(pids.length >= 3, 'npm, the script and the server');
      const ended = new Promise((resolve) => npm.once('close', (code, signal) => resolve(code ?? signal)));
      npm.kill('SIGTERM');
      assert.equal(await ended, 0);
      await gone(pids);
    });

    test(`by npm run ${name} isn’t left behind if npm or the script is killed`, async () => {
      for (const program of ['npm', 'scripts/run.cjs']) {
        const pids = await start(name);
        const victim = pids.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(program));
        process.kill(victim ?? assert.fail(`${program} doesn’t run`), 'SIGKILL');
        await gone(pids);
      }
    });
  }
});

/** It and its descendants, older ones first. The build of the pages may be among them for a moment. */
function below(pid: number): number[] {
  const children = globSync(`/proc/${pid}/task/*/children`).flatMap((file) => readFileSync(file, 'utf8').split(' '));
  return [pid, ...children.filter(Boolean).flatMap((child) => below(Number(child)))];
}
