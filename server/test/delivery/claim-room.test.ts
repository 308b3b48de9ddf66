import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { claimRoom } from '../../src/domain/delivery/claim-room.ts';
import type { Carrier, CarrierStatus } from '../../src/domain/ports.ts';

suite('how many texts are claimed for a carrier', () => {
  const carrierWith = (...windows: number[]): Carrier => ({
    name: 'test',
    check: () => null,
    submit: async () => ({ notTaken: 'test' }),
    listen: () => async () => {},
    status: () => ({ connections: windows.map((window) => ({ window })) }) as CarrierStatus,
  });

  test('without connections: full claims, up to a thousand', () => {
    const { status: _, ...plain } = carrierWith();
    for (const carrier of [plain, carrierWith()]) {
      const room = claimRoom(carrier);
      assert.deepEqual(
        [0, 800, 801, 1_000].map((texts) => room.beside(texts, texts)),
        [200, 200, 0, 0],
      );
      assert.deepEqual(
        [0, 800, 801, 1_000].map((texts) => room.beside(0, texts)),
        [200, 200, 0, 0],
      );
    }
  });

  test('with a window: twice that, and never one at a time', () => {
    const room = claimRoom(carrierWith(5, 5));
    assert.deepEqual(
      [0, 10, 16, 17, 20, 500].map((texts) => room.beside(texts, texts)),
      [20, 10, 4, 0, 0, 0],
    );
  });

  test('texts that have their answer make room, until as many as that wait to be recorded', () => {
    const room = claimRoom(carrierWith(5, 5));
    assert.deepEqual(
      [20, 30, 36, 37, 40].map((texts) => room.beside(0, texts)),
      [20, 10, 4, 0, 0],
    );
    assert.deepEqual([room.beside(16, 30), room.beside(17, 30)], [4, 0]);
  });

  test('more for a carrier that answers fast, and no longer once it doesn’t', () => {
    let now = 0;
    const room = claimRoom(carrierWith(10), () => now);
    for (let answer = 0; answer < 150; answer++) room.answered();
    assert.equal(room.beside(0, 0), 150);
    now += 250;
    assert.equal(room.beside(0, 0), 150, 'the turn before counts');
    now += 500;
    assert.equal(room.beside(0, 0), 20);
  });
});
