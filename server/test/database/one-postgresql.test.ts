import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const src = new URL('../../src/', import.meta.url);

test('only the database’s own folder knows that advisors may be on several nodes', () => {
  const nouns = globSync(['store/**/*.ts', 'domain/**/*.ts'], { cwd: src, exclude: ['store/database/**'] });
  // What operators are told of it is of operations.
  const others = nouns.filter((file) => !file.includes('/operations/'));
  const knowing = others.filter((file) => /isDistributed|shard|citus/i.test(readFileSync(new URL(file, src), 'utf8')));
  assert.deepEqual(knowing, []);
  assert.ok(others.length > 200, `${others.length} files`);
});
