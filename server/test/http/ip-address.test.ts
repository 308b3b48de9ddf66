import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type AdvisorApp, makeAdvisorApp, password } from '../support/advisor-app.ts';

let pages: AdvisorApp;
before(async () => {
  pages = await makeAdvisorApp({ PUBLIC_URL: 'http://127.0.0.1:8099' });
});
after(() => pages.close());

test('at an IP address, where passkeys can’t work, the pages don’t offer to add or use one', async () => {
  const visitor = pages.visitor();
  const { body, headers } = await visitor.get('/sign-in');
  assert.doesNotMatch(body, /passkey|<script/);
  assert.doesNotMatch(headers['content-security-policy'] ?? '', /script-src/);
  await visitor.signIn('ann@test.example', password);
  assert.doesNotMatch((await visitor.get('/passkeys')).body, /Add a passkey|<script/);
});
