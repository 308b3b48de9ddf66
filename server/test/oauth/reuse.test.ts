import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { disconnect } from '../../src/domain/access/grants.ts';
import { makeClient } from '../support/oauth-client.ts';
import { granted } from './setup.ts';
import { assertInvalidGrant, callAt, makeTwoNodes } from './two-nodes.ts';

const { world, crm, otherNode, addresses, codeFor, begin, pass, assertEnded, unusedRefreshTokens, close } =
  await makeTwoNodes();
after(close);
const { ann } = world;

suite('a refresh token that comes again', () => {
  function bytesOf(token: string): Promise<string> {
    const form = { grant_type: 'refresh_token', refresh_token: token };
    const { clientId: client_id, clientSecret: client_secret } = crm;
    return fetch(`${addresses[1]}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ ...form, client_id, client_secret }),
    }).then((response) => response.text());
  }

  test('before its successor is used gets the same answer byte for byte, any number of times', async () => {
    const { refresh_token } = await begin();
    const first = await bytesOf(refresh_token);
    for (let time = 0; time < 3; time++) assert.equal(await bytesOf(refresh_token), first);
    assert.equal(await unusedRefreshTokens(crm), 1);
    const answer = JSON.parse(first);
    assert.equal((await crm.call(answer.access_token)).status, 200);
    granted(await crm.refresh(answer.refresh_token));
  });

  test('within 30 seconds still gets the same answer', async () => {
    const { refresh_token } = await begin();
    const first = await bytesOf(refresh_token);
    await pass(25);
    assert.equal(await bytesOf(refresh_token), first);
  });

  test('after 30 seconds is 400, and the grant ends on every node', async () => {
    const first = await begin();
    const second = granted(await crm.refresh(first.refresh_token));
    for (const { access_token } of [first, second]) assert.equal(await callAt(otherNode, crm, access_token), 200);
    await pass(31);
    assertInvalidGrant(await crm.refresh(first.refresh_token));
    assertInvalidGrant(await crm.refresh(second.refresh_token));
    await assertEnded(crm, [first.access_token, second.access_token]);
    assert.equal(await unusedRefreshTokens(crm), 0);
  });

  test('after its successor is used is 400, and the grant ends on every node', async () => {
    const first = await begin();
    const second = granted(await crm.refresh(first.refresh_token));
    const third = granted(await crm.refresh(second.refresh_token));
    assertInvalidGrant(await crm.refresh(first.refresh_token));
    for (const { refresh_token } of [second, third]) assertInvalidGrant(await crm.refresh(refresh_token));
    await assertEnded(
      crm,
      [first, second, third].map(({ access_token }) => access_token),
    );
  });

  test('after the grant has ended is 400, and a new authorization is a new grant', async () => {
    const first = await begin();
    granted(await crm.refresh(first.refresh_token));
    await disconnect(world.deps, crm.clientId, ann.advisor.advisorId);
    assertInvalidGrant(await crm.refresh(first.refresh_token));
    const anew = granted(await crm.redeem(await codeFor(crm)));
    assertInvalidGrant(await crm.refresh(first.refresh_token));
    granted(await crm.refresh(anew.refresh_token));
  });

  test('every time along a chain of lost answers gets to the end of the chain', async () => {
    let { refresh_token: held } = await begin();
    for (let link = 0; link < 5; link++) {
      const lost = granted(await crm.refresh(held));
      const found = granted(await crm.refresh(held));
      assert.deepEqual(found, lost);
      held = found.refresh_token;
    }
    assert.equal(await unusedRefreshTokens(crm), 1);
  });

  test('from another client is 400, and neither gets the answer nor ends the grant', async () => {
    const stranger = await makeClient(world);
    const first = await begin();
    const second = granted(await crm.refresh(first.refresh_token));
    assertInvalidGrant(await stranger.refresh(first.refresh_token));
    await pass(31);
    assertInvalidGrant(await stranger.refresh(first.refresh_token));
    granted(await crm.refresh(second.refresh_token));
  });

  test('with a wrong secret is 401, and neither gets the answer nor ends the grant', async () => {
    const first = await begin();
    const second = granted(await crm.refresh(first.refresh_token));
    assert.equal((await crm.refresh(first.refresh_token, { client_secret: 'x' })).status, 401);
    await pass(31);
    assert.equal((await crm.refresh(first.refresh_token, { client_secret: 'x' })).status, 401);
    granted(await crm.refresh(second.refresh_token));
  });

  test('ends only its own grant: another advisor’s keeps working', async () => {
    const bobs = await crm.tokens(world.bob);
    const first = await begin();
    granted(await crm.refresh(first.refresh_token));
    await pass(31);
    assertInvalidGrant(await crm.refresh(first.refresh_token));
    granted(await crm.refresh(bobs.refresh_token));
  });
});
