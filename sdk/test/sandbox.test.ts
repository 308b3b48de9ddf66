// The client against a server of ours, over HTTP.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { handset, newPhone } from '../../server/test/support/texting.ts';
import { makeWorld } from '../../server/test/support/world.ts';
import { Assent, AssentError, type ConsentFlowState } from '../src/index.ts';

const world = await makeWorld();
after(() => world.close());
const baseUrl = `${await world.app.listen({ host: '127.0.0.1', port: 0 })}/v1`;
const assent = new Assent({ baseUrl, apiKey: world.apiKey, token: world.ann.token });
const accepts = '+15005550010';
const stops = '+15005550011';

test('the account says who it is', async () => {
  const { advisorId, scopes } = await assent.account.get();
  assert.equal(advisorId, world.ann.advisor.advisorId);
  assert.ok(scopes.includes('text.messaging.write'));
});

test('a problem is an error with its code, its trace and the broken rule', async () => {
  const error = await assent.messages.send({ phone: '12', text: 'Hello' }).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof AssentError);
  assert.deepEqual([error.code, error.status, error.retryable], ['invalid_request', 400, false]);
  assert.match(error.traceId ?? '', /^[0-9a-f]{32}$/);
  assert.equal((error.details as { path: string }[])[0]?.path, '/phone');
});

test('contacts are made, found page by page, changed and deleted', async () => {
  const ids = [];
  for (const firstName of ['Ada', 'Bea', 'Cy'])
    ids.push((await assent.contacts.create({ firstName, lastName: 'Pages' })).id);
  const names: string[] = [];
  for await (const { firstName } of assent.contacts.list({ search: 'pages', pageSize: 2 })) names.push(firstName ?? '');
  assert.deepEqual(names, ['Ada', 'Bea', 'Cy']);
  const changes = assent.contacts.changes();
  for await (const _ of changes);
  await assent.contacts.update(ids[0] ?? 0, { nickname: 'A' });
  await assent.contacts.delete(ids[1] ?? 0);
  const since: string[] = [];
  for await (const { contactId, change } of assent.contacts.changes({ cursor: changes.cursor }))
    since.push(`${contactId} ${change}`);
  assert.deepEqual(since, [`${ids[0]} updated`, `${ids[1]} deleted`]);
});

test('the flow asks, waits and sends once, with one key for both sends', async () => {
  const states: ConsentFlowState[] = [];
  const sent = await assent.messages.sendWithConsent(
    { phone: accepts, text: 'Once, after you agreed' },
    { poll: true, onState: (state) => void states.push({ ...state }) },
  );
  assert.equal(sent.successes.length, 1);
  // The same flow again, as after a crash before its end was stored: the server repeats its answer.
  const again = await assent.messages.sendWithConsent(
    { phone: accepts, text: 'Once, after you agreed' },
    { poll: true, state: states.at(-1) },
  );
  assert.deepEqual(again.successes[0]?.messageId, sent.successes[0]?.messageId);
});

test('a flow that ended before its request arrived asks after all, with a key of any length', async () => {
  const phone = '+15005550016';
  const state = { idempotencyKey: 'k'.repeat(255), askedAt: Date.now() - 1_000 };
  await assent.messages.sendWithConsent({ phone, text: 'Hello' }, { poll: true, state });
  assert.equal((await assent.consents.get({ phone })).state, 'opted_out', 'they were asked, and answered');
});

test('somebody who opted out is never asked', async () => {
  await assent.messages.sendWithConsent({ phone: stops, text: 'Hello' }, { poll: true });
  const refused = await assent.messages.sendWithConsent({ phone: stops, text: 'Hello' }, { poll: true });
  assert.equal(refused.failureDetails[0]?.code, 'opted_out');
  const texts = (await handset(world, stops)).map(({ text }) => text);
  assert.equal(texts.filter((text) => text === texts[0]).length, 1, 'the consent request went out once');
});

test('without polling, the server keeps the text until they agree', async () => {
  const phone = newPhone();
  const { successes } = await assent.messages.sendWithConsent({ phone, text: 'Hello' });
  assert.equal(successes[0]?.status, 'awaiting_consent');
});

test('waiting for a consent gives a state at once that isn’t pending, and ends in time', async () => {
  const phone = newPhone();
  await assent.messages.send({ phone, text: 'Hello' });
  assert.equal((await assent.consents.waitFor({ phone })).state, 'none');
  await assent.consents.request({ phoneNumbers: [phone] });
  await assert.rejects(assent.consents.waitFor({ phone }, { within: 50 }), { code: 'timeout', status: 0 });
});
