import assert from 'node:assert/strict';
import { after, afterEach, before, mock, test } from 'node:test';
import { DatabaseTimeout, DatabaseUnavailable } from '../../src/store/database/errors.ts';
import { type AdvisorApp, makeAdvisorApp, password } from '../support/advisor-app.ts';
import type { Visitor } from '../support/visitor.ts';

let pages: AdvisorApp;
let visitor: Visitor;
before(async () => {
  pages = await makeAdvisorApp();
  visitor = pages.visitor();
  await visitor.signIn('ann@test.example', password);
  await visitor.get('/connected-apps');
});
after(() => pages.close());
afterEach(() => mock.restoreAll());

function failWith(error: Error): void {
  mock.method(pages.world.database.pool, 'query', async () => {
    throw error;
  });
}

test('without the database the pages say to wait a moment and reload', async () => {
  for (const error of [new DatabaseUnavailable('gone'), new DatabaseTimeout('slow')]) {
    failWith(error);
    for (const answer of [await visitor.get('/connected-apps'), await visitor.post('/sign-out')]) {
      assert.equal(answer.status, 503);
      assert.equal(answer.headers['retry-after'], '1');
      assert.match(answer.headers['content-type'] ?? '', /^text\/html/);
      assert.match(answer.body, /Wait a moment, then reload the page\./);
    }
    mock.restoreAll();
  }
  assert.equal((await visitor.get('/connected-apps')).status, 200, 'the session still exists');
});

test('an internal error is a page with the trace id and nothing about the error', async () => {
  failWith(new Error('an internal secret'));
  const { status, body, headers } = await visitor.get('/connected-apps');
  assert.equal(status, 500);
  assert.match(body, /Something went wrong/);
  assert.ok(body.includes(`<code>${headers['x-trace-id']}</code>`));
  assert.doesNotMatch(body, /secret/);
});
