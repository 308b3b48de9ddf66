import assert from 'node:assert/strict';
import { after, afterEach, before, mock, test } from 'node:test';
import { DatabaseTimeout, DatabaseUnavailable } from '../../src/store/database/errors.ts';
import { type AdvisorApp, makeAdvisorApp, password } from '../support/advisor-app.ts';
import { assertProblem } from '../support/problem.ts';
import type { Visitor } from '../support/visitor.ts';
import { type Answer, inject } from '../support/world.ts';

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

const asBrowser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

function ask(url: string, headers: Record<string, string>, method: 'GET' | 'POST' = 'GET'): Promise<Answer> {
  return inject(pages.app, { method, url, headers });
}

test('a browser that opens an unknown path outside the API gets a page with status 404 and a link home', async () => {
  for (const url of ['/nothing', '/docs/nothing', '/oauth', '/OAuth/Token', '/nothing?x=%zz', '/value']) {
    const { status, headers, body } = await ask(url, asBrowser);
    assert.equal(status, 404, url);
    assert.match(headers['content-type'] ?? '', /^text\/html/, url);
    assert.match(headers['content-security-policy'] ?? '', /default-src 'none'/);
    assert.match(body, /<h1>Page not found<\/h1>[\s\S]*<a class="button" href="\/">Home page<\/a>/, url);
  }
  assert.equal((await ask('/', asBrowser)).status, 200);
});

test('the page says what else is wrong with the path, and has Allow', async () => {
  const wrongMethod = await ask('/oauth/token', asBrowser);
  assert.equal(wrongMethod.headers.allow, 'POST');
  assert.match(wrongMethod.body, /This path has no GET, only POST\./);
  assert.match((await ask('/problems/', asBrowser)).body, /the path ends with a slash\. Remove the slash\./);
  assert.match((await ask('/core/contact/contacts', asBrowser)).body, /the path must begin with \/v1\./);
  assert.match((await ask('/nothing', asBrowser, 'POST')).body, /Check the address for typos/);
});

test('programs get the problem, and so does a browser under /v1', async () => {
  for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0', 'text/html;q=0.0'])
    assertProblem(await ask('/nothing', { accept }), 'not_found', /no such route/);
  for (const url of ['/v1', '/v1/nothing', '/v1/core/contact/contacts/', '/v1?x'])
    assertProblem(await ask(url, asBrowser), 'not_found');
});

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
