import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { countWaiting } from '../support/database.ts';
import { makeClient, signedIn } from '../support/oauth-client.ts';
import { type Visit, Visitor } from '../support/visitor.ts';
import { until } from '../support/waiting.ts';
import { assertPage, claimsOf, makeOAuthWorld, redeemed } from './setup.ts';

const { world, crm, annsBrowser } = await makeOAuthWorld();
after(() => world.close());
const { ann, bob } = world;

suite('the request that waits for the advisor', () => {
  async function waiting(browser: Visitor, client = crm, changes: Record<string, string> = {}) {
    const { location: path = '' } = await browser.get(client.authorizeUrl(changes));
    return { path, page: await browser.get(path) };
  }

  const expired = /<h1>This request has expired<\/h1>/;

  test('is useless in another browser, signed in or not', async () => {
    const { path } = await waiting(annsBrowser);
    const others = [new Visitor(world.app), await signedIn(world, bob)];
    for (const other of others) {
      assertExpiredPage(await other.get(path));
      const { page: own } = await waiting(other);
      const formToken = /name="formToken" value="([^"]+)"/.exec(own.body)?.[1] ?? '';
      for (const decision of ['allow', 'deny'])
        assertExpiredPage(await other.submit(own, path, { decision, formToken }));
      const resumed = await other.get(path.replace('interaction', 'authorize'));
      assertPage(resumed, /expired/);
    }
    const page = await annsBrowser.get(path);
    assert.match(page.body, /wants to act for you/, 'and it still waits in its own browser');
  });

  test('is useless to somebody who knows its URL: a cookie made from that opens nothing', async () => {
    const { path } = await waiting(annsBrowser);
    const uid = path.split('/').at(-1);
    const thief = new Visitor(world.app, { headers: { cookie: `assent-interaction=${uid}; assent-resume=${uid}` } });
    assertExpiredPage(await thief.get(path));
    assertPage(await thief.get(path.replace('interaction', 'authorize')), /not found|expired/);
    const { path: mine } = await waiting(annsBrowser);
    const mixed = annsBrowser.cookies.sentTo(mine);
    assertExpiredPage(await new Visitor(world.app, { headers: { cookie: mixed } }).get(path));
  });

  function assertExpiredPage(visit: Visit): void {
    assert.equal(visit.status, 400);
    assert.match(visit.body, expired);
    assert.equal(visit.location, undefined);
  }

  test('gives no code before the advisor has decided', async () => {
    const { path, page } = await waiting(annsBrowser);
    const early = await annsBrowser.get(path.replace('interaction', 'authorize'));
    assert.doesNotMatch(early.location ?? '', /code=/);
    assert.match(page.body, /wants to act for you/);
  });

  test('can be used once: going back shows that it has expired', async () => {
    const { path, page } = await waiting(annsBrowser);
    const decided = await annsBrowser.submit(page, path, { decision: 'allow' });
    const back = await annsBrowser.get(decided.location ?? '');
    assert.match(back.location ?? '', /code=/);
    assertExpiredPage(await annsBrowser.get(path));
    assertExpiredPage(await annsBrowser.submit(page, path, { decision: 'allow' }));
    assertExpiredPage(await annsBrowser.submit(page, path, { decision: 'deny' }));
    assertPage(await annsBrowser.get(decided.location ?? ''), /expired/);
  });

  test('allowed twice before the browser follows the redirect, it gives one code', async () => {
    const { path, page } = await waiting(annsBrowser);
    const first = await annsBrowser.submit(page, path, { decision: 'allow' });
    const second = await annsBrowser.submit(page, path, { decision: 'allow' });
    assert.equal(first.location, second.location);
    const back = await annsBrowser.get(first.location ?? '');
    assert.match(back.location ?? '', /code=/);
    assertPage(await annsBrowser.get(second.location ?? ''), /expired/);
  });

  test('allowed, then denied before the browser follows the redirect, it is denied', async () => {
    const { path, page } = await waiting(annsBrowser);
    await annsBrowser.submit(page, path, { decision: 'allow' });
    const denied = await annsBrowser.submit(page, path, { decision: 'deny' });
    const back = new URL((await annsBrowser.get(denied.location ?? '')).location ?? '');
    assert.equal(back.searchParams.get('error'), 'access_denied');
  });

  test('followed several times at the same moment, it gives one code', async () => {
    const { path, page } = await waiting(annsBrowser);
    const { location = '' } = await annsBrowser.submit(page, path, { decision: 'allow' });
    const held = await world.database.pool.transaction(async (db) => {
      await db.query('select from interactions for update');
      const follows = [annsBrowser.get(location), annsBrowser.get(location), annsBrowser.get(location)];
      await until(
        'all three wait for the same row',
        async () => (await countWaiting(world.database)) === follows.length,
      );
      return follows;
    });
    const codes = (await Promise.all(held)).filter((visit) => visit.location?.includes('code='));
    assert.equal(codes.length, 1);
  });

  test('two tabs with different requests don’t mix', async () => {
    const other = await makeClient(world, { name: 'Another CRM', redirectUris: ['https://other.example/back'] });
    const first = await waiting(annsBrowser, crm, { state: 'first', scope: 'openid core.contacts.read' });
    const second = await waiting(annsBrowser, other, { state: 'second', scope: 'openid text.messaging.read' });
    assert.match((await annsBrowser.get(first.path)).body, /Partner CRM wants to act/);
    assert.match((await annsBrowser.get(second.path)).body, /Another CRM wants to act/);
    const decidedFirst = await annsBrowser.submit(first.page, first.path, { decision: 'allow' });
    const decidedSecond = await annsBrowser.submit(second.page, second.path, { decision: 'allow' });
    const backSecond = new URL((await annsBrowser.get(decidedSecond.location ?? '')).location ?? '');
    const backFirst = new URL((await annsBrowser.get(decidedFirst.location ?? '')).location ?? '');
    assert.equal(backFirst.searchParams.get('state'), 'first');
    assert.equal(backSecond.searchParams.get('state'), 'second');
    assert.equal(backSecond.origin, 'https://other.example');
    assert.equal((await redeemed(crm, backFirst)).scope, 'openid core.contacts.read');
    assert.equal((await redeemed(other, backSecond)).scope, 'openid text.messaging.read');
  });

  test('expires', async () => {
    const { path, page } = await waiting(annsBrowser);
    await world.database.asOwner(
      `update interactions
       set date_time_expires = now() - interval '1 second', payload = jsonb_set(payload, '{exp}', to_jsonb(1))`,
    );
    assertExpiredPage(await annsBrowser.get(path));
    assertExpiredPage(await annsBrowser.submit(page, path, { decision: 'allow' }));
    assertPage(await annsBrowser.get(path.replace('interaction', 'authorize')), /expired|not found/);
  });

  test('belongs to the advisor who is signed in when it is allowed', async () => {
    const client = await makeClient(world);
    const { path, page } = await waiting(annsBrowser, client);
    const bobs = await signedIn(world, bob);
    await bobs.get(client.authorizeUrl());
    const decided = await annsBrowser.submit(page, path, { decision: 'allow' });
    const back = new URL((await annsBrowser.get(decided.location ?? '')).location ?? '');
    const { access_token } = await redeemed(client, back);
    const { advisor_id } = claimsOf(access_token);
    assert.equal(advisor_id, ann.advisor.advisorId);
  });
});
