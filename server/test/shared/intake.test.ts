import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeIntake } from '../../src/domain/shared/signals.ts';
import { DatabaseBusy } from '../../src/store/database/errors.ts';

const busy = () => Promise.reject(new DatabaseBusy());

test('a fault of the database stops texts for a moment, and is to be seen until something gets through', async (t) => {
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  const intake = makeIntake();
  assert.equal(intake.isBehind(), false);
  assert.equal(intake.isFailing(), false);
  await assert.rejects(intake.take(busy));
  assert.deepEqual([intake.isBehind(), intake.isFailing()], [true, true]);
  nowMs += 24 * 3_600_000;
  assert.deepEqual([intake.isBehind(), intake.isFailing()], [false, true], 'the sender gave up');
  await intake.take(async () => {});
  assert.deepEqual([intake.isBehind(), intake.isFailing()], [false, false]);
});

test('one reply that can’t be read doesn’t put it behind', async () => {
  const intake = makeIntake();
  await assert.rejects(intake.take(() => Promise.reject(new Error('garbled'))));
  assert.equal(intake.isBehind(), false);
});
