import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { makeWorld, type World } from '../support/world.ts';

suite('the reference page', () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.close());

  const get = (url: string, headers: Record<string, string> = {}) => world.app.inject({ method: 'GET', url, headers });

  test('allows scripts and calls of this server alone, and no evaluated code', async () => {
    const { statusCode, headers, payload } = await get('/docs/reference');
    assert.equal(statusCode, 200);
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /default-src 'none'.*script-src 'self'; connect-src 'self'/);
    assert.doesNotMatch(policy, /unsafe-eval|script-src[^;]*unsafe-inline|https?:/);
    assert.doesNotMatch(payload, /<script(?! src="\/)|<style|\son\w+=|https?:\/\//);
  });

  test('every page of the sandbox has its badge, one navigation, and a policy without exceptions', async () => {
    const names = ['Home', 'Guides', 'Reference', 'Phones', 'Webhooks', 'Log'];
    const asked = {
      '/': 'Home',
      '/sign-in': null,
      '/handset': 'Phones',
      '/handset/+15005550006': 'Phones',
      '/x': null,
    };
    for (const [url, current] of Object.entries(asked)) {
      const { headers, payload } = await get(url, { accept: 'text/html', host: 'localhost' });
      assert.match(payload, /<span class="badge">SANDBOX<\/span>/, url);
      const [, navigation = ''] = /<div class="sections">(.*)<\/div>/.exec(payload) ?? [];
      const links = [...navigation.matchAll(/<a [^>]*?( aria-current="page")?>(\w+)<\/a>/g)];
      assert.deepEqual(
        links.map(([, , name]) => name),
        names,
        url,
      );
      assert.equal(links.find(([, isCurrent]) => isCurrent)?.[2] ?? null, current, url);
      assert.doesNotMatch(String(headers['content-security-policy']), /unsafe|https?:|\*/, url);
      assert.doesNotMatch(payload, /<style|\sstyle=|\son\w+=/, url);
    }
  });

  test('fonts, styles and scripts come from here, compressed, at addresses that browsers may keep', async () => {
    const { payload } = await get('/handset/+15005550006', { host: 'localhost' });
    const paths = [...payload.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
    assert.deepEqual(
      paths.map((path) => path.replace(/\.\w{10}\./, '.')),
      ['/assets/inter-latin-wght-normal.woff2', '/assets/style.css', '/assets/handsets.css', '/assets/handsets.js'],
    );
    for (const path of paths) {
      const packed = await get(path, { 'accept-encoding': 'gzip, br', host: 'localhost' });
      assert.equal(packed.headers['cache-control'], 'public, max-age=31536000, immutable');
      const isFont = path.endsWith('.woff2');
      assert.equal(packed.headers['content-encoding'], isFont ? undefined : 'br');
      const plain = await get(path, { host: 'localhost' });
      const unpacked = isFont ? packed.rawPayload : brotliDecompressSync(packed.rawPayload);
      assert.ok(unpacked.equals(plain.rawPayload), path);
    }
  });

  test('every guide is a page and Markdown, by the same policy, and every link in it leads somewhere', async () => {
    const pages = new Map<string, string>();
    const files = globSync('**/*.md', { cwd: new URL('../../../docs/', import.meta.url).pathname });
    const paths = files.map((file) => `/docs/${file}`.replace(/\/README\.md$|\.md$/, ''));
    for (const path of paths) {
      const { statusCode, headers, payload } = await get(path, { accept: 'text/html' });
      assert.equal(statusCode, 200, path);
      assert.doesNotMatch(String(headers['content-security-policy']), /unsafe|https?:|\*/, path);
      assert.doesNotMatch(payload, /<style|\sstyle=|\son\w+=|(src|<link [^>]*href)="https?:/, path);
      pages.set(path, payload);
      const markdown = await get(`${path}.md`);
      assert.match(String(markdown.headers['content-type']), /^text\/markdown/, path);
      assert.match(markdown.payload, /^# /, path);
    }
    const others = new Set(['/', '/docs/reference', '/openapi.json', '/handset', '/webhooks', '/log']);
    for (const [path, payload] of pages)
      for (const [, href = ''] of payload.matchAll(/<a [^>]*href="([/#][^"]*)"/g)) {
        const [target = '', anchor] = href.replace(/\.md$/, '').split('#');
        if (others.has(target)) continue;
        const there = pages.get(target || path);
        assert.ok(there && (!anchor || there.includes(` id="${anchor}"`)), `${path}: ${href}`);
      }
    const { payload: llms } = await get('/llms.txt');
    const listed = [...llms.matchAll(/\]\(http:\/\/localhost:\d+(\/docs\/[^)]+)\.md\)/g)].map(([, path = '']) => path);
    assert.ok(listed.length > 20 && listed.every((path) => pages.has(path)), llms);
  });

  test('a guide is compressed, and a browser that has it is told that it is still right', async () => {
    const plain = await get('/docs');
    const packed = await get('/docs', { 'accept-encoding': 'br' });
    assert.equal(brotliDecompressSync(packed.rawPayload).toString(), plain.payload);
    assert.equal((await get('/docs', { 'if-none-match': String(plain.headers.etag) })).statusCode, 304);
  });

  test('its script is compressed for whoever can read that, and the same for others', async () => {
    const zipped = await get('/docs/scalar.js', { 'accept-encoding': 'gzip, deflate' });
    assert.equal(zipped.headers['content-encoding'], 'gzip');
    const plain = await get('/docs/scalar.js');
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.ok(gunzipSync(zipped.rawPayload).equals(plain.rawPayload));
    assert.match(String(plain.headers['content-type']), /^text\/javascript/);
    assert.match(plain.payload, /createApiReference/);
  });

  test('a browser that has the script is told that it is still right', async () => {
    const { headers } = await get('/docs/scalar.js');
    assert.equal(headers['cache-control'], 'no-cache');
    const again = await get('/docs/scalar.js', { 'if-none-match': String(headers.etag) });
    assert.deepEqual([again.statusCode, again.payload], [304, '']);
    assert.equal((await get('/docs/scalar.js', { 'if-none-match': '"another"' })).statusCode, 200);
  });
});
