import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const reference = readFileSync(new URL('../../../docs/reference/oauth.md', import.meta.url), 'utf8');

test('every test that docs/reference/oauth.md names exists', () => {
  const rows = [...reference.matchAll(/^\| [^|]+ \| `([\w./-]+\.test\.ts)` \| (.+) \|$/gm)];
  assert.ok(rows.length > 40);
  const missing = rows.flatMap(([, file = '', tests = '']) => {
    const source = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
    return [...tests.matchAll(/“([^”]+)”/g)]
      .filter(([, name = '']) => !source.includes(name))
      .map(([quoted]) => `${file}: ${quoted}`);
  });
  assert.deepEqual(missing, []);
});
