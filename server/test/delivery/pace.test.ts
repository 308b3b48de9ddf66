import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { shortenWaits } from '../../src/domain/delivery/outbox-maintenance.ts';
import { acceptedPhone, handset, received, reply, send } from '../support/texting.ts';
import { makeWorld } from '../support/world.ts';

const world = await makeWorld();
after(() => world.close());
const { ann, database } = world;
const { advisorId, textingNumber } = ann.advisor;
await database.asOwner('update advisors set texting_pace = 10 where advisor_id = $1', [advisorId]);

test('texts over the pace wait, in order, and are not refused', async () => {
  const phone = await acceptedPhone(world, ann);
  const began = Date.now();
  for (let index = 0; index < 15; index++) assert.equal((await send(ann, { phone, text: `${index}` })).status, 200);
  const texts = await received(world, phone, 15);
  assert.ok(Date.now() - began >= 1_300, 'fifteen texts at ten per second take more than a second');
  assert.deepEqual(
    texts.map(({ text }) => text),
    Array.from({ length: 15 }, (_, index) => `${index}`),
  );
});

test('an answer to a person doesn’t wait behind the advisor’s own texts', async () => {
  const [crowd, person] = [await acceptedPhone(world, ann), await acceptedPhone(world, ann)];
  // So slow that they are still there afterward, on any machine.
  await database.asOwner('update advisors set texting_pace = 1 where advisor_id = $1', [advisorId]);
  await Promise.all(Array.from({ length: 100 }, (_, index) => send(ann, { phone: crowd, text: `${index}` })));
  await reply(world, person, textingNumber ?? '', 'STOP');
  assert.match((await received(world, person))[0]?.text ?? '', /opted out/);
  assert.ok((await handset(world, crowd)).length < 100, 'the hundred before it wait');
});

test('without a pace a text has no slot, and with one its slot lies no further ahead than what waits', async () => {
  const phone = await acceptedPhone(world, ann);
  const set = (assignment: string) =>
    database.asOwner(`update advisors set ${assignment} where advisor_id = $1`, [advisorId]);
  await database.asOwner('delete from dispatches');
  await set('texting_pace = null');
  await database.asOwner(`update archive_heads set next_slot = now() + interval '1 day'`);
  await send(ann, { phone, text: 'without' });
  await received(world, phone, 1);
  await set('texting_pace = 2');
  const ids = [];
  for (const text of ['one', 'two', 'three']) ids.push((await send(ann, { phone, text })).body.successes[0].messageId);
  await shortenWaits(world.deps);
  const waits = await database.asOwner<{ seconds: number }>(
    'select extract(epoch from not_before - now())::float8 as seconds from dispatches where message_id = any ($1)',
    [ids],
  );
  assert.ok(waits.length > 0 && waits.every(({ seconds }) => seconds < 2), JSON.stringify(waits));
  await received(world, phone, 4);
});
