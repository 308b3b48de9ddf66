import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { isWaiting } from '../support/database.ts';
import { say } from '../support/people.ts';
import { acceptedPhone, handset, received, send } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { makeWorld } from '../support/world.ts';

// Longer than the test holds the reply back.
const world = await makeWorld({ dispatch: false, reserved: true, database: { timeoutMs: 60_000 } });
after(() => world.close());
const { ann } = world;

test('while a reply can’t be stored, no text is handed to the carrier', async () => {
  const [stopping, other] = [await acceptedPhone(world, ann), await acceptedPhone(world, ann)];
  const blocker = new pg.Client({ connectionString: world.database.url });
  await blocker.connect();
  await blocker.query('begin');
  await blocker.query('select from members where advisor_id = $1 and phone = $2 for update', [
    ann.advisor.advisorId,
    stopping,
  ]);
  const stop = say(world, ann, stopping, 'STOP');
  // It is behind a second after it began, which may itself be late on a busy machine.
  await until('the reply waits', () => isWaiting(world.database));
  await pause(1_200);
  await send(ann, { phone: other, text: 'Hello' });
  world.dispatcher.start();
  await pause(700);
  assert.deepEqual(await handset(world, other), []);

  await blocker.query('rollback');
  await stop;
  assert.equal((await received(world, other)).length, 1);
  await blocker.end();
});
