import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { allScopes } from '../../src/domain/access/scopes.ts';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { newcomer } from '../address-book/address-book.ts';
import { assertProblem } from '../support/problem.ts';
import { makeWorld } from '../support/world.ts';

const world = await makeWorld({ dispatch: false });
after(() => world.close());
const { ann, bob } = world;
const path = '/core/account';

test('the account has these fields and no others', async () => {
  const { status, body } = await ann.call('GET', path);
  const expected = {
    advisorId: ann.advisor.advisorId,
    name: 'ann',
    firmName: 'Test Wealth',
    textingNumber: '+15005552001',
    timeZone: 'America/New_York',
    consentRequired: true,
    consentCollection: true,
    quietHours: 'off',
    environment: 'sandbox',
    scopes: allScopes,
  };
  assert.deepEqual([status, body], [200, expected]);
});

test('a changed setting is there at the next call', async () => {
  const settings = {
    timeZone: 'America/Denver',
    consentRequired: false,
    consentCollection: false,
    quietHours: 'refuse',
  } as const;
  await setAdvisor(world.deps, bob.advisor.advisorId, settings);
  const { timeZone, consentRequired, consentCollection, quietHours } = (await bob.call('GET', path)).body;
  assert.deepEqual({ timeZone, consentRequired, consentCollection, quietHours }, settings);
});

test('without a texting number it is null', async () => {
  const { body } = await (await newcomer(world)).call('GET', path);
  assert.equal(body.textingNumber, null);
});

test('any scope is enough, and the scopes are those of the token, in the documented order', async () => {
  for (const scopes of [['core.content.read'], ['openid'], ['text.messaging.read', 'core.contacts.write']]) {
    const authorization = `Bearer ${await world.token(ann.advisor.advisorId, scopes)}`;
    const { status, body } = await ann.call('GET', path, undefined, { authorization });
    assert.deepEqual([status, body.scopes], [200, allScopes.filter((scope) => scopes.includes(scope))]);
  }
});

test('without either credential it is 401', async () => {
  assertProblem(await ann.call('GET', path, undefined, { authorization: '' }), 'unauthorized');
  assertProblem(await ann.call('GET', path, undefined, { 'x-api-key': '' }), 'unauthorized', /x-api-key/);
});

test('it has no query parameters', async () => {
  assertProblem(await ann.call('GET', `${path}?fields=name`), 'invalid_request', /no query parameters/);
});
