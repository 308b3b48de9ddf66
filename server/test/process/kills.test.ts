import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runFaults } from '../../faults/faults.ts';

test('every accepted text is on the phone once, in doubt, or failed with a reason, even if the server is killed', async () => {
  const run = await runFaults({ kills: 3, say: () => {} });
  assert.deepEqual(run.kills, { server: 3, whileStarting: 0, database: 1 });
  assert.ok(run.accepted > 50, `only ${run.accepted} were accepted`);
  assert.deepEqual(run.lost, []);
  assert.deepEqual(run.doubled, []);
  assert.deepEqual(run.withoutConsent, []);
  assert.deepEqual(run.broken, []);
});
