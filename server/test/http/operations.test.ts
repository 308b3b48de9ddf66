import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { buildWorkApp } from '../../src/app.ts';
import { makeLog } from '../../src/log.ts';
import { connect } from '../../src/store/database/pool.ts';
import { appRole } from '../../src/store/database/schema/migrate.ts';
import { anotherNode, credentials } from '../support/nodes.ts';
import { assertProblem } from '../support/problem.ts';
import { exchange, listen } from '../support/sockets.ts';
import { withinTransactions } from '../support/statements.ts';
import { inject, makeWorld, type World } from '../support/world.ts';

const contacts = '/core/contact/contacts';

suite('operations', () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.close());

  const get = (url: string, app = world.app) => inject(app, { method: 'GET', url });

  test('/healthz and /readyz answer 200 without credentials', async () => {
    assert.deepEqual((await get('/healthz')).body, { status: 'ok' });
    const ready = await get('/readyz');
    assert.equal(ready.status, 200);
    assert.deepEqual(ready.body, { status: 'ready', archive: 'ok' });
  });

  test('/metrics needs METRICS_TOKEN if it is set', async () => {
    const node = await anotherNode(world, { config: { ...world.config, metricsToken: 'abc' } });
    const ask = (authorization: string) =>
      inject(node, { method: 'GET', url: '/metrics', headers: authorization ? { authorization } : {} });
    for (const wrong of ['', 'Bearer', 'Bearer abd', 'abc']) assertProblem(await ask(wrong), 'unauthorized');
    assert.equal((await ask('Bearer abc')).status, 200);
    assert.equal((await get('/metrics')).status, 200);
    await node.close();
  });

  test('/metrics is 404 in production without METRICS_TOKEN, for a process that only works too', async () => {
    const config = { ...world.config, environment: 'production' as const };
    const nodes = [await anotherNode(world, { config }), await anotherNode(world, { config }, buildWorkApp)];
    for (const node of nodes) assertProblem(await get('/metrics', node), 'not_found');
    for (const node of nodes) await node.close();
    const node = await anotherNode(world, { config: { ...config, metricsToken: 'abc' } });
    assertProblem(await get('/metrics', node), 'unauthorized');
    await node.close();
  });

  test('/readyz is 503 once the server is stopping, and /healthz is still 200', async () => {
    const node = await anotherNode(world);
    node.beginStop();
    const answer = await get('/readyz', node);
    assert.equal(answer.status, 503);
    assert.equal(answer.headers.connection, 'close');
    assert.equal((await get('/healthz', node)).status, 200);
    await node.close();
  });

  test('/readyz has the database write at most once a second, however often it is asked', async () => {
    let probes = 0;
    const pool = withinTransactions(world.database.pool, async (statement) => {
      if (/generate_series/.test(statement)) probes += 1;
    });
    const node = await anotherNode(world, { pool, db: pool });
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 50 }, () => get('/readyz', node)));
    assert.ok(probes >= 1 && probes <= 1 + (performance.now() - startedAt) / 1_000, `${probes} times`);
    await node.close();
  });

  test('/readyz is 503 if the database is unavailable, and /v1 answers 502', async () => {
    const pool = connect({ connectionString: 'postgres://localhost:1/nothing', size: 2, timeoutMs: 5_000 });
    const node = await anotherNode(world, { pool, db: pool });
    assert.equal((await get('/readyz', node)).status, 503);
    assert.equal((await get('/healthz', node)).status, 200);
    const headers = { authorization: `Bearer ${world.ann.token}`, 'x-api-key': world.apiKey };
    assertProblem(await inject(node, { method: 'GET', url: `/v1${contacts}`, headers }), 'downstream_unavailable');
    await node.close();
    await pool.end();
  });

  test('/readyz is 503 before a request times out if the database hangs, and /v1 answers 504', async () => {
    const silent = await listenSilently();
    const nodeWith = async (timeoutMs: number) => {
      const connectionString = `postgres://localhost:${silent.port}/nothing`;
      const pool = connect({ connectionString, size: 5, timeoutMs });
      const node = await anotherNode(world, { pool, db: pool });
      const headers = { authorization: `Bearer ${world.ann.token}`, 'x-api-key': world.apiKey };
      const asked = inject(node, { method: 'GET', url: `/v1${contacts}`, headers });
      return { node, asked, stop: () => node.close().then(pool.end) };
    };
    const [patient, hasty] = [await nodeWith(60_000), await nodeWith(1_000)];
    const first = await Promise.race([get('/readyz', patient.node), patient.asked]);
    assert.equal(first.status, 503);
    assertProblem(await hasty.asked, 'downstream_timeout');
    silent.close();
    await patient.asked;
    for (const { stop } of [patient, hasty]) await stop();
  });

  test('/metrics counts requests by route and code, with latency and the pool', async () => {
    await world.ann.call('GET', contacts);
    await world.ann.call('GET', `${contacts}/424242`);
    await world.ann.call('GET', `${contacts}?page=0`);
    await get('/v1/no/such/route');
    const { body, headers } = await get('/metrics');
    assert.match(headers['content-type'] ?? '', /^text\/plain/);
    const route = `method="GET",route="/v1${contacts}`;
    for (const line of [
      `assent_http_requests_total{${route}",status="200",code=""}`,
      `assent_http_requests_total{${route}/:contactId",status="404",code="not_found"}`,
      `assent_http_requests_total{${route}",status="400",code="invalid_request"}`,
      `assent_http_requests_total{method="unknown",route="unknown",status="404",code="not_found"}`,
      `assent_http_request_seconds_count{${route}"}`,
      'assent_database_connections{state="total"}',
      'assent_database_connections{state="idle"}',
      'assent_database_connections{state="waiting"}',
      'assent_texts_wait_seconds',
      'process_cpu_seconds_total',
    ])
      assert.ok(body.includes(line), line);
    assert.ok(!body.includes('424242') && !body.includes('/no/such/route'));
  });
});

