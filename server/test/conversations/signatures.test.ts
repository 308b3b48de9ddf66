import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeAdvisorApp } from '../support/advisor-app.ts';
import { acceptedPhone, received, send } from '../support/texting.ts';

test('a signature is kept for the app, and never added to what a partner sends', async (t) => {
  const pages = await makeAdvisorApp();
  t.after(() => pages.close());
  const { world } = pages;
  const { visitor: ann, formToken } = await pages.signedIn();
  const session = async () => (await ann.get('/app/api/session')).body;
  const set = async (text: string) =>
    (await ann.call('PUT', '/app/api/signature', { body: { text }, headers: { 'x-form-token': formToken } })).status;
  assert.equal((await session()).signature, null);
  assert.equal(await set(' – Ann, (212) 555-0100\n'), 204);
  assert.equal((await session()).signature, '– Ann, (212) 555-0100');
  for (const text of ['x'.repeat(161), 'Ann\0']) assert.equal(await set(text), 400);
  const phone = await acceptedPhone(world, world.ann);
  await send(world.ann, { phone, text: 'Hello' });
  assert.deepEqual(
    (await received(world, phone)).map(({ text }) => text),
    ['Hello'],
  );
  assert.equal(await set(''), 204);
  assert.equal((await session()).signature, null);
});
