import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { makeSealer } from '../../src/domain/shared/sealing.ts';

const [older, newer] = [randomBytes(32), randomBytes(32)];

test('a sealed secret can be opened again, for its own row and no other', () => {
  const sealer = makeSealer([older]);
  const sealed = sealer.seal('pässword 🔑', 'row/1');
  assert.equal(sealer.open(sealed, 'row/1'), 'pässword 🔑');
  assert.throws(() => sealer.open(sealed, 'row/2'));
  assert.notDeepEqual(sealer.seal('pässword 🔑', 'row/1'), sealed);
});

test('a single changed bit anywhere is noticed', () => {
  const sealer = makeSealer([older]);
  const sealed = sealer.seal('password', 'row/1');
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.throws(() => sealer.open(changed, 'row/1'), `byte ${at}`);
  }
});

test('to replace a key, put a new one in front of it', () => {
  const sealed = makeSealer([older]).seal('password', 'row/1');
  const both = makeSealer([newer, older]);
  assert.equal(both.open(sealed, 'row/1'), 'password');
  assert.equal(makeSealer([newer]).open(both.seal('password', 'row/1'), 'row/1'), 'password');
  assert.throws(
    () => makeSealer([newer]).open(sealed, 'row/1'),
    /doesn’t have the key that this secret was sealed with/,
  );
});

test('without a key no secret can be stored', () => {
  assert.throws(() => makeSealer([]).seal('password', 'row/1'), /CREDENTIALS_KEY is not set/);
});
