import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { SandboxFile } from '../../src/domain/sandbox/sandbox.ts';
import { commandsWith } from '../support/commands.ts';
import { credentials } from '../support/nodes.ts';
import { type Deployment, freePort, isReady, makeDeployment, type Program, startServer } from '../support/programs.ts';
import { until } from '../support/waiting.ts';
import { skip, wrongClock } from '../support/wrong-clock.ts';

const longMs = 60_000;

/** Two processes on one database, whose clock is right. Casey needs no consent, so every number can be texted. */
suite('a process whose clock is wrong', { skip }, () => {
  let deployment: Deployment;
  let clock: ReturnType<typeof wrongClock>;
  let right: Program;
  let wrong: Program;
  let headers: Record<string, string>;
  let sandbox: SandboxFile;
  let env: Record<string, string>;
  let sent = 0;
  const commands = commandsWith(() => env);

  before(async () => {
    deployment = await makeDeployment();
    const port = await freePort();
    env = { ...deployment.env, PUBLIC_URL: `http://localhost:${port}` };
    clock = wrongClock(deployment.folder.path);
    right = await startServer({ ...env, PORT: String(port) });
    wrong = await startServer({ ...env, ...clock.env });
    sandbox = deployment.folder.sandbox();
    await deployment.database.asOwner('update api_keys set rate_per_second = null, burst = null');
    const { stdout } = await commands.run(['token', '--advisor', 'casey@sandbox.example']);
    headers = { ...credentials(stdout.trim(), sandbox.apiKey), 'content-type': 'application/json' };
  });
  after(async () => {
    for (const program of [right, wrong]) if (program && !program.hasEnded()) await program.stop();
    await deployment?.remove();
  });

  async function call(program: Program, path: string, body?: object) {
    const answer = await program.fetch(path, {
      headers,
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  }
  const send = (program: Program, phone = '+12125550101') =>
    call(program, '/v1/text/messaging/messages', { phone, text: `Text ${++sent}` });
  const isOut = async (text: string) =>
    (await deployment.database.asOwner('select from handset_messages where text = $1', [text])).length > 0;

  for (const seconds of [120, -3_600, 86_400, 3, -3])
    test(`${seconds} s: it accepts and hands over nothing, takes a STOP, and goes on when its clock is right`, async () => {
      const phone = `+12125550${200 + (++sent % 100)}`;
      assert.equal((await send(right, phone)).status, 200);
      clock.set(seconds);
      await until('it has noticed', async () => !(await isReady(wrong)), longMs);
      assert.deepEqual((await call(wrong, '/readyz')).body, { status: 'clock wrong' });
      const refused = await send(wrong);
      assert.deepEqual([refused.status, refused.body.code], [502, 'downstream_unavailable']);
      assert.match((await call(wrong, '/metrics')).body, /^assent_clock_wrong 1$/m);
      assert.equal((await send(right)).status, 200);
      const text = `Text ${sent}`;
      await until('the other one sends', () => isOut(text), longMs);
      const [casey] = sandbox.advisors.filter(({ email }) => email.startsWith('casey'));
      const stop = { to: casey?.textingNumber, text: 'STOP' };
      assert.equal((await call(wrong, `/sandbox/handset/${phone}/replies`, stop)).status, 202);
      assert.equal((await send(right, phone)).body.failures.length, 1);
      clock.set(0);
      await until('it goes on', () => isReady(wrong), longMs);
      assert.equal((await send(wrong)).status, 200);
      const next = `Text ${sent}`;
      await until('its text is out', () => isOut(next), longMs);
      await noTraces();
    });

  test('a process that was stopped for longer than a transaction may take comes back with the right time', async () => {
    wrong.signal('SIGSTOP');
    await until('ten seconds have passed', () => new Promise((resolve) => setTimeout(resolve, 12_000, true)), longMs);
    wrong.signal('SIGCONT');
    await until('it goes on', () => isReady(wrong), longMs);
    assert.equal((await send(wrong)).status, 200);
    await noTraces();
  });

  /** Every entry has the database's time, no text waits for another day, and the archive is intact. */
  async function noTraces(): Promise<void> {
    const [apart] = await deployment.database.asOwner<{ seconds: number }>(
      'select max(abs(extract(epoch from date_time_created - recorded_at)))::float8 as seconds from archive_entries',
    );
    assert.ok(Number(apart?.seconds) < 5, `${apart?.seconds} s apart`);
    const far = `select from dispatches where not_before > now() + interval '5 s'`;
    assert.deepEqual(await deployment.database.asOwner(far), []);
    const { status, stdout } = await commands.run(['archive', 'verify']);
    assert.equal(status, 0, stdout);
  }
});
