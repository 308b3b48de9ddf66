import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { fuzz } from '../../fuzz/fuzz.ts';
import { nearText } from '../../fuzz/values.ts';
import { rounds } from '../support/rounds.ts';
import { makeWorld, type World } from '../support/world.ts';

const requests = rounds(400);
const seed = 20_261_115;
let world: World;

before(async () => {
  world = await makeWorld();
});
after(async () => {
  await world.close();
});

test('requests generated from the OpenAPI document, valid and almost valid, are answered as documented', async () => {
  const { counts, failure } = await fuzz(world, { requests, seed });
  assert.equal(failure, undefined, `${failure}\n\nTo reproduce: npm run fuzz -- --requests ${requests} --seed ${seed}`);
  const answered = new Set([...counts.values()].flatMap((kinds) => [...kinds.keys()]));
  for (const kind of ['200', '204', '400 invalid_request', '404 not_found', '415 unsupported_media_type'])
    assert.ok(answered.has(kind), `no request was answered ${kind}: the requests don't cover enough`);
});

test('any value can be written into a path or a query, also an object with a field called toString', () => {
  const texts = fc.sample(nearText({ type: 'integer' }), { seed: 75, numRuns: rounds(50_000) });
  assert.ok(texts.some((text) => /"toString":/.test(text)));
  for (const text of texts) assert.equal(typeof text, 'string');
});
