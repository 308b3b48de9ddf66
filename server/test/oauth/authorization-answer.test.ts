import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { disconnect, listConnections } from '../../src/domain/access/grants.ts';
import { allOf, makeClient, redirectUri, signedIn, type Tokens } from '../support/oauth-client.ts';
import { assertProblem } from '../support/problem.ts';
import { Visitor } from '../support/visitor.ts';
import { claimsOf, makeOAuthWorld, redeemed } from './setup.ts';

const { world, assertRefused, crm, annsBrowser, ask } = await makeOAuthWorld();
after(() => world.close());
const { ann, bob } = world;
const { publicUrl } = world.config;

suite('the answer', () => {
  test('allowed, it has a code, the state and the issuer, and nothing else', async () => {
    const back = await crm.authorizeIn(annsBrowser, { state: 's1' });
    assert.deepEqual([...back.searchParams.keys()], ['tenant', 'code', 'state', 'iss']);
    assert.equal(back.searchParams.get('state'), 's1');
    assert.equal(back.searchParams.get('iss'), publicUrl);
    assert.match(back.searchParams.get('code') ?? '', /^[\w-]{43}$/);
    assert.equal(back.href.startsWith(`${redirectUri}&code=`), true);
  });

  test('denied, it has access_denied and the state, and no code', async () => {
    const back = await crm.authorizeIn(annsBrowser, { state: 's1' }, 'deny');
    assert.equal(back.searchParams.get('error'), 'access_denied');
    assert.equal(back.searchParams.get('state'), 's1');
    assert.equal(back.searchParams.get('iss'), publicUrl);
    assert.equal(back.searchParams.get('code'), null);
  });

  test('a denial doesn’t affect what was allowed before', async () => {
    const client = await makeClient(world);
    const held: Tokens = await redeemed(client, await client.authorizeIn(annsBrowser));
    await client.authorizeIn(annsBrowser, {}, 'deny');
    assert.equal((await client.refresh(held.refresh_token)).status, 200);
  });

  test('an advisor who isn’t signed in may deny too, and nothing is stored', async () => {
    const client = await makeClient(world);
    const browser = new Visitor(world.app);
    const { location: path = '' } = await browser.get(client.authorizeUrl({ state: 's1' }));
    const page = await browser.get(path);
    const formToken = /name="formToken" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
    const decided = await browser.submit(page, path, { decision: 'deny', formToken });
    const back = new URL((await browser.get(decided.location ?? '')).location ?? '');
    assert.equal(back.searchParams.get('error'), 'access_denied');
    assert.equal(
      (await listConnections(world.deps, ann.advisor.advisorId)).some(({ clientId }) => clientId === client.clientId),
      false,
    );
  });

  const states = {
    'two kilobytes': 'x'.repeat(2_048),
    unicode: 'žluťoučký kůň 李 😀 \u202e',
    'a script': '<script>alert(1)</script>"\'>',
    'line breaks': 'a\r\nSet-Cookie: evil=1\r\n\r\n<html>',
    'parameters of its own': 'a&code=evil&error=evil#evil?iss=evil',
    'escapes and pluses': '%41+%2B%00 %',
    JSON: '{"returnTo":"/a b","n":1}',
    'spaces at its ends': '  s  ',
  };
  for (const [what, state] of Object.entries(states))
    test(`a state of ${what} comes back unchanged, allowed, denied or refused`, async () => {
      for (const decision of ['allow', 'deny'] as const) {
        const back = await crm.authorizeIn(annsBrowser, { state }, decision);
        assert.equal(back.searchParams.get('state'), state);
        assert.equal(back.searchParams.getAll('code').length, decision === 'allow' ? 1 : 0);
        assert.equal(back.searchParams.get('iss'), publicUrl);
      }
      const refused = await ask(crm.authorizeUrl({ state, scope: 'nonsense' }), { accept: 'text/html' });
      assertRefused(refused, 'invalid_scope', state);
      assert.doesNotMatch(refused.body, /<script|<html/);
      assert.equal(refused.headers['set-cookie'], undefined);
    });

  test('a state with a NUL is refused, and comes back', async () => {
    assertRefused(await ask(crm.authorizeUrl({ state: 'a\0b' })), 'invalid_request', 'a\0b', /NUL/);
  });
});

suite('one authorization per advisor and application', () => {
  function grantOf({ access_token }: Tokens): string {
    return claimsOf(access_token).grant_id;
  }

  test('allowing again adds scopes to the same grant, and earlier tokens keep working', async () => {
    const client = await makeClient(world);
    const first = await redeemed(
      client,
      await client.authorizeIn(annsBrowser, { scope: 'openid offline_access core.contacts.read' }),
    );
    const second = await redeemed(
      client,
      await client.authorizeIn(annsBrowser, { scope: 'openid offline_access text.messaging.read' }),
    );
    assert.equal(grantOf(first), grantOf(second));
    const [connection] = (await listConnections(world.deps, ann.advisor.advisorId)).filter(
      ({ clientId }) => clientId === client.clientId,
    );
    assert.deepEqual(connection?.authorized?.scopes.toSorted(), [
      'core.contacts.read',
      'offline_access',
      'openid',
      'text.messaging.read',
    ]);
    assert.equal((await client.call(first.access_token)).status, 200);
    const again = await client.refresh(first.refresh_token);
    assert.equal(again.status, 200);
    assert.equal((await client.refresh(second.refresh_token)).status, 200);
  });

  test('each token carries only the scopes that its own request asked for', async () => {
    const client = await makeClient(world);
    const wide = await redeemed(client, await client.authorizeIn(annsBrowser));
    const scope = 'openid offline_access text.messaging.read';
    const narrow = await redeemed(client, await client.authorizeIn(annsBrowser, { scope }));
    assert.equal(wide.scope, allOf);
    assert.equal(narrow.scope, scope);
    assertProblem(await client.call(narrow.access_token), 'forbidden', /core\.contacts\.read/);
    assert.equal((await client.refresh(narrow.refresh_token)).body.scope, scope);
    assert.equal((await client.refresh(wide.refresh_token)).body.scope, allOf);
  });

  test('two advisors have one each, and so do two applications', async () => {
    const [one, another] = [await makeClient(world), await makeClient(world)];
    const bobsBrowser = await signedIn(world, bob);
    const grants = [
      await redeemed(one, await one.authorizeIn(annsBrowser)),
      await redeemed(one, await one.authorizeIn(bobsBrowser)),
      await redeemed(another, await another.authorizeIn(annsBrowser)),
    ].map(grantOf);
    assert.equal(new Set(grants).size, 3);
    await disconnect(world.deps, one.clientId, bob.advisor.advisorId);
    const rows = await world.database.asOwner('select from grants where grant_id = any($1)', [grants]);
    assert.equal(rows.length, 2);
  });
});
