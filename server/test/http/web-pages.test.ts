import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { readConfig } from '../../src/config.ts';
import { checkWebBuild } from '../../src/domain/operations/web-build.ts';
import { addWebPages } from '../../src/http/app/web-pages.ts';
import { makeServer } from '../../src/http/door/server.ts';
import { makeLog } from '../../src/log.ts';

suite('a page that isn’t built', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assent-web-pages-'));
  const config = readConfig({ ASSENT_DATA_DIR: folder });
  const app = makeServer({ ...config, log: makeLog('silent') });
  const pages = pathToFileURL(`${folder}/`);
  addWebPages(app, config, pages);
  const note = (state: object) => writeFileSync(join(folder, 'web-build.json'), JSON.stringify(state));
  after(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });
  const show = async (path: string) => {
    const { statusCode, headers, body } = await app.inject(path);
    assert.equal(statusCode, 503);
    return { refresh: headers.refresh, body };
  };

  test('opens by itself while it is being built', async () => {
    note({ building: process.pid });
    for (const path of ['/app', '/console/reviews']) {
      const { refresh, body } = await show(path);
      assert.equal(refresh, '2');
      assert.match(body, /<h1>Almost there<\/h1>/);
    }
    assert.deepEqual(checkWebBuild(config), []);
  });

  test('says why it could not be, and what to do, and promises nothing; so does the doctor', async () => {
    note({ failed: 'Run `npm ci` first, <b>all</b> of it.' });
    const { refresh, body } = await show('/app');
    assert.equal(refresh, undefined);
    assert.match(body, /could not be built<\/h1>\s*<pre>Run `npm ci` first, &lt;b&gt;all&lt;\/b&gt; of it\.<\/pre>/);
    assert.match(body, /Fix that, and run <code>npm start<\/code>/);
    const [finding] = checkWebBuild(config);
    assert.match(finding?.says ?? '', /^\/app.*: Run `npm ci` first/);
    assert.match(finding?.next ?? '', /npm start/);
  });

  test('says how to have it built, if nobody does, or whoever did was killed', async () => {
    for (const state of [{}, { building: 2 ** 30 }]) {
      note(state);
      const { refresh, body } = await show('/console');
      assert.equal(refresh, undefined);
      assert.match(body, /<p>Run <code>npm start<\/code>/);
    }
  });

  test('names in production what builds it there, where npm start doesn’t run; so does the doctor, until it is built', async () => {
    note({});
    const production = readConfig({
      ASSENT_DATA_DIR: folder,
      ASSENT_ENV: 'production',
      PUBLIC_URL: 'https://api.example.com',
      DATABASE_URL: 'postgres://assent@db.example.com/assent',
    });
    const there = makeServer({ ...production, log: makeLog('silent') });
    after(() => there.close());
    addWebPages(there, production, pages);
    const { body } = await there.inject('/console');
    assert.match(body, /<p>Run <code>npm install --include=dev &amp;&amp; npm run build<\/code> in the checkout:/);
    assert.doesNotMatch(body, /npm start|sandbox/);
    const found = () => checkWebBuild(production, pages).map(({ state, next }) => [state, next]);
    const next = 'Run npm install --include=dev && npm run build in the checkout.';
    assert.deepEqual(found(), [['failing', next]]);
    assert.deepEqual(checkWebBuild({ ...production, role: 'work' }, pages), [], 'it shows no pages');
    writeFileSync(join(folder, 'index.html'), '');
    assert.deepEqual(found(), [['ok', null]]);
  });
});
