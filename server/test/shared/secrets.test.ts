import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { hashSecret, makeSecret, matchesHash, readSecret } from '../../src/domain/shared/secrets.ts';

suite('ids, secrets and keys that we issue', () => {
  test('say what they are and for which environment', () => {
    assert.match(makeSecret('apiKey', 'sandbox'), /^ak_sandbox_[0-9a-z]{43}$/);
    assert.match(makeSecret('clientId', 'production'), /^app_production_[0-9a-z]{43}$/);
    assert.match(makeSecret('clientSecret', 'sandbox'), /^cs_sandbox_[0-9a-z]{43}$/);
  });

  test('are never the same twice', () => {
    assert.equal(new Set(Array.from({ length: 1_000 }, () => makeSecret('apiKey', 'sandbox'))).size, 1_000);
  });

  test('are recognized as ours, and as a different environment’s', () => {
    const key = makeSecret('apiKey', 'sandbox');
    assert.equal(readSecret('apiKey', 'sandbox', key), 'possible');
    assert.equal(readSecret('apiKey', 'production', key), 'other_environment');
    assert.equal(readSecret('clientSecret', 'sandbox', key), 'malformed');
  });

  test('with one typo, or two characters swapped, are recognized as malformed', () => {
    const key = makeSecret('apiKey', 'sandbox');
    const start = 'ak_sandbox_'.length;
    for (let at = start; at < key.length; at++) {
      const other = key[at] === 'x' ? 'y' : 'x';
      assert.equal(readSecret('apiKey', 'sandbox', key.slice(0, at) + other + key.slice(at + 1)), 'malformed');
      const swapped = key.slice(0, at - 1) + key[at] + key[at - 1] + key.slice(at + 1);
      if (at > start && key[at] !== key[at - 1]) assert.equal(readSecret('apiKey', 'sandbox', swapped), 'malformed');
    }
    for (const given of ['', key.slice(0, -1), `${key}a`, ` ${key}`, `${key}\n`, key.toUpperCase()])
      assert.equal(readSecret('apiKey', 'sandbox', given), 'malformed');
  });

  test('can’t be moved to another environment, because the checksum gives it away', () => {
    const key = makeSecret('apiKey', 'sandbox').replace('sandbox', 'production');
    assert.equal(readSecret('apiKey', 'production', key), 'malformed');
  });

  test('match their own hash and no other', () => {
    const secret = makeSecret('clientSecret', 'sandbox');
    assert.ok(matchesHash(secret, hashSecret(secret)));
    assert.ok(!matchesHash(`${secret}x`, hashSecret(secret)));
    assert.ok(!matchesHash('', hashSecret(secret)));
    assert.equal(hashSecret(secret).length, 32);
  });
});
