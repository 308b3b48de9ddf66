import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { addStaff } from '../../src/domain/accounts/staff.ts';
import { recordConsent } from '../../src/domain/consent/consents.ts';
import { makeLog } from '../../src/log.ts';
import { acceptedPhone, handset, lookUp, newPhone, reply, send, setConsent, statusOf } from '../support/texting.ts';
import { makeWorld } from '../support/world.ts';

const lines: string[] = [];
const log = makeLog('error', { write: (line) => void lines.push(line) });
const world = await makeWorld({ log, dispatch: false });
after(() => world.close());
const { ann, database } = world;
const { advisorId, firmId, textingNumber } = ann.advisor;

/** As a superuser who knows how to remove the guard. */
async function forge(change: string, phone: string): Promise<void> {
  await database.asOwner('alter table members disable trigger user');
  await database.asOwner(`update members set ${change} where advisor_id = $1 and phone = $2`, [advisorId, phone]);
  for (const trigger of ['consent_changed', 'consent_added', 'number_stays'])
    await database.asOwner(`alter table members enable always trigger ${trigger}`);
}

async function refusalOf(phone: string): Promise<string> {
  const { status, body } = await send(ann, { phone, text: 'Hello' });
  assert.equal(status, 200);
  assert.deepEqual(body.successes, []);
  return body.failureDetails[0].code;
}

test('nobody changes consent in the table without an entry, not even the owner', async () => {
  const phone = newPhone();
  await setConsent(world, ann, phone, 'opted_out');
  const update = `update members set state = 'accepted' where phone = '${phone}'`;
  const insert = `insert into members (advisor_id, phone, state, last_changed, date_time_created)
    values (${advisorId}, '${newPhone()}', 'accepted', now(), now())`;
  for (const sql of [update, insert]) {
    await assert.rejects(database.pool.query(sql), /consent changes only with an entry/);
    await assert.rejects(database.asOwner(sql), /consent changes only with an entry/);
    await assert.rejects(database.asOwner(`set session_replication_role = replica; ${sql}`), /only with an entry/);
  }
  await assert.rejects(database.asOwner(`update members set phone = '+12125550000'`), /a member keeps its number/);
});

test('a state that was forged past the guard gets nobody texted', async () => {
  const stopped = newPhone();
  await setConsent(world, ann, stopped, 'opted_out');
  await forge(`state = 'accepted'`, stopped);
  assert.equal(await refusalOf(stopped), 'opted_out');
  const unknown = newPhone();
  await setConsent(world, ann, unknown, 'none');
  await forge(`state = 'accepted'`, unknown);
  assert.equal(await refusalOf(unknown), 'not_consented');
});

test('the lookup shows the consent that is proven', async () => {
  const phone = newPhone();
  await send(ann, { phone, text: 'Makes a contact' });
  await setConsent(world, ann, phone, 'opted_out');
  await forge(`state = 'accepted'`, phone);
  assert.equal((await lookUp(ann, phone)).body.state, 'opted_out');
});

test('consent doesn’t follow a member to another number', async () => {
  const stopped = newPhone();
  const accepted = await acceptedPhone(world, ann);
  await setConsent(world, ann, stopped, 'opted_out');
  await forge(`phone = '${newPhone()}'`, stopped);
  await forge(`phone = '${stopped}'`, accepted);
  assert.equal(await refusalOf(stopped), 'not_consented');
});

test('consent on paper doesn’t confirm a stop that was forged away', async () => {
  const phone = newPhone();
  await setConsent(world, ann, phone, 'opted_out');
  await forge(`state = 'none'`, phone);
  const staff = await addStaff(world.deps, { firmId, name: 'Kim Lee', email: 'kim@test.example' });
  await assert.rejects(recordConsent(world.deps, { advisorId, phone, proof: 'Form 7', staff }), { code: 'conflict' });
});

test('a text that waits when the stop is forged away is not handed over, and the log says so once', async () => {
  const phone = await acceptedPhone(world, ann);
  const { body } = await send(ann, { phone, text: 'Accepted while that was allowed' });
  await reply(world, phone, textingNumber ?? '', 'STOP');
  await forge(`state = 'accepted'`, phone);
  lines.length = 0;
  world.dispatcher.start();
  const { messageId, memberId } = body.successes[0];
  const message = await statusOf(ann, messageId, 'failed', 'sent', 'delivered');
  assert.deepEqual([message.status, message.failureCode], ['failed', 'opted_out']);
  assert.deepEqual(await handset(world, phone), []);
  assert.equal(await refusalOf(phone), 'opted_out');
  const logged = lines.map((line) => JSON.parse(line)).filter((line) => line.memberId === memberId);
  assert.equal(logged.length, 1);
});
