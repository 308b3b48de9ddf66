import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrows, findCircles, findForbiddenArrows } from '../arrows.ts';

test('every import goes where the table of arrows allows', () => {
  assert.deepEqual(findForbiddenArrows(), []);
});

test('no files import one another in a circle', () => {
  assert.deepEqual(findCircles(), []);
});

test('the capabilities of the domain stand on one another without a circle', () => {
  const above = new Set<string>();
  for (const [room, allowed] of Object.entries(arrows).filter(([name]) => name.startsWith('domain/'))) {
    const missing = allowed
      .split(' ')
      .filter((each) => each.startsWith('domain/') && each !== room && !above.has(each));
    assert.deepEqual(missing, [], `${room} may only use what stands above it in the table`);
    above.add(room);
  }
});
