import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeIntake } from '../../src/domain/shared/intake.ts';
import { DatabaseBusy } from '../../src/store/database/errors.ts';

const busy = () => Promise.reject(new DatabaseBusy());

test('after a fault of the database it is behind, until something gets through', async () => {
  const intake = makeIntake();
  assert.equal(intake.isBehind(), false);
  await assert.rejects(intake.take(busy));
  assert.equal(intake.isBehind(), true);
  await intake.take(async () => {});
  assert.equal(intake.isBehind(), false);
});

test('one reply that can’t be read doesn’t put it behind', async () => {
  const intake = makeIntake();
  await assert.rejects(intake.take(() => Promise.reject(new Error('garbled'))));
  assert.equal(intake.isBehind(), false);
});
