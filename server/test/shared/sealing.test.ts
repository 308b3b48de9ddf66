import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { makeSealer } from '../../src/domain/shared/sealing.ts';

const [older, newer] = [randomBytes(32), randomBytes(32)];

test('what is sealed opens again, for what it was sealed for and nothing else', () => {
  const sealer = makeSealer([older]);
  const sealed = sealer.seal('pässword 🔑', 'row/1');
  assert.equal(sealer.open(sealed, 'row/1'), 'pässword 🔑');
  assert.throws(() => sealer.open(sealed, 'row/2'));
  assert.notDeepEqual(sealer.seal('pässword 🔑', 'row/1'), sealed);
});

test('one bit that changed anywhere is noticed', () => {
  const sealer = makeSealer([older]);
  const sealed = sealer.seal('password', 'row/1');
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.throws(() => sealer.open(changed, 'row/1'), `byte ${at}`);
  }
});

test('a key is replaced by putting another before it', () => {
  const sealed = makeSealer([older]).seal('password', 'row/1');
  const both = makeSealer([newer, older]);
  assert.equal(both.open(sealed, 'row/1'), 'password');
  assert.equal(makeSealer([newer]).open(both.seal('password', 'row/1'), 'row/1'), 'password');
  assert.throws(
    () => makeSealer([newer]).open(sealed, 'row/1'),
    /doesn’t have the key that this secret was sealed with/,
  );
});

test('without a key no secret is kept', () => {
  assert.throws(() => makeSealer([]).seal('password', 'row/1'), /CREDENTIALS_KEY is not set/);
});
