import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type AdvisorApp, makeAdvisorApp } from '../support/advisor-app.ts';
import { givePassword } from '../support/oauth-client.ts';
import type { Visit } from '../support/visitor.ts';

const path = '/app/api/saved-replies';
let pages: AdvisorApp;
let ann: (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => Promise<Visit>;
let bob: typeof ann;

before(async () => {
  pages = await makeAdvisorApp();
  const { world } = pages;
  await givePassword(world, world.bob);
  [ann, bob] = [await caller(world.ann.advisor.email), await caller(world.bob.advisor.email)];
});
after(() => pages.close());

async function caller(email: string): Promise<typeof ann> {
  const { visitor, formToken } = await pages.signedIn(email);
  return (method, path, body) => visitor.call(method, path, { body, headers: { 'x-form-token': formToken } });
}

suite('saved replies', () => {
  test('are kept, changed and deleted, by title, and are the advisor’s own', async () => {
    const one = await ann('POST', path, { title: '  Thanks ', text: 'Thank you, {firstName|there}!' });
    assert.equal(one.status, 200, JSON.stringify(one.body));
    const other = await ann('POST', path, { title: 'callback', text: 'I’ll call you, {nickname}.' });
    assert.deepEqual((await ann('GET', path)).body.data, [
      { savedReplyId: other.body.id, title: 'callback', text: 'I’ll call you, {nickname}.' },
      { savedReplyId: one.body.id, title: 'Thanks', text: 'Thank you, {firstName|there}!' },
    ]);
    assert.deepEqual((await bob('GET', path)).body.data, []);
    const changed = { title: 'A thank you', text: 'Thanks!' };
    assert.equal((await bob('PUT', `${path}/${one.body.id}`, changed)).status, 404);
    assert.equal((await bob('DELETE', `${path}/${one.body.id}`)).status, 404);
    assert.equal((await ann('PUT', `${path}/${one.body.id}`, changed)).status, 204);
    assert.equal((await ann('DELETE', `${path}/${other.body.id}`)).status, 204);
    assert.deepEqual((await ann('GET', path)).body.data, [{ savedReplyId: one.body.id, ...changed }]);
  });

  test('have a title and a text that could be sent', async () => {
    for (const body of [
      { title: ' ', text: 'Hello' },
      { title: 'x'.repeat(81), text: 'Hello' },
      { title: 'a\0', text: 'Hello' },
      { title: 'Hello', text: '  ' },
      { title: 'Hello', text: 'x'.repeat(1_601) },
    ])
      assert.equal((await ann('POST', path, body)).status, 400, JSON.stringify(body));
  });

  test('are told to the advisor’s other browsers and to no partner', async () => {
    const { world } = pages;
    const events = await world.database.asOwner(
      `select distinct type from events where advisor_id = ${world.ann.advisor.advisorId}`,
    );
    assert.deepEqual(events, [{ type: 'saved_replies.changed' }]);
    assert.deepEqual((await world.ann.call('GET', '/text/messaging/events')).body.data, []);
  });

  test('are at most 200', async () => {
    const { advisorId } = pages.world.bob.advisor;
    await pages.world.database.asOwner(
      `insert into saved_replies (advisor_id, title, text) select ${advisorId}, n, 'Hello' from generate_series(1, 198) n`,
    );
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => bob('POST', path, { title: 'One more', text: 'Hello' })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 409, 409, 409]);
    assert.equal((await bob('GET', path)).body.data.length, 200);
  });
});
