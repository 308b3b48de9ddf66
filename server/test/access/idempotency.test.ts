import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import pg from 'pg';
import type { App } from '../../src/app.ts';
import { issueApiKey, unlimited } from '../../src/domain/access/api-keys.ts';
import { addApplication } from '../../src/domain/access/applications.ts';
import { forgetExpiredResponses } from '../../src/domain/access/idempotency.ts';
import { allScopes } from '../../src/domain/access/scopes.ts';
import { issueToken } from '../../src/domain/access/tokens.ts';
import { countWaiting, moved } from '../support/database.ts';
import { anotherNode, credentials } from '../support/nodes.ts';
import { assertProblem } from '../support/problem.ts';
import { listen, openWire } from '../support/sockets.ts';
import { consentRequestsPath, messagesPath, newPhone, setConsent } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { type Answer, inject, makeWorld, type World } from '../support/world.ts';

const contacts = '/core/contact/contacts';
const groups = '/core/contact/groups';

suite('Idempotency-Key', () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.close());

  let people = 0;
  /** A person that no other test knows. */
  const someone = () => ({ firstName: 'Ida', lastName: `Number${++people}` });
  const post = (body: unknown, key: string, path = contacts, headers: Record<string, string> = {}) =>
    world.ann.call('POST', path, body, { 'idempotency-key': key, ...headers });
  const count = async ({ lastName }: { lastName: string }): Promise<number> =>
    (await world.ann.call('GET', `${contacts}?search=${lastName}`)).body.pageInfo.totalRecord;

  function assertReplay(replay: Answer, first: Answer): void {
    assert.equal(replay.headers['idempotent-replayed'], 'true');
    assert.equal(replay.status, first.status);
    const { traceId: _, ...replayed } = replay.body;
    const { traceId: __, ...answered } = first.body;
    assert.deepEqual(replayed, answered);
    assert.equal(replay.headers['content-type'], first.headers['content-type']);
  }

  test('a duplicate gets the first response, and nothing is done again', async () => {
    const person = someone();
    const first = await post(person, 'repeat');
    assert.equal(first.status, 200);
    assert.equal(first.headers['idempotent-replayed'], undefined);
    for (let i = 0; i < 3; i++) assertReplay(await post(person, 'repeat'), first);
    assert.equal(await count(person), 1);
  });

  test('without a key every request counts', async () => {
    const person = someone();
    const first = await world.ann.call('POST', contacts, person);
    const second = await world.ann.call('POST', contacts, person);
    assert.notEqual(first.body.id, second.body.id);
    assert.equal(await count(person), 2);
  });

  test('200 posts at once with one key make one contact and share its response', async () => {
    const person = someone();
    const answers = await Promise.all(Array.from({ length: 200 }, () => post(person, 'two hundred')));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
    assert.equal(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true').length, 199);
    assert.equal(await count(person), 1);
  });

  test('a different body with the same key is 400, and nothing is done', async () => {
    const [person, other] = [someone(), someone()];
    await post(person, 'another body');
    const refused = await post(other, 'another body');
    assertProblem(refused, 'invalid_request', /Idempotency-Key.*different body/);
    assert.equal(refused.body.details[0].path, '/Idempotency-Key');
    assert.equal(await count(other), 0);
    assertReplay(await post(person, 'another body'), await post(person, 'another body'));
  });

  test('of two different bodies at the same time, one is 400', async () => {
    const bodies = [someone(), someone()];
    const answers = await Promise.all(bodies.map((body) => post(body, 'two bodies')));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
  });

  test('bodies are compared as JSON: field order and white space don’t matter, values do', async () => {
    const { firstName, lastName } = someone();
    const json = { 'content-type': 'application/json' };
    const send = (text: string) => post(text, 'as JSON', contacts, json);
    const first = await send(`{"firstName":"${firstName}","lastName":"${lastName}","x":{"a":[1,2],"b":null}}`);
    assert.equal(first.status, 200);
    assertReplay(
      await send(
        `\n{ "x" : {"b":null,"a":[1.0,2e0]}, "lastName": "${lastName}",\t"firstName":"\\u0049${firstName.slice(1)}" }`,
      ),
      first,
    );
    for (const other of [
      '{"a":[2,1],"b":null}',
      '{"a":[1,2]}',
      '{"a":{"0":1,"1":2},"b":null}',
      '{"a":["1",2],"b":null}',
      '{"a":[1,2],"b":1e400}',
      '[["a",[1,2]],["b",null]]',
    ])
      assertProblem(
        await send(`{"firstName":"${firstName}","lastName":"${lastName}","x":${other}}`),
        'invalid_request',
        /different body/,
      );
  });

  test('a key belongs to one advisor', async () => {
    const person = someone();
    const first = await post(person, 'each advisor');
    const second = await world.bob.call('POST', contacts, person, { 'idempotency-key': 'each advisor' });
    assert.equal(second.status, 200);
    assert.equal(second.headers['idempotent-replayed'], undefined);
    assert.notEqual(second.body.id, first.body.id);
  });

  test('a key belongs to one application, with any of its API keys', async () => {
    const person = someone();
    const first = await post(person, 'each application');
    const { apiKey } = await world.newKey(unlimited);
    assertReplay(await post(person, 'each application', contacts, { 'x-api-key': apiKey }), first);

    const { application } = await addApplication(world.deps, { name: 'Other CRM', redirectUris: [] });
    const { clientId } = application;
    const { advisorId } = world.ann.advisor;
    const token = await issueToken(world.deps, { clientId, advisorId, scopes: allScopes });
    const other = await issueApiKey(world.deps, clientId, unlimited);
    const second = await post(person, 'each application', contacts, credentials(token, other.apiKey));
    assert.equal(second.headers['idempotent-replayed'], undefined);
    assert.notEqual(second.body.id, first.body.id);
  });

  test('a key belongs to one path, without the query', async () => {
    const body = { ...someone(), name: 'A group' };
    const contact = await post(body, 'each path');
    const group = await post(body, 'each path', groups);
    assert.equal(group.status, 200);
    assert.equal(group.headers['idempotent-replayed'], undefined);
    assertReplay(await post(body, 'each path', `${contacts}?x=1`), contact);
  });

  test('a key belongs to the route, however its path is spelled', async () => {
    const person = someone();
    const first = await post(person, 'spelled');
    assertReplay(await post(person, 'spelled', contacts.replace('contacts', '%63ontacts')), first);
    assert.equal(await count(person), 1);
  });

  test('on a PUT or a DELETE the key is ignored', async () => {
    const { body } = await post(someone(), 'then a put');
    const headers = { 'idempotency-key': 'a put' };
    for (const nickname of ['One', 'Two']) {
      const answer = await world.ann.call('PUT', `${contacts}/${body.id}`, { nickname }, headers);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers['idempotent-replayed'], undefined);
    }
    const tooLong = { 'idempotency-key': 'k'.repeat(256) };
    assert.equal((await world.ann.call('DELETE', `${contacts}/${body.id}`, undefined, tooLong)).status, 204);
  });

  test('a key has 1 to 255 characters', async () => {
    const person = someone();
    assert.equal((await post(person, 'k'.repeat(255))).status, 200);
    assertReplay(await post(person, 'k'.repeat(255)), await post(person, 'k'.repeat(255)));
    assertProblem(await post(someone(), 'k'.repeat(256)), 'invalid_request', /255/);
    assertProblem(await post(someone(), ''), 'invalid_request', /255/);
    assert.equal(await count(person), 1);
  });

  suite('among the responses', () => {
    test('a 400 or a 415 is not kept, so a corrected request can use the same key', async () => {
      const plain = { 'content-type': 'text/plain' };
      const person = someone();
      assertProblem(await post({ firstName: 'Ida' }, 'corrected'), 'invalid_request', /lastName/);
      assertProblem(await post('x', 'corrected', contacts, plain), 'unsupported_media_type');
      const first = await post(person, 'corrected');
      assert.equal(first.status, 200);
      assertReplay(await post(person, 'corrected'), first);
      assert.equal(await count(person), 1);
    });

    test('a send or a consent request in which nobody succeeded is not kept', async () => {
      const phone = newPhone();
      const text = { phone, text: 'Hello' };
      const refused = await post(text, 'after consent', messagesPath);
      assert.equal(refused.body.failureDetails[0].code, 'not_consented');
      await setConsent(world, world.ann, phone, 'accepted');
      const sent = await post(text, 'after consent', messagesPath);
      assert.equal(sent.headers['idempotent-replayed'], undefined);
      assert.equal(sent.body.successes.length, 1);
      assertReplay(await post(text, 'after consent', messagesPath), sent);

      const stopped = { phoneNumbers: [newPhone()] };
      await setConsent(world, world.ann, stopped.phoneNumbers[0] ?? '', 'opted_out');
      for (const _ of [1, 2]) {
        const asked = await post(stopped, 'stopped', consentRequestsPath);
        assert.equal(asked.body.failureDetails[0].code, 'opted_out');
        assert.equal(asked.headers['idempotent-replayed'], undefined);
      }
    });

    test('a send in which somebody succeeded is kept, with its failures', async () => {
      const [phone, unasked] = [newPhone(), newPhone()];
      await setConsent(world, world.ann, phone, 'accepted');
      const body = { phoneNumbers: [phone, unasked], text: 'Hello' };
      const sent = await post(body, 'in part', messagesPath);
      assert.deepEqual([sent.body.successes.length, sent.body.failures.length], [1, 1]);
      await setConsent(world, world.ann, unasked, 'accepted');
      assertReplay(await post(body, 'in part', messagesPath), sent);
    });

    test('a twin with another body waits for the first, and is 400 only if that was kept', async () => {
      const [one, other] = [someone(), someone()];
      const [kept, refused] = await Promise.all([post(one, 'twins'), post(other, 'twins')]);
      assert.deepEqual([kept.status, refused.status], [200, 400]);
      const [bad, good] = await Promise.all([post({ firstName: 'Ida' }, 'unequal'), post(other, 'unequal')]);
      assert.deepEqual([bad.status, good.status], [400, 200]);
    });

    test('a 401, a 403 and a 429 are not kept', async () => {
      const person = someone();
      const withoutScope = await world.token(world.ann.advisor.advisorId, ['openid']);
      const { apiKey } = await world.newKey({ ratePerSecond: null, burst: null, dailyQuota: 1 });
      const spent = { 'x-api-key': apiKey };
      assert.equal((await post(someone(), 'spends the day', contacts, spent)).status, 200);
      assertProblem(await post(person, 'passing', contacts, { authorization: 'Bearer x' }), 'unauthorized');
      assertProblem(await post(person, 'passing', contacts, { authorization: `Bearer ${withoutScope}` }), 'forbidden');
      assertProblem(await post(person, 'passing', contacts, spent), 'rate_limited');
      const answer = await post(person, 'passing');
      assert.equal(answer.status, 200);
      assert.equal(answer.headers['idempotent-replayed'], undefined);
      assert.equal(await count(person), 1);
    });

    test('a 5xx is not kept, and its work is undone', async () => {
      const person = someone();
      await failing('insert', 'contacts', async () => {
        assertProblem(await post(person, 'a 500'), 'internal_error');
        const twins = await Promise.all([1, 2, 3].map(() => post(person, 'a 500')));
        for (const twin of twins) assertProblem(twin, 'internal_error');
      });
      assert.deepEqual(await kept('a 500'), []);
      assert.equal(await count(person), 0);
      assert.equal((await post(person, 'a 500')).status, 200);
      assert.equal(await count(person), 1);
    });
  });

  test('a key is kept for 24 hours, and then counts as new', async () => {
    const person = someone();
    const first = await post(person, 'a day');
    await age('a day', '23 hours 59 minutes');
    assertReplay(await post(person, 'a day'), first);
    await age('a day', '1 minute 1 second');
    const next = await post(person, 'a day');
    assert.equal(next.status, 200);
    assert.equal(next.headers['idempotent-replayed'], undefined);
    assert.notEqual(next.body.id, first.body.id);
    assertReplay(await post(person, 'a day'), next);
  });

  test('an expired key may come with a different body', async () => {
    await post(someone(), 'another day');
    await age('another day', '25 hours');
    assert.equal((await post(someone(), 'another day')).status, 200);
  });

  test('the sandbox’s clock doesn’t age a key: a day is a real day', async () => {
    const person = someone();
    const first = await post(person, 'real time');
    await world.clock.advance(25 * 60 * 60 * 1000);
    assertReplay(await post(person, 'real time'), first);
  });

  test('expired answers are forgotten, and nothing else', async () => {
    await post(someone(), 'forgotten');
    await post(someone(), 'remembered');
    await age('forgotten', '25 hours');
    await forgetExpiredResponses(world.deps);
    assert.equal((await kept('forgotten')).length, 0);
    assert.equal((await kept('remembered')).length, 1);
  });

  test('the effect and its response are committed together: if one can’t be kept, neither is', async () => {
    const person = someone();
    await failing('update', 'idempotent_responses', async () => {
      assertProblem(await post(person, 'together'), 'internal_error');
    });
    assert.equal(await count(person), 0);
    assert.deepEqual(await kept('together'), []);
    assert.equal((await post(person, 'together')).status, 200);
    assert.equal(await count(person), 1);
  });

  suite('on two nodes', () => {
    let other: App;
    before(async () => {
      other = await anotherNode(world);
    });
    after(() => other.close());

    const postToOther = (body: object, key: string): Promise<Answer> =>
      inject(other, {
        method: 'POST',
        url: `/v1${contacts}`,
        headers: { ...credentials(world.ann.token, world.apiKey), 'idempotency-key': key },
        payload: body,
      });

    test('a duplicate at the other node gets the first response', async () => {
      const person = someone();
      const first = await post(person, 'other node');
      assertReplay(await postToOther(person, 'other node'), first);
    });

    test('a concurrent duplicate waits and shares the response', async () => {
      const person = someone();
      const release = await holdContacts();
      const answers = Promise.all([
        post(person, 'in flight'),
        post(person, 'in flight'),
        postToOther(person, 'in flight'),
        postToOther(person, 'in flight'),
      ]);
      await until('one waits for the table, one for the key', async () => (await waiting()) === 2);
      await release();
      const all = await answers;
      assert.deepEqual(
        all.map(({ status }) => status),
        [200, 200, 200, 200],
      );
      assert.equal(new Set(all.map(({ body }) => body.id)).size, 1);
      assert.equal(all.filter(({ headers }) => headers['idempotent-replayed'] === 'true').length, 3);
      assert.equal(await count(person), 1);
    });

    test('a concurrent request with a different body is 400', async () => {
      const release = await holdContacts();
      const first = post(someone(), 'in flight, other body');
      await until('the first waits for the table', async () => (await waiting()) === 1);
      const twin = postToOther(someone(), 'in flight, other body');
      await until('the duplicate waits for the key', async () => (await waiting()) === 2);
      await release();
      assert.equal((await first).status, 200);
      assertProblem(await twin, 'invalid_request', /different body/);
    });

    test('a duplicate takes over from a request that failed', async () => {
      const person = someone();
      const release = await holdContacts();
      const first = post(person, 'taken over');
      await until('the first waits for the table', async () => (await waiting()) === 1);
      const twin = postToOther(person, 'taken over');
      await until('the duplicate waits for the key', async () => (await waiting()) === 2);
      await world.database.asOwner(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'relation'`,
      );
      assertProblem(await first, 'downstream_unavailable');
      await release();
      const answer = await twin;
      assert.equal(answer.status, 200);
      assert.equal(answer.headers['idempotent-replayed'], undefined);
      assert.equal(await count(person), 1);
    });
  });

  test('a client that was cut off after the commit gets the response with a retry', async () => {
    const person = someone();
    const node = await anotherNode(world);
    const port = await listen(node);
    const body = JSON.stringify(person);
    const headers = {
      host: 'localhost',
      ...credentials(world.ann.token, world.apiKey),
      'idempotency-key': 'cut off',
      'content-type': 'application/json',
      'content-length': String(body.length),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const release = await holdContacts();
    const wire = await openWire(port);
    wire.write(`POST /v1${contacts} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
    await until('the request is in progress', async () => (await waiting()) === 1);
    wire.destroy();
    await release();
    await until('it is committed', async () => (await kept('cut off')).length === 1);
    await node.close();
    const retry = await post(person, 'cut off');
    assert.equal(retry.status, 200);
    assert.equal(retry.headers['idempotent-replayed'], 'true');
    assert.equal(await count(person), 1);
  });

  /** Makes every such statement fail during the work. */
  async function failing(event: 'insert' | 'update', table: string, work: () => Promise<void>): Promise<void> {
    await world.database.asOwner(
      `create function fail_for_test() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$`,
    );
    await world.database.asOwner(
      `create trigger fail_for_test after ${event} on ${table} execute function fail_for_test()`,
    );
    try {
      await work();
    } finally {
      await world.database.asOwner(`drop trigger fail_for_test on ${table}`);
      await world.database.asOwner('drop function fail_for_test');
    }
  }

  /** Blocks inserts of contacts until it is released. */
  async function holdContacts(): Promise<() => Promise<void>> {
    const client = new pg.Client({ connectionString: world.database.url });
    await client.connect();
    await client.query('begin; lock table contacts in share row exclusive mode');
    return () => client.end();
  }

  const waiting = () => countWaiting(world.database);

  async function kept(key: string): Promise<object[]> {
    return world.database.asOwner('select key from idempotent_responses where key = $1', [key]);
  }

  async function age(key: string, interval: string): Promise<void> {
    await world.database.asOwner(
      `update idempotent_responses set date_time_created = ${moved('date_time_created', '-$2::interval')} where key = $1`,
      [key, interval],
    );
  }
});
