import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeLane } from '../../src/http/door/lane.ts';

test('no more than its width are inside, and the others follow in order', async () => {
  const lane = makeLane(2);
  const inside: number[] = [];
  const came: number[] = [];
  const visits = Array.from({ length: 6 }, async (_, index) => {
    const leave = await lane.enter('203.0.113.1');
    came.push(index);
    inside.push(inside.length + 1);
    assert.ok(inside.length <= 2);
    await new Promise((resolve) => setImmediate(resolve));
    inside.pop();
    leave();
    leave();
  });
  await Promise.all(visits);
  assert.deepEqual(came, [0, 1, 2, 3, 4, 5]);
});

test('one address can’t fill the queue', async () => {
  const lane = makeLane(1);
  const leave = await lane.enter('203.0.113.1');
  const waiting = Array.from({ length: 200 }, () => lane.enter('203.0.113.1'));
  await assert.rejects(lane.enter('203.0.113.1'), { code: 'downstream_unavailable' });
  const other = lane.enter('203.0.113.2');
  leave();
  for (const each of waiting) (await each)();
  (await other)();
});

test('a caller who waits too long is told to come back, and takes nobody’s turn', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lane = makeLane(1);
  const leave = await lane.enter('203.0.113.1');
  const late = assert.rejects(lane.enter('203.0.113.1'), { code: 'downstream_unavailable' });
  t.mock.timers.tick(5_000);
  await late;
  leave();
  (await lane.enter('203.0.113.1'))();
});
