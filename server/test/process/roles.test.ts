import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { SandboxFile } from '../../src/domain/sandbox/sandbox.ts';
import { commandsWith } from '../support/commands.ts';
import { credentials } from '../support/nodes.ts';
import { type Deployment, freePort, makeDeployment, type Program, startServer } from '../support/programs.ts';
import { type Redis, skip as skipRedis, startRedis } from '../support/redis.ts';
import { until } from '../support/waiting.ts';

const phone = '+12125550101';
const messages = '/v1/text/messaging/messages';
const longMs = 60_000;
/** Its lease is five seconds longer: after that a text of a killed process is in doubt. */
const carrierTimeoutMs = 3_000;
const killedLoad = 60;

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape.
type Answer = { status: number; body: any };

/** Casey needs no consent, so every number can be texted. */
suite('two processes that answer and two that work, on one database', () => {
  let deployment: Deployment;
  let env: Record<string, string>;
  let one: Program;
  let other: Program;
  let work: Program;
  let nextWork: Program;
  let redis: Redis | null = null;
  let sandbox: SandboxFile;
  let headers: Record<string, string>;
  const commands = commandsWith(() => env);

  before(async () => {
    deployment = await makeDeployment();
    const port = await freePort();
    // Tokens name the address that all of them share.
    const PUBLIC_URL = `http://localhost:${port}`;
    env = { ...deployment.env, PUBLIC_URL, LOG_LEVEL: 'info', CARRIER_TIMEOUT_MS: String(carrierTimeoutMs) };
    if (!skipRedis) redis = await startRedis();
    if (redis) env.REDIS_URL = redis.url;
    one = await startServer({ ...env, PORT: String(port), ROLE: 'api' });
    [other, work] = await Promise.all([startServer({ ...env, ROLE: 'api' }), startServer({ ...env, ROLE: 'work' })]);
    sandbox = deployment.folder.sandbox();
    await deployment.database.asOwner('update api_keys set rate_per_second = null, burst = null');
    const { stdout } = await commands.run(['token', '--advisor', 'casey@sandbox.example']);
    headers = { ...credentials(stdout.trim(), sandbox.apiKey), 'content-type': 'application/json' };
  });
  after(async () => {
    for (const program of [one, other, work, nextWork]) if (program && !program.hasEnded()) await program.stop();
    await redis?.goDown();
    await deployment.remove();
  });

  async function post(
    program: Program,
    path: string,
    body: object,
    more: Record<string, string> = {},
  ): Promise<Answer> {
    const answer = await program.fetch(path, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: await answer.json() };
  }
  const send = (program: Program, text: string, more = {}) => post(program, messages, { phone, text }, more);
  const get = async (program: Program, path: string) => {
    const answer = await program.fetch(path, { headers });
    return { status: answer.status, text: await answer.text() };
  };
  const count = async (sql: string) =>
    (await deployment.database.asOwner<{ count: number }>(`select count(*)::integer as count from ${sql}`))[0]?.count;
  const waiting = () => count('(select from dispatches union all select from claims) as waiting');
  const onPhone = (text: string) => count(`handset_messages where text = '${text}'`);

  test('one that works answers only how it does, and one that answers hands no text over', async () => {
    assert.deepEqual(JSON.parse((await get(work, '/readyz')).text), { status: 'ready', archive: 'ok' });
    assert.equal((await get(work, '/healthz')).status, 200);
    assert.match((await get(work, '/metrics')).text, /^assent_carrier_open\{carrier="sandbox"\} 1$/m);
    for (const path of ['/v1/core/account', '/oauth/jwks', '/sandbox/clock', '/docs'])
      assert.equal((await get(work, path)).status, 404, path);
    assert.deepEqual(JSON.parse((await get(one, '/readyz')).text), { status: 'ready', archive: 'ok' });
    assert.doesNotMatch((await get(one, '/metrics')).text, /assent_carrier_open/);
    assert.equal((await get(one, '/v1/core/account')).status, 200);
  });

  test('a text that one accepts is handed over by the one that works', async () => {
    for (const [program, text] of [
      [one, 'From one'],
      [other, 'From the other'],
    ] as const) {
      assert.equal((await send(program, text)).body.successes.length, 1);
      await until('the text is on the phone', async () => (await onPhone(text)) === 1, longMs);
    }
  });

  test('requests with one idempotency key on both are one text', async () => {
    const key = { 'idempotency-key': 'one-for-both-0001' };
    const [first, second] = await Promise.all([send(one, 'Once', key), send(other, 'Once', key)]);
    const again = await send(other, 'Once', key);
    const [answer] = [first, second].filter(({ status }) => status === 200);
    assert.deepEqual(again.body, answer?.body);
    await until('nothing waits', async () => (await waiting()) === 0, longMs);
    assert.equal(await onPhone('Once'), 1);
  });

  test('a key that is revoked ends on both', async () => {
    const [{ apiKey, keyId }] = await commands.records(['keys', 'issue', sandbox.clientId]);
    const withKey = async (program: Program) =>
      (await program.fetch('/v1/core/account', { headers: { ...headers, 'x-api-key': apiKey } })).status;
    for (const program of [one, other]) assert.equal(await withKey(program), 200);
    assert.equal((await commands.run(['keys', 'revoke', String(keyId), '--yes'])).status, 0);
    for (const program of [one, other]) await until('it is refused', async () => (await withKey(program)) === 401);
  });

  test('a burst is one for both, and without Redis each has its own', { skip: skipRedis }, async () => {
    const passed = async () => {
      const [{ apiKey }] = await commands.records(['keys', 'issue', sandbox.clientId, '--rate', '1', '--burst', '10']);
      const startedAt = Date.now();
      const statuses = await Promise.all(
        Array.from({ length: 40 }, async (_, index) => {
          const program = index % 2 === 0 ? one : other;
          const answer = await program.fetch('/v1/core/account', { headers: { ...headers, 'x-api-key': apiKey } });
          await answer.body?.cancel();
          return answer.status;
        }),
      );
      assert.ok(statuses.every((status) => status === 200 || status === 429));
      const filled = Math.ceil((Date.now() - startedAt) / 1000);
      return { count: statuses.filter((status) => status === 200).length, filled };
    };
    const times = (what: string) => [one, other].map(({ said }) => said().split(what).length - 1);
    const timesAway = () => times('REDIS_URL doesn’t answer');
    const timesBack = () => times('REDIS_URL answers again');
    const areBack = () => timesBack().join() === timesAway().join();
    const isShared = async () => {
      const before = timesAway();
      const { count, filled } = await passed();
      if (count >= 10 && count <= 10 + filled) return true;
      // On a busy machine Redis may be later than a process waits for it, which then says so and goes by its own.
      await until(`${count} passed because Redis was late`, () => timesAway().join() !== before.join());
      await until('it is shared again', areBack);
      return false;
    };
    await until('a burst is one for both', isShared);
    assert.match(one.said(), /"msg":"rate limits are shared through REDIS_URL"/);
    const before = timesAway();
    await redis?.goDown();
    await until('both say so', () => timesAway().every((count, index) => count > (before[index] ?? 0)));
    assert.ok((await passed()).count >= 20);
    await redis?.comeBack();
    await until('both say so', areBack);
  });

  test('moving the sandbox’s clock is answered once the one that works has handed over what is due', async () => {
    const dayMs = 86_400_000;
    const deliveryDate = Date.now() + dayMs;
    const body = { phone, text: 'Tomorrow', scheduleDelivery: true, deliveryDate };
    assert.equal((await post(other, messages, body)).status, 200);
    const moved = await post(one, '/sandbox/clock', { advanceMs: 2 * dayMs });
    assert.equal(moved.status, 200, JSON.stringify(moved.body));
    assert.equal(await onPhone('Tomorrow'), 1);
    assert.equal(await count(`messages where status = 'queued'`), 0);
    const clockOf = async (program: Program) => JSON.parse((await get(program, '/sandbox/clock')).text).offsetMs;
    await until('the other goes by it, too', async () => (await clockOf(other)) === 2 * dayMs);
  });

  test('when one that works is killed, the next takes over: nothing is lost or sent twice', async () => {
    nextWork = await startServer({ ...env, ROLE: 'work' });
    const texts = Array.from({ length: killedLoad }, (_, index) => `Load ${index}`);
    const sends = texts.map((text, index) => send(index % 2 === 0 ? one : other, text));
    await until(
      'some were handed over',
      async () => ((await count(`handset_messages where text like 'Load %'`)) ?? 0) > 0,
      longMs,
      2,
    );
    work.signal('SIGKILL');
    await work.ended();
    const messageIds = (await Promise.all(sends)).map(({ body }) => body.successes[0].messageId);
    assert.equal((await send(one, 'After the kill')).body.successes.length, 1);
    await until('the next one sends', async () => (await onPhone('After the kill')) === 1, longMs);
    await until('every outcome is known', async () => (await waiting()) === 0, longMs);
    const outcomes = await deployment.database.asOwner<{ messageId: number; status: string; phones: number }>(
      `select
         message_id as "messageId",
         status,
         (select count(*) from handset_messages h where h.text = 'Load ' || place - 1)::integer as phones
       from unnest(array[${messageIds.join()}]) with ordinality as given (message_id, place)
       join messages using (message_id)`,
    );
    assert.equal(outcomes.length, killedLoad);
    const wrong = outcomes.filter(({ status, phones }) =>
      status === 'in_doubt' ? phones > 1 : phones !== 1 || !['sent', 'delivered'].includes(status),
    );
    assert.deepEqual(wrong, []);
  });

  test('without one that works, texts are accepted and wait, and moving the clock says so', async () => {
    assert.equal(await nextWork.stop(), 0, nextWork.said());
    assert.equal((await send(one, 'Nobody works')).body.successes.length, 1);
    const moved = await post(one, '/sandbox/clock', { advanceMs: 1_000 });
    assert.equal(moved.status, 502);
    assert.match(moved.body.detail, /clock was moved.*role work/);
    assert.equal(await waiting(), 1);
  });
});
