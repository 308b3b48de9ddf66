import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type Posting, postingTo } from '../support/posting.ts';
import {
  type Deployment,
  isAlive,
  launchServer,
  makeDeployment,
  type Program,
  startServer,
} from '../support/programs.ts';
import { openWire } from '../support/sockets.ts';
import { until } from '../support/waiting.ts';

const startMs = 60_000;

suite('several processes that answer on one port', () => {
  let deployment: Deployment;
  let program: Program;
  let posting: Posting;
  before(async () => {
    deployment = await makeDeployment();
    program = await startServer({ ...deployment.env, WORKERS: '2', LOG_LEVEL: 'info' });
    await until('both listen', () => pidsThat('listening').length === 2, startMs);
    posting = await postingTo(program, deployment);
  });
  after(async () => {
    program.signal('SIGKILL');
    await program.ended();
    await deployment.remove();
  });

  type Line = { pid: number; msg: string; role?: string; child?: number };
  const lines = (): Line[] =>
    program
      .said()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
  const linesThat = (msg: string) => lines().filter((line) => line.msg === msg);
  const pidsThat = (msg: string) => linesThat(msg).map(({ pid }) => pid);
  const metrics = async () => (await program.fetch('/metrics', { headers: { connection: 'close' } })).text();
  const requests = (text: string) => Number(/^assent_http_requests_total\{[^}]*healthz[^}]*\} (\d+)$/m.exec(text)?.[1]);

  test('each takes connections, the first one works, and their logs name them', async () => {
    assert.deepEqual(
      linesThat('listening').map(({ role }) => role),
      ['all', 'api'],
    );
    for (let call = 0; call < 10; call++) await program.fetch('/healthz', { headers: { connection: 'close' } });
    await until('both have answered', () => new Set(pidsThat('request')).size === 2);
    assert.ok(lines().every(({ pid }) => Number.isInteger(pid)));
    assert.equal(program.said().match(/Ctrl-C stops it/g)?.length, 1);
  });

  test('metrics are added up, whichever is asked', async () => {
    await until('the archive has been copied', async () => /^assent_archive_outside_entries \d/m.test(await metrics()));
    for (let call = 0; call < 4; call++) {
      const text = await metrics();
      assert.equal(requests(text), 10);
      assert.match(text, /^assent_carrier_open\{carrier="sandbox"\} 1$/m);
      assert.match(text, /^assent_process_restarts_total 0$/m);
      assert.match(text, /^assent_archive_outside_entries \d+$/m);
      assert.equal(text.match(/^# TYPE assent_texts_wait_seconds /gm)?.length, 1);
    }
  });

  test('one that is killed is replaced, and the others answer meanwhile', async () => {
    const killed = pidsThat('listening')[0] ?? -1;
    process.kill(killed, 'SIGKILL');
    await until('the kill is noticed', () => linesThat('a process ended; it is replaced').length === 1);
    assert.equal(linesThat('a process ended; it is replaced')[0]?.child, killed);
    assert.equal((await program.fetch('/readyz', { headers: { connection: 'close' } })).status, 200);
    await until('another one listens', () => pidsThat('listening').length === 3, startMs);
    assert.equal(linesThat('listening').at(-1)?.role, 'all', 'it works, as the one before');
    assert.match(await metrics(), /^assent_process_restarts_total 1$/m);
  });

  test('a stop under load fails no request', async () => {
    const clients = Array.from({ length: 8 }, (_, index) => posting.keepPosting(`Client${index}`));
    const slow = [
      await posting.half(await openWire(program.port), (text) => text.length - 5),
      await posting.half(await openWire(program.port), (text) => text.indexOf('host')),
    ];
    await until('it is under load', async () => (await posting.rows()) > 100, startMs);
    program.signal('SIGTERM');
    const posted = await Promise.all(clients);
    await until('it accepts no new connections', async () => !(await posting.canConnect()));
    for (const finish of slow) await finish();
    assert.equal(await program.ended(), 0, program.said());
    const sum = posted.reduce((total, each) => total + each, 0);
    assert.equal(await posting.rows(), sum + slow.length, 'each answered request is stored once');
    assert.deepEqual(pidsThat('listening').filter(isAlive), []);
  });

  test('a kill of the one that started them ends them', async () => {
    program = await startServer({ ...deployment.env, WORKERS: '2', LOG_LEVEL: 'info' });
    await until('both listen', () => pidsThat('listening').length === 2, startMs);
    const pids = pidsThat('listening');
    await program.stop('SIGKILL');
    await until('they end', () => !pids.some(isAlive));
  });

  test('a start that fails says why in one line', async () => {
    const taken = { ...deployment.env, WORKERS: '2', DATABASE_URL: 'postgres://assent@127.0.0.1:1/assent' };
    const refused = await launchServer(taken);
    assert.equal(await refused.ended(), 1);
    assert.equal(refused.said(), 'The database can’t be reached: nothing listens there. Check DATABASE_URL.\n');
  });
});