/** Words that are easy to find, one for each thing that a partner sends. */
const canary = {
  name: 'CanaryName',
  email: 'canary.mail@example.org',
  phone: '+12025550147',
  text: 'canary-text',
  key: 'canary-idempotency-key',
  header: 'canary-header',
};

suite('the log', () => {
  let world: World;
  let port: number;
  const lines: string[] = [];
  before(async () => {
    const log = makeLog('debug', { write: (line) => void lines.push(line) });
    world = await makeWorld({ log });
    port = await listen(world.app);
    lines.splice(0);
    await driveEverything();
  });
  after(() => world.close());

  /** Every way to put personal data into a request, good or bad, and into errors behind it. */
  async function driveEverything(): Promise<void> {
    const { call } = world.ann;
    const contact = {
      firstName: canary.name,
      lastName: canary.name,
      emailAddress: canary.email,
      phone: canary.phone,
      nickname: canary.text,
      address1: canary.text,
    };
    const headers = {
      'idempotency-key': canary.key,
      'user-agent': canary.header,
      cookie: `session=${canary.header}`,
      referer: `https://${canary.header}.example/`,
      'x-forwarded-for': canary.header,
      'x-request-id': canary.header,
      traceparent: canary.header,
    };
    const { body } = await call('POST', contacts, contact, headers);
    await call('POST', contacts, contact, headers);
    await call('POST', contacts, { ...contact, nickname: 'another body' }, headers);
    await call('POST', contacts, { ...contact, phone: `${canary.phone}x`, gender: canary.text }, headers);
    await call('POST', contacts, `{"firstName": "${canary.name}`, { ...headers, 'content-type': 'application/json' });
    await call('POST', contacts, canary.text, { 'content-type': 'text/plain' });
    await call('POST', contacts, canary.text, { 'content-type': canary.header });
    await call('PUT', `${contacts}/${body.id}`, contact, headers);
    await call('PUT', `${contacts}/${canary.text}`, contact, headers);
    await call('GET', `${contacts}/${body.id}?x=${canary.text}`);
    const query = new URLSearchParams({ search: canary.name, phone: canary.phone, email: canary.email });
    await call('GET', `${contacts}?${query}`);
    await call('GET', `${contacts}?${query}&page=${canary.text}`);
    await call('GET', `${contacts}?search=%${canary.text}`);
    await call('GET', `${contacts}/%${canary.text}`);
    await call('GET', `/${canary.text}/${canary.phone}`);
    await call('GET', contacts, undefined, { authorization: `Bearer ${canary.text}` });
    await call('GET', contacts, undefined, { 'x-api-key': canary.text });
    await call('GET', contacts, undefined, { 'x-sandbox-fault': canary.text });
    await call('GET', contacts, undefined, { 'x-sandbox-fault': 'internal_error' });
    await call('GET', contacts, undefined, { 'x-api-version': canary.text });
    await inject(world.app, { method: 'GET', url: `/v2${canary.text}` });
    await inject(world.app, { method: 'GET', url: `/problems/${canary.text}` });
    await exchange(port, `GET /${canary.text} HTTP/1.1\r\nhost: x\r\nx-${canary.text}: ${'x'.repeat(20_000)}\r\n\r\n`);
    await exchange(port, `${canary.text} / HTTP/1.1\r\nhost: ${canary.header}\r\n\r\n`);
    await exchange(port, `GET /${canary.text} HTTP/1.1\r\nhost: x\r\nexpect: ${canary.header}\r\n\r\n`);
    await call('POST', '/core/contact/groups', { name: canary.name, externalGroupId: canary.text });
    await provokeDatabase(contact);
    await call('DELETE', `${contacts}/${body.id}`);
  }

  /** PostgreSQL's own errors quote the row; one pretends to be a stack trace. */
  async function provokeDatabase(contact: object): Promise<void> {
    // Its own, since on a busy machine it may also end statements that take a moment.
    const pool = connect({ connectionString: world.database.url, size: 2, timeoutMs: 500, role: appRole });
    const hasty = await anotherNode(world, { pool, db: pool });
    await world.database.asOwner(`
      create function quote_for_test() returns trigger language plpgsql as $$
      begin
        if new.nickname = 'slow' then perform pg_sleep(60); end if;
        if new.nickname = 'unique' then
          insert into api_keys (application_id, key_hash, hint, date_time_created)
          values (1, convert_to(new.first_name, 'UTF8'), new.phone, now()), (1, convert_to(new.first_name, 'UTF8'), '', now());
        end if;
        if new.nickname = 'json' then perform new.first_name::jsonb; end if;
        raise exception using
          message = 'refused ' || new.first_name || E'\\n    at ${canary.text} (' || new.phone || ')',
          detail = new.email_address, hint = new.phone;
      end $$`);
    await world.database.asOwner(
      'create trigger quote_for_test before insert on contacts for each row execute function quote_for_test()',
    );
    for (const nickname of ['plain', 'slow', 'unique', 'json']) {
      const answer = await inject(nickname === 'slow' ? hasty : world.app, {
        method: 'POST',
        url: `/v1${contacts}`,
        headers: { ...credentials(world.ann.token, world.apiKey), 'idempotency-key': canary.key + nickname },
        payload: { ...contact, nickname },
      });
      assertProblem(answer, nickname === 'slow' ? 'downstream_timeout' : 'internal_error');
      assert.ok(!/canary/i.test(JSON.stringify(answer.body)), 'the answer doesn’t show the cause either');
    }
    await world.database.asOwner('drop trigger quote_for_test on contacts');
    await hasty.close();
    await pool.end();
  }

  test('each line is JSON with the trace id of its request', () => {
    assert.ok(lines.length > 30, `${lines.length} lines`);
    for (const line of lines) assert.match(JSON.parse(line).traceId ?? '', /^[0-9a-f]{32}$/, line);
  });

  test('a refusal before there is a request has its trace id in the log too', async () => {
    const badUrl = await world.ann.call('GET', `${contacts}/%zz`);
    const garbled = await exchange(port, 'garbled\r\n\r\n');
    for (const { body } of [badUrl, garbled]) assert.ok(lines.some((line) => line.includes(body.traceId)));
  });

  test('no line has a name, a phone number, a text, a token or a key', () => {
    const secrets = [world.apiKey, world.ann.token, world.clientId, ...world.ann.token.split('.')];
    const digits = canary.phone.slice(1);
    for (const line of lines) {
      assert.doesNotMatch(line, /canary/i);
      for (const secret of [...secrets, digits]) assert.ok(!line.includes(secret), line);
    }
  });

  test('no metric has them either', async () => {
    const { body } = await inject(world.app, { method: 'GET', url: '/metrics' });
    assert.doesNotMatch(body, /canary/i);
    assert.ok(!body.includes(canary.phone.slice(1)) && !body.includes(world.apiKey));
  });

  test('a line has what an operator needs: method, route, status, code, time, caller', () => {
    const found = lines.map((line) => JSON.parse(line)).find(({ status, route }) => status === 200 && route);
    assert.equal(found.msg, 'request');
    assert.equal(found.method, 'POST');
    assert.equal(found.route, `/v1${contacts}`);
    assert.equal(found.advisorId, world.ann.advisor.advisorId);
    assert.equal(typeof found.applicationId, 'number');
    assert.equal(typeof found.ms, 'number');
  });

  test('an internal error is logged with where it was thrown and why, in codes', () => {
    const found = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'problem');
    assert.ok(found.every(({ err }) => err.kind && Array.isArray(err.at)));
    assert.ok(
      found.some(({ err }) => err.code === 'P0001' && err.at.some((each: string) => /contacts\.ts/.test(each))),
    );
    assert.ok(found.some(({ err }) => err.constraint === 'api_keys_key_hash_key' && err.table === 'api_keys'));
  });
});

/** A server that accepts connections and never sends anything. */
/** Whoever connects waits until it is closed. */
async function listenSilently(): Promise<{ port: number; close(): void }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    port: (server.address() as { port: number }).port,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
