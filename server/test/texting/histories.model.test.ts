import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rounds } from '../support/rounds.ts';
import { playHistories } from './histories.ts';

/** Always the same ones: every outcome occurs in the first quarter of them. `npm run fuzz -- --only histories` tries others. */
const histories = rounds(100);
const seeds = [1, 26, 34, 77];

test('every history of texts, replies and crashes follows the rules and is fully accounted for', async () => {
  const seen = await playHistories({ histories, seeds });
  const statuses = ['queued', 'claimed', 'sent', 'delivered', 'undelivered', 'in_doubt', 'held', 'awaiting_consent'];
  const failures = ['rejected', 'opted_out', 'not_consented', 'expired', 'carrier_unavailable', 'consent_lapsed'];
  // Otherwise the histories prove less than they seem to.
  for (const each of [...statuses, ...failures]) assert.ok(seen.has(each), `no message was ever ${each}`);
  assert.ok(seen.has('consent firm_opt_out'), 'no stop ever counted for the colleague');
  const decisions = ['approved released', 'rejected opted_out', 'approved settled', 'rejected settled'];
  for (const each of [...decisions.map((each) => `possible_opt_out ${each}`), 'out_of_order approved null'])
    assert.ok(seen.has(each), `no review was ever ${each}`);
});
