import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import pg from 'pg';
import { unlimited } from '../../src/domain/access/api-keys.ts';
import { countWaiting } from '../support/database.ts';
import { stateOf } from '../support/people.ts';
import { acceptedPhone, reply, send } from '../support/texting.ts';
import { Visitor } from '../support/visitor.ts';
import { until } from '../support/waiting.ts';
import { makeWorld, type World } from '../support/world.ts';

/** Requests of one key that hang in the database, as slow searches would. */
suite('while one key’s searches hang', () => {
  let world: World;
  let blocker: pg.Client;
  let hanging: Promise<unknown>;

  before(async () => {
    world = await makeWorld({
      reserved: true,
      database: { size: 4, timeoutMs: 20_000 },
      env: { DATABASE_POOL_SIZE: '4' },
    });
    blocker = new pg.Client({ connectionString: world.database.url });
    await blocker.connect();
    await blocker.query('begin; lock table groups in access exclusive mode');
    const searches = Array.from({ length: 20 }, () => world.ann.call('GET', '/core/contact/groups'));
    hanging = Promise.all(searches);
    await until('they hang', async () => (await waiting()) > 0);
  });
  after(async () => {
    await blocker.query('rollback');
    await hanging;
    await blocker.end();
    await world.close();
  });

  async function waiting(): Promise<number> {
    const [row] = await world.database.asOwner<{ count: number }>(
      `select count(*)::integer as count from pg_locks where relation = 'groups'::regclass and not granted
         and database = (select oid from pg_database where datname = current_database())`,
    );
    return row?.count ?? 0;
  }

  test('they hold no more than the key’s share, and a search counts for two', async () => {
    assert.equal(await waiting(), 1);
  });

  test('another key is answered', async () => {
    const { apiKey } = await world.newKey(unlimited);
    const answer = await world.bob.call('GET', '/core/content/library/search', undefined, { 'x-api-key': apiKey });
    assert.equal(answer.status, 200);
  });

  test('a STOP is in force, and the next text is refused', async () => {
    const phone = await acceptedPhone(world, world.ann);
    const answer = await reply(world, phone, world.ann.advisor.textingNumber ?? '', 'STOP');
    assert.equal(answer.status, 202);
    assert.equal(await stateOf(world, world.ann, phone), 'opted_out');
    assert.equal((await send(world.ann, { phone, text: 'Hello' })).body.failureDetails[0].code, 'opted_out');
  });
});

test('one network’s visits leave a place for others, whichever of its addresses they come from', async () => {
  const world = await makeWorld({ database: { size: 8, timeoutMs: 20_000 }, env: { DATABASE_POOL_SIZE: '8' } });
  const blocker = new pg.Client({ connectionString: world.database.url });
  await blocker.connect();
  const visitors = await Promise.all(
    [1, 2, 3, 4, 5, 6].map(async (number) => {
      const visitor = new Visitor(world.app, { address: `2001:db8::${number}` });
      await visitor.get('/console/sign-in');
      return visitor;
    }),
  );
  await blocker.query('begin; lock table throttles in access exclusive mode');
  const form = { grant_type: 'client_credentials', client_id: 'unknown', client_secret: 'x' };
  const hanging = visitors.flatMap((visitor) => [
    visitor.post('/oauth/token', form),
    visitor.postJson('/console/sign-in/passkey/options', {}),
  ]);
  try {
    await until('they hang', async () => (await countWaiting(world.database)) >= 3);
    const other = new Visitor(world.app, { address: '2001:db8:0:1::1' });
    assert.equal((await other.get('/console/sign-in')).status, 200);
    assert.equal(await countWaiting(world.database), 3);
  } finally {
    await blocker.query('rollback');
    await Promise.all(hanging);
    await blocker.end();
    await world.close();
  }
});

test('replies have connections of their own, so that all keys together can’t delay them', async () => {
  const world = await makeWorld({ reserved: true, database: { size: 2 }, env: { DATABASE_POOL_SIZE: '2' } });
  const blocker = new pg.Client({ connectionString: world.database.url });
  await blocker.connect();
  await blocker.query('begin; lock table groups in access exclusive mode');
  const keys = await Promise.all([1, 2, 3].map(() => world.newKey(unlimited)));
  const searches = keys.map(({ apiKey }) =>
    world.ann.call('GET', '/core/contact/groups', undefined, { 'x-api-key': apiKey }),
  );
  await until('every connection is taken', () => world.database.pool.counts().idle === 0);
  const phone = '+12125550101';
  assert.equal((await reply(world, phone, world.ann.advisor.textingNumber ?? '', 'STOP')).status, 202);
  await blocker.query('rollback');
  await Promise.all(searches);
  assert.equal(await stateOf(world, world.ann, phone), 'opted_out');
  await blocker.end();
  await world.close();
});
