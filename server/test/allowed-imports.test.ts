import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowedImports, findCircles, findForbiddenImports } from '../allowed-imports.ts';

test('every import goes where the table of allowed imports says', () => {
  assert.deepEqual(findForbiddenImports(), []);
});

test('no files import one another in a circle', () => {
  assert.deepEqual(findCircles(), []);
});

test('the capabilities of the domain stand on one another without a circle', () => {
  const above = new Set<string>();
  for (const [module, allowed] of Object.entries(allowedImports).filter(([name]) => name.startsWith('domain/'))) {
    const missing = allowed
      .split(' ')
      .filter((each) => each.startsWith('domain/') && each !== module && !above.has(each));
    assert.deepEqual(missing, [], `${module} may only use what stands above it in the table`);
    above.add(module);
  }
});
