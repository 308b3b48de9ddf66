import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { claimRoom } from '../../src/domain/delivery/in-flight.ts';
import type { Carrier } from '../../src/domain/ports.ts';

suite('how many texts are claimed for a carrier', () => {
  const carrier: Carrier = {
    name: 'test',
    check: () => null,
    submit: async () => ({ notTaken: 'test' }),
    listen: () => async () => {},
  };

  test('without connections: full claims, up to a thousand texts', () => {
    const room = claimRoom(carrier);
    assert.deepEqual(
      [0, 800, 801, 1_000].map((texts) => room.beside(texts, texts)),
      [200, 200, 199, 0],
    );
  });

  test('with connections: what they can begin now, and no more than a full claim', () => {
    const rooms = [0, 1, 150, 2_000];
    const claimable = rooms.map((count) => claimRoom({ ...carrier, room: () => count }).beside(0, 0));
    assert.deepEqual(claimable, [0, 1, 150, 200]);
  });

  test('a little room waits a moment for more, but not longer', () => {
    let now = 0;
    const room = claimRoom({ ...carrier, room: () => 2 }, () => now);
    assert.equal(room.beside(10, 10), 2, 'a fifth of what is there');
    assert.equal(room.beside(11, 11), 0);
    now += 49;
    assert.equal(room.beside(11, 11), 0);
    now += 1;
    assert.equal(room.beside(11, 11), 2);
  });

  test('texts that wait to be recorded stop new claims', () => {
    const room = claimRoom(carrier);
    assert.deepEqual([room.beside(0, 499), room.beside(0, 500)], [200, 0]);
  });
});
