import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Deps } from '../../src/deps.ts';
import { listEvents } from '../../src/domain/events/events.ts';
import { makeSignals } from '../../src/domain/shared/signals.ts';
import { deliverer } from '../../src/domain/webhooks/deliverer.ts';
import { setWebhook } from '../../src/domain/webhooks/webhooks.ts';
import { startRequestJobs } from '../../src/jobs/requests.ts';
import { makeLog } from '../../src/log.ts';
import { connect } from '../../src/store/database/pool.ts';
import { appRole } from '../../src/store/database/schema/migrate.ts';
import { until } from '../support/waiting.ts';
import { makeWorld } from '../support/world.ts';
import { makeReceiver } from '../webhooks/receiver.ts';
import { castOf, type StormNode, startStorm, wrongIn } from './storm.ts';

const world = await makeWorld({ dispatch: false });
const otherPool = connect({ connectionString: world.database.url, size: 10, timeoutMs: 5_000, role: appRole });
const receiver = await makeReceiver(() => secret);
let secret = '';
after(async () => {
  await receiver.close();
  await otherPool.end();
  await world.close();
});

const log = makeLog('silent');
const events = 360;
const advisors = 12;
const failedAtLeast = events / 10;
const stormMs = 120_000;

function nodeOf(deps: Deps): StormNode {
  return {
    db: deps.db,
    read: (advisorId, { cursor, pageSize, wait }) =>
      listEvents(deps, advisorId, { cursor, pageSize, waitSeconds: wait }),
  };
}

// `npm run faults -- --only events` is the same with any number of events, two servers and their real pauses.
test('five readers, and an endpoint that fails a third of the time, see every event of two nodes, each advisor’s in order', async () => {
  const other = { ...world.deps, db: otherPool, reserved: otherPool, signals: makeSignals() };
  const nodes: (typeof other)[] = [{ ...world.deps, db: world.database.pool, reserved: world.database.pool }, other];
  const subjects = await castOf(world, advisors);
  secret = await setWebhook(world.deps, world.clientId, receiver.url);
  const following = nodes.map((deps) => startRequestJobs({ ...deps, sandboxClock: undefined }, log));
  const webhooks = nodes.map((deps) => deliverer(deps, log));
  const transaction = { subjects: 3, events: 3 };
  const storm = startStorm({ subjects, nodes: nodes.map(nodeOf), events, transaction, calls: 60, restMs: 0 }, receiver);
  const isOver = async () => {
    // As if the pauses after failures were over. It locks rows in another order than the nodes do, so a deadlock may end it; the next turn
    // does it again.
    await world.database
      .asOwner(`update webhook_streams set not_before = '-infinity' where failures > 0`)
      .catch(unlessDeadlock);
    await Promise.all(webhooks.map((each) => each.tick()));
    return storm.isOver();
  };
  await until('everybody has seen everything', isOver, stormMs).finally(() => storm.stop());
  await Promise.all([...webhooks.map((each) => each.settled()), ...following.map((each) => each.stop())]);
  const found = storm.soFar();
  assert.deepEqual(wrongIn(found), []);
  assert.equal(found.written, events);
  // Otherwise nothing was put to the test.
  assert.ok(found.rolledBack > 0 && found.transactions > events / 10);
  assert.ok(found.tries - found.endpoint.seen > failedAtLeast);
});

function unlessDeadlock(error: { code?: string }): void {
  if (error.code !== '40P01') throw error;
}
