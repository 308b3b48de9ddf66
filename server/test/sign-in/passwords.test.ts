import assert from 'node:assert/strict';
import { argon2Sync } from 'node:crypto';
import { test } from 'node:test';
import { hashPassword, verifyPassword } from '../../src/domain/sign-in/passwords.ts';

test('a hash matches its password and no other', async () => {
  const hash = await hashPassword('pässword');
  assert.equal(await verifyPassword('pässword', hash), true);
  assert.equal(await verifyPassword('passwort', hash), false);
  assert.equal(await verifyPassword('', hash), false);
});

test('a letter is the same however the keyboard composes it', async () => {
  const hash = await hashPassword('p\u00e4ss');
  assert.equal(await verifyPassword('pa\u0308ss', hash), true);
});

test('two hashes of one password differ', async () => {
  assert.notEqual(await hashPassword('same'), await hashPassword('same'));
});

test('the cost is read from the hash, so that a hash from before a change of cost still works', async () => {
  const nonce = Buffer.from('a salt of 16 byt');
  const cheap = { message: 'old', nonce, memory: 64, passes: 1, parallelism: 2, tagLength: 16 };
  const tag = argon2Sync('argon2id', cheap).toString('base64').replace(/=+$/, '');
  const hash = `$argon2id$v=19$m=64,t=1,p=2$${nonce.toString('base64').replace(/=+$/, '')}$${tag}`;
  assert.equal(await verifyPassword('old', hash), true);
  assert.equal(await verifyPassword('new', hash), false);
});

test('without a hash every password is wrong', async () => {
  assert.equal(await verifyPassword('', null), false);
  assert.equal(await verifyPassword('anything', null), false);
});

test('a stored hash that is something else is an error, not a wrong password', async () => {
  await assert.rejects(verifyPassword('x', '$2b$12$abcdefghijklmnopqrstuv'), /argon2id/);
});
