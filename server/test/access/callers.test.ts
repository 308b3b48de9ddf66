import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { disableApplication } from '../../src/domain/access/applications.ts';
import { callerFinder } from '../../src/domain/access/callers.ts';
import { signingKeyRing } from '../../src/domain/access/signing-keys.ts';
import { tokenVerifier } from '../../src/domain/access/tokens.ts';
import { Problem } from '../../src/domain/problems.ts';
import { makeSecret } from '../../src/domain/shared/secrets.ts';
import { monotonicTime } from '../support/monotonic-time.ts';
import { makeWorld, type World } from '../support/world.ts';

let world: World;
before(async () => {
  world = await makeWorld();
});
after(() => world.close());

/** Asks with a key of `world`, and returns how many queries that took. */
function asker({ deps, ann, apiKey }: World) {
  const lookUp = mock.fn(deps.db.lookUp);
  const verify = tokenVerifier(deps, signingKeyRing(deps));
  const find = callerFinder({ ...deps, db: { ...deps.db, lookUp } }, verify);
  const asked = () => lookUp.mock.calls.filter(({ arguments: [, , name] }) => name === 'find-caller').length;
  return async (key = apiKey) => {
    const before = asked();
    const found = await find({ accessToken: ann.token, apiKey: key }).catch((error) => error);
    return { queries: asked() - before, isRefused: found instanceof Problem };
  };
}

test('a thousand refused callers are remembered at most, and they push no accepted one out', async (context) => {
  const ask = asker(world);
  const queriesFor = async (key: string) => {
    const { queries, isRefused } = await ask(key);
    assert.equal(isRefused, key !== world.apiKey);
    return queries;
  };
  // A caller is cached for less than a second, and the test takes longer.
  monotonicTime(context);
  assert.equal(await queriesFor(world.apiKey), 1);
  const guesses = Array.from({ length: 1_001 }, () => makeSecret('apiKey', 'sandbox'));
  for (const guess of guesses) assert.equal(await queriesFor(guess), 1);
  assert.equal(await queriesFor(world.apiKey), 0);
  assert.equal(await queriesFor(guesses.at(-1) ?? ''), 0);
  assert.equal(await queriesFor(guesses[0] ?? ''), 1);
});

test('a caller is looked up once in a moment, and refused within a second after their access ended', async (context) => {
  const own = await makeWorld();
  context.after(() => own.close());
  const ask = asker(own);
  const time = monotonicTime(context);
  assert.deepEqual(await ask(), { queries: 1, isRefused: false });
  await disableApplication(own.deps, own.clientId);
  assert.deepEqual(await ask(), { queries: 0, isRefused: false });
  // However the wall clock is set in the meantime.
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() - 3_600_000 });
  time.pass(999);
  assert.deepEqual(await ask(), { queries: 1, isRefused: true });
});
