import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { SandboxFile } from '../../src/domain/sandbox/sandbox.ts';
import { runCommand } from '../support/commands.ts';
import { credentials } from '../support/nodes.ts';
import { type Deployment, makeDeployment, type Program, startServer } from '../support/programs.ts';
import { until } from '../support/waiting.ts';

/** Casey needs no consent, so every number can be texted. */
const advisor = 'casey@sandbox.example';

suite('one process that answers and hands texts over', () => {
  let deployment: Deployment;
  let program: Program;
  let sandbox: SandboxFile;
  let headers: Record<string, string>;
  before(async () => {
    deployment = await makeDeployment();
    await start();
    await deployment.database.asOwner('update api_keys set rate_per_second = null, burst = null');
  });
  after(async () => {
    if (!program.hasEnded()) await program.stop('SIGKILL');
    await deployment.remove();
  });

  async function start(env: Record<string, string> = {}): Promise<void> {
    program = await startServer({ ...deployment.env, LOG_LEVEL: 'info', ...env });
    sandbox = deployment.folder.sandbox();
    const { stdout } = await runCommand(['token', '--advisor', advisor], deployment.env);
    headers = { ...credentials(stdout.trim(), sandbox.apiKey), 'content-type': 'application/json' };
  }

  /** True if it was accepted; false if there was no answer. */
  async function send(text: string): Promise<boolean> {
    const body = JSON.stringify({ phone: '+12125550101', text });
    const answer = await program
      .fetch('/v1/text/messaging/messages', { method: 'POST', headers, body })
      .catch(() => null);
    const sent = (await answer?.json().catch(() => null)) as { successes?: object[] } | null | undefined;
    return sent?.successes?.length === 1;
  }

  const rows = async (sql: string) => (await deployment.database.asOwner<{ count: number }>(sql))[0]?.count;

  test('its metrics have its carriers, its event loop, its heap and its connections', async () => {
    const text = await (await program.fetch('/metrics')).text();
    assert.match(text, /^assent_carrier_open\{carrier="sandbox"\} 1$/m);
    assert.match(text, /^assent_carrier_in_flight\{carrier="sandbox"\} \d+$/m);
    assert.match(text, /^nodejs_eventloop_lag_p99_seconds \d/m);
    assert.match(text, /^nodejs_heap_size_used_bytes \d/m);
    assert.match(text, /^assent_database_connections{state="total"} \d+$/m);
  });

  test('it ends with a SIGTERM under load, and nothing accepted is lost or sent twice', async () => {
    const accepted: string[] = [];
    let loading = true;
    const client = async (name: number) => {
      for (let number = 0; loading && !program.hasEnded(); number++) {
        const text = `Load ${name}/${number}`;
        if (await send(text)) accepted.push(text);
        else await pause(5);
      }
    };
    const clients = Array.from({ length: 16 }, (_, name) => client(name));
    await until('it is under load', () => accepted.length > 300);
    assert.equal(await program.stop('SIGTERM'), 0, program.said());
    loading = false;
    await Promise.all(clients);
    assert.equal(
      await rows('select count(*)::integer as count from claims'),
      0,
      'every text that was claimed is known',
    );
    assert.equal(await rows(`select count(*)::integer as count from messages where status = 'in_doubt'`), 0);
    for (const line of program
      .said()
      .split('\n')
      .filter((each) => each.startsWith('{')))
      JSON.parse(line);

    await start();
    await until('the outbox is empty', async () => (await waiting()) === 0);
    const sent = await deployment.database.asOwner<{ text: string; count: number }>(
      `select text, count(*)::integer as count from handset_messages where text like 'Load %' group by text`,
    );
    assert.deepEqual(
      sent.filter(({ count }) => count !== 1),
      [],
    );
    const texts = new Set(sent.map(({ text }) => text));
    assert.deepEqual(
      accepted.filter((text) => !texts.has(text)),
      [],
    );
  });

  test('it ends with a kill -9: nobody is left to use the database', async () => {
    assert.notEqual(await connections(), 0);
    await program.stop('SIGKILL');
    await until('no connection is left', async () => (await connections()) === 0);
  });

  test('an error that nobody handles ends it, and its message stays out of the output', async () => {
    const fault = `process.on('SIGUSR2', () => setImmediate(() => { throw new Error(['about +1212555', '0199'].join('')); }))`;
    await start({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(fault)}` });
    assert.equal(await program.stop('SIGUSR2'), 1);
    assert.match(program.said(), /an error was not handled/);
    assert.doesNotMatch(program.said(), /12125550199/);
  });

  const waiting = () =>
    rows('select ((select count(*) from dispatches) + (select count(*) from claims))::integer as count');
  /** The server's, not the test's. */
  const connections = () =>
    rows(
      `select count(*)::integer as count from pg_stat_activity
       where datname = current_database() and application_name = 'assent' and pid not in (select pg_backend_pid())`,
    );
});
