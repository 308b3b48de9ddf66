import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { makeWorld, type World } from '../support/world.ts';

suite('the reference page', () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.close());

  const get = (url: string, headers: Record<string, string> = {}) => world.app.inject({ method: 'GET', url, headers });

  test('allows scripts and calls of this server alone, and no evaluated code', async () => {
    const { statusCode, headers, payload } = await get('/docs');
    assert.equal(statusCode, 200);
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /default-src 'none'.*script-src 'self'; connect-src 'self'/);
    assert.doesNotMatch(policy, /unsafe-eval|script-src[^;]*unsafe-inline|https?:/);
    assert.doesNotMatch(payload, /<script(?! src="\/)|<style|\son\w+=|https?:\/\//);
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
