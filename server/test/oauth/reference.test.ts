import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const rules = readFileSync(new URL('rules.md', import.meta.url), 'utf8');

test('every test that rules.md names exists', () => {
  const lines = [...rules.matchAll(/^.*`([\w./-]+\.test\.ts)`(.+)$/gm)];
  const named = lines.flatMap(([, file = '', tests = '']) =>
    [...tests.matchAll(/“([^”]+)”/g)].map(([, name = '']) => ({ file, name })),
  );
  assert.ok(named.length >= 16);
  const missing = named.filter(
    ({ file, name }) => !readFileSync(new URL(`../${file}`, import.meta.url), 'utf8').includes(name),
  );
  assert.deepEqual(missing, []);
});
