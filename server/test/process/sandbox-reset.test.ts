import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { SandboxFile } from '../../src/domain/sandbox/sandbox.ts';
import { commandsWith } from '../support/commands.ts';
import { credentials } from '../support/nodes.ts';
import { type Deployment, makeDeployment, type Program, startServer } from '../support/programs.ts';
import { until } from '../support/waiting.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape.
type Answer = { status: number; body: any };

const dayMs = 24 * 60 * 60 * 1000;
/** Two seconds on a machine that does nothing else. */
const resetWithinMs = 20_000;
/** What was under way before a reset would have come by then: receipts, replies, retries. */
const afterwardsMs = 1_500;
const magic = ['0006', '0007', '0008', '0009', '0014', '0021', '0022', '0041', '0042', '0043'];

/** Two processes: what one of them has under way while the other resets must not come back either. */
suite('a reset of the sandbox', () => {
  let deployment: Deployment;
  let one: Program;
  let other: Program;
  let hook: Server;
  let sandbox: SandboxFile;
  let sending = false;
  let senders: Promise<void>[] = [];
  let sent = 0;
  const commands = commandsWith(() => deployment.env);

  before(async () => {
    deployment = await makeDeployment();
    // It takes every request and answers none.
    hook = createServer(() => {}).listen(0, '127.0.0.1');
    one = await startServer({ ...deployment.env, LOG_LEVEL: 'info' });
    const PUBLIC_URL = `http://localhost:${one.port}`;
    other = await startServer({ ...deployment.env, PUBLIC_URL, LOG_LEVEL: 'info' });
    sandbox = deployment.folder.sandbox();
  });
  after(async () => {
    sending = false;
    await Promise.allSettled(senders);
    for (const program of [one, other]) if (program && !program.hasEnded()) await program.stop();
    hook.closeAllConnections();
    hook.close();
    await deployment.remove();
  });

  async function call(program: Program, path: string, token: string | null, body?: object): Promise<Answer> {
    const own = token ? credentials(token, sandbox.apiKey) : { 'x-api-key': sandbox.apiKey };
    const answer = await program.fetch(path, {
      method: body ? 'POST' : 'GET',
      headers: { ...own, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text && JSON.parse(text) };
  }
  const idOf = (name: string) => sandbox.advisors.find(({ email }) => email.startsWith(name))?.id ?? 0;
  const tokenOf = async (name: string) =>
    (await commands.run(['token', '--advisor', `${name}@sandbox.example`])).stdout.trim();
  const unlimited = () => deployment.database.asOwner('update api_keys set rate_per_second = null, burst = null');

  /** How many rows each table has, but for what goes by time, processes and tokens, and the numbers of feeds, which go on. */
  async function rows(): Promise<Record<string, number>> {
    const ofTime =
      /^(archive_(taken|tree|runs|tiles|checkpoints|deliveries|indexed|words)|contact_books|nodes|carrier_status|grants|signing_keys|daily_runs|traffic)$/;
    const tables = await deployment.database.asOwner<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
    );
    // A job compares the days that are over with the archive, once a minute, and a reset forgets that it did.
    const without = "join archive_entries e using (advisor_id, number) where e.kind <> 'reconciliation'";
    const counts = tables
      .filter(({ name }) => !ofTime.test(name))
      .map(
        ({ name }) =>
          `'${name}', (select count(*) from ${name} ${/^archive_(entries|bodies)$/.test(name) ? without : ''})`,
      );
    const half = Math.ceil(counts.length / 2);
    const [found] = await deployment.database.asOwner<{ counts: Record<string, number> }>(
      `select (json_build_object(${counts.slice(0, half)})::jsonb || json_build_object(${counts.slice(half)})::jsonb) as counts`,
    );
    return found?.counts ?? {};
  }

  /** Texts and consent requests to every magic number, over both processes, until it is told to stop. */
  async function keepSending(program: Program, name: string): Promise<void> {
    for (let token = await tokenOf(name); sending; ) {
      for (const digits of [...magic, '0010', '0011', '0013']) {
        const phone = `+1500555${digits}`;
        const path = Number(digits) >= 10 && Number(digits) < 14 ? 'consent-requests' : 'messages';
        const body = path === 'messages' ? { phone, text: `Hello from ${name}` } : { phoneNumbers: [phone] };
        const { status } = await call(program, `/v1/text/messaging/${path}`, token, body);
        assert.ok([200, 400, 401, 429].includes(status), `${path} answered ${status}`);
        if (status === 200) sent += 1;
        if (status === 401) token = await tokenOf(name);
      }
    }
  }

  async function startSending(): Promise<void> {
    await unlimited();
    [sending, sent] = [true, 0];
    senders = [one, other].flatMap((program) => ['avery', 'devon'].map((name) => keepSending(program, name)));
    for (const sender of senders) sender.catch(() => {});
    await until('texts are under way', () => sent > 20, 60_000);
  }

  async function reset(): Promise<void> {
    const startedMs = performance.now();
    const { status } = await call(one, '/sandbox/reset', null, {});
    assert.equal(status, 204);
    assert.ok(performance.now() - startedMs < resetWithinMs);
  }

  test('needs the API key', async () => {
    assert.equal((await one.fetch('/sandbox/reset', { method: 'POST' })).status, 401);
  });

  let first: Record<string, number>;

  test('puts everything back, twice in a row, while texts are under way', async () => {
    first = await rows();
    const avery = await tokenOf('avery');
    const before = (await call(one, '/v1/core/contact/contacts?pageSize=200', avery)).body;
    await change(avery);
    const { cursor } = (await call(one, '/v1/text/messaging/events?pageSize=1', avery)).body;
    for (let time = 0; time < 2; time++) {
      await startSending();
      const waiting = call(other, `/v1/text/messaging/consents?phone=%2B15005550012&wait=30`, avery);
      sending = false;
      await reset();
      const tokens = [call(one, '/v1/core/account', avery), call(other, '/v1/core/account', avery)];
      assert.deepEqual(
        (await Promise.all(tokens)).map(({ status }) => status),
        [401, 401],
      );
      await Promise.all([...senders, waiting]);
    }
    // What the senders did since is gone with this one, which nothing disturbs.
    await reset();
    assert.deepEqual(await rows(), first);
    await pause(afterwardsMs);
    assert.deepEqual(await rows(), first);
    const fresh = await tokenOf('avery');
    const { body: book } = await call(other, '/v1/core/contact/contacts?pageSize=200', fresh);
    const names = ({ data }: Answer['body']) => data.map(({ fullName }: { fullName: string }) => fullName);
    assert.deepEqual(names(book), names(before));
    const account = (await call(one, '/v1/core/account', fresh)).body;
    assert.deepEqual([account.advisorId, account.quietHours], [idOf('avery'), 'off']);
    for (const program of [one, other]) assert.equal((await call(program, '/sandbox/clock', null)).body.offsetMs, 0);
    // A reader of the feed must not go on as if nothing was lost.
    const stale = await call(one, `/v1/text/messaging/events?cursor=${cursor}`, fresh);
    assert.deepEqual([stale.status, stale.body.details?.[0]?.rule], [400, 'kept']);
    assert.deepEqual(deployment.folder.sandbox(), sandbox);
  });

  /** Something in nearly every table. */
  async function change(token: string): Promise<void> {
    const post = async (path: string, body: object) => {
      const { status } = await call(one, path, token, body);
      assert.equal(status, 200, path);
    };
    const contact = { firstName: 'Ann', lastName: 'Other', phone: '+12125550101' };
    await post('/v1/core/contact/contacts', contact);
    await post('/v1/core/contact/groups', { name: 'Group' });
    const text = { phone: '+15005550006', text: 'Later' };
    const messages = '/v1/text/messaging/messages';
    await post(messages, { ...text, scheduleDelivery: true, deliveryDate: Date.now() + 30 * dayMs });
    await post('/v1/text/messaging/consent-requests', { phoneNumbers: ['+15005550012'] });
    const { port } = hook.address() as AddressInfo;
    for (const args of [
      ['webhooks', 'add', sandbox.clientId, `http://127.0.0.1:${port}/hook`],
      ['advisors', 'set', 'avery@sandbox.example', '--quiet-hours', 'refuse', '--texting-pace', '5'],
      ['firms', 'set', '1', '--opt-out-scope', 'firm'],
      ['firms', 'add', 'Another firm'],
      ['staff', 'add', '1', '--name', 'Sam', '--email', 'sam@sandbox.example'],
      ['advisors', 'add', '1', '--name', 'New', '--email', 'new@sandbox.example'],
    ]) {
      const { status, stderr } = await commands.run(args);
      assert.equal(status, 0, stderr);
    }
    await call(one, '/sandbox/clock', null, { advanceMs: 3 * dayMs });
  }

  test('leaves an archive that verifies, with what comes after it', async () => {
    const token = await tokenOf('casey');
    for (const digits of magic) {
      const text = { phone: `+1500555${digits}`, text: 'Hello again' };
      assert.equal((await call(other, '/v1/text/messaging/messages', token, text)).status, 200);
    }
    const unsigned = `select count(*)::integer as count from archive_heads h
      left join archive_taken t using (advisor_id) where h.last_number > coalesce(t.last_number, 0)`;
    const isSigned = async () => (await deployment.database.asOwner<{ count: number }>(unsigned))[0]?.count === 0;
    await until('everything is signed', isSigned, 60_000);
    const { status, stdout, stderr } = await commands.run(['archive', 'verify']);
    assert.equal(status, 0, stdout + stderr);
  });

  test('by command asks for --yes', async () => {
    await commands.refused(2, [[['sandbox', 'reset'], /--yes/]]);
    assert.notDeepEqual(await rows(), first);
    assert.equal((await commands.run(['sandbox', 'reset', '--yes'])).status, 0);
    assert.deepEqual(await rows(), first);
  });

  test('disturbs no process', async () => {
    for (const program of [one, other]) {
      assert.ok(!program.hasEnded());
      // A process that learns late of it may have to repeat what it was at: a warning.
      const faults = program
        .said()
        .split('\n')
        .filter((line) => /"level":(50|60)/.test(line));
      assert.deepEqual(faults, []);
      const ready = await (await program.fetch('/readyz')).json();
      assert.deepEqual(ready, { status: 'ready', archive: 'ok' });
    }
  });
});
