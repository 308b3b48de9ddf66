import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeFairQueue } from '../../src/domain/shared/fair-queue.ts';

const tooMany = () => new Error('too many');

test('no more than its width are inside, and the others follow in order', async () => {
  const lane = makeFairQueue({ width: 2, tooMany });
  const inside: number[] = [];
  const came: number[] = [];
  const visits = Array.from({ length: 6 }, async (_, index) => {
    const leave = await lane.enter('a');
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

test('one caller can’t fill the queue', async () => {
  const lane = makeFairQueue({ width: 1, tooMany });
  const leave = await lane.enter('a');
  const waiting = Array.from({ length: 200 }, () => lane.enter('a'));
  await assert.rejects(lane.enter('a'), /too many/);
  const other = lane.enter('b');
  leave();
  const done = waiting.map(async (each) => (await each)());
  (await other)();
  await Promise.all(done);
});

test('a caller who waits too long is told to come back, and takes nobody’s turn', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lane = makeFairQueue({ width: 1, tooMany });
  const leave = await lane.enter('a');
  const late = assert.rejects(lane.enter('a'), /too many/);
  // Two turns of the microtasks: until it waits.
  await Promise.resolve();
  t.mock.timers.tick(5_000);
  await late;
  leave();
  (await lane.enter('a'))();
});

test('one caller has no more than its share, and what costs more counts for more', async () => {
  const lane = makeFairQueue({ width: 4, share: 3, tooMany });
  const leaves = [await lane.enter('a', 2), await lane.enter('a')];
  const third = track(lane.enter('a'));
  const other = await lane.enter('b');
  assert.equal(await third.entered(), false);
  leaves[1]?.();
  assert.equal(await third.entered(), true);
  other();
});

test('a cost over the share is the whole share', async () => {
  const lane = makeFairQueue({ width: 4, share: 2, tooMany });
  const leave = await lane.enter('a', 9);
  const second = track(lane.enter('a'));
  assert.equal(await second.entered(), false);
  assert.equal(await track(lane.enter('b', 2)).entered(), true);
  leave();
  assert.equal(await second.entered(), true);
});

test('callers take turns, however many turns one of them waits for', async () => {
  const lane = makeFairQueue({ width: 1, tooMany });
  const leave = await lane.enter('c');
  const order: string[] = [];
  const visit = async (who: string) => {
    const done = await lane.enter(who);
    order.push(who);
    done();
  };
  const visits = [...Array.from({ length: 5 }, () => visit('a')), visit('b')];
  leave();
  await Promise.all(visits);
  assert.deepEqual(order.slice(0, 2), ['a', 'b']);
});

test('a costly turn is not overtaken by cheap ones of others', async () => {
  const lane = makeFairQueue({ width: 2, tooMany });
  const first = await lane.enter('a');
  const costly = track(lane.enter('b', 2));
  const cheap = track(lane.enter('a'));
  assert.equal(await cheap.entered(), false);
  first();
  assert.equal(await costly.entered(), true);
  (await costly.done)();
  assert.equal(await cheap.entered(), true);
});

function track(entering: Promise<() => void>) {
  let entered = false;
  void entering.then(() => {
    entered = true;
  });
  return {
    done: entering,
    async entered(): Promise<boolean> {
      await new Promise((resolve) => setImmediate(resolve));
      return entered;
    },
  };
}
