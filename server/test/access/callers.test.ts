import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { callerFinder } from '../../src/domain/access/callers.ts';
import { Problem } from '../../src/domain/problems.ts';
import { makeSecret } from '../../src/domain/shared/secrets.ts';
import { makeWorld, type World } from '../support/world.ts';

let world: World;
before(async () => {
  world = await makeWorld();
});
after(() => world.close());

test('a thousand refused callers are remembered at most, and they push no accepted one out', async (context) => {
  const { deps, ann, clientId, apiKey } = world;
  const lookUp = mock.fn(deps.db.lookUp);
  const find = callerFinder({ ...deps, db: { ...deps.db, lookUp } }, async () => ({
    client: clientId,
    advisor: String(ann.advisor.advisorId),
    scopes: new Set<string>(),
    expiresAtMs: Number.POSITIVE_INFINITY,
    grantId: null,
    tokenId: null,
    authorizationId: null,
    kid: null,
  }));
  const asked = () => lookUp.mock.calls.filter(({ arguments: [, , name] }) => name === 'find-caller').length;
  const queriesFor = async (key: string) => {
    const before = asked();
    const found = await find({ accessToken: 'token', apiKey: key }).catch((error) => error);
    assert.equal(found instanceof Problem, key !== apiKey);
    return asked() - before;
  };
  // A refusal is cached for half a second, and the test takes longer.
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  assert.equal(await queriesFor(apiKey), 1);
  const guesses = Array.from({ length: 1_001 }, () => makeSecret('apiKey', 'sandbox'));
  for (const guess of guesses) assert.equal(await queriesFor(guess), 1);
  assert.equal(await queriesFor(apiKey), 0);
  assert.equal(await queriesFor(guesses.at(-1) ?? ''), 0);
  assert.equal(await queriesFor(guesses[0] ?? ''), 1);
});
