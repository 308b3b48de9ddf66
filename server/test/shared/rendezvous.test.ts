import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { makeRendezvous } from '../../src/domain/shared/signals.ts';

const longMs = 60_000;

/** A write that ends when the test says so. */
function writer() {
  const written: (string | null)[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const write = (item: string | null) => {
    written.push(item);
    return promise;
  };
  return { written, write, end: resolve, fail: reject };
}

suite('something that waits for its counterpart', () => {
  test('is written with it at once, and both know when that is done', async () => {
    const meetings = makeRendezvous<string>();
    const { written, write, end } = writer();
    const met = meetings.meet('a', longMs, write);
    const brought = meetings.bring('a', 'receipt');
    await new Promise(setImmediate);
    assert.deepEqual(written, ['receipt']);
    end(true);
    assert.equal(await brought, true);
    await met;
    assert.equal(await meetings.bring('a', 'another'), false, 'nothing waits any more');
  });

  test('is written without it after a while', async () => {
    const meetings = makeRendezvous<string>();
    const { written, write, end } = writer();
    end(true);
    await meetings.meet('a', 1, write);
    assert.deepEqual(written, [null]);
  });

  test('doesn’t wait for anything else, nor for a second one', async () => {
    const meetings = makeRendezvous<string>();
    const { written, write, end } = writer();
    const met = meetings.meet('a', longMs, write);
    assert.equal(await meetings.bring('b', 'of another'), false);
    const first = meetings.bring('a', 'first');
    const second = meetings.bring('a', 'second');
    end(true);
    assert.deepEqual([await first, await second], [true, false]);
    await met;
    assert.deepEqual(written, ['first']);
  });

  test('that is being written comes before its counterpart', async () => {
    const meetings = makeRendezvous<string>();
    const { written, write, end } = writer();
    const met = meetings.meet('a', 1, write);
    while (written.length === 0) await new Promise(setImmediate);
    let isOver = false;
    const brought = meetings.bring('a', 'late').finally(() => {
      isOver = true;
    });
    await new Promise(setImmediate);
    assert.equal(isOver, false);
    end(true);
    assert.equal(await brought, false, 'it was not written with it');
    await met;
  });

  for (const [how, fails] of [
    ['gives up', (writing: ReturnType<typeof writer>) => writing.end(false)],
    ['fails', (writing: ReturnType<typeof writer>) => writing.fail(new Error('no database'))],
  ] as const)
    test(`and ${how}: its counterpart is not written either`, async () => {
      const meetings = makeRendezvous<string>();
      const writing = writer();
      const met = meetings.meet('a', longMs, writing.write).catch(() => {});
      const brought = meetings.bring('a', 'receipt');
      fails(writing);
      assert.equal(await brought, false);
      await met;
    });
});
