import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import { smppCarrier } from '../../../src/adapters/carriers/smpp/smpp-carrier.ts';
import { maintainOutbox } from '../../../src/domain/delivery/outbox-maintenance.ts';
import { acceptedPhone, send, statusOf } from '../../support/texting.ts';
import { textsUnlikeEntries } from '../../support/texts-and-entries.ts';
import { until } from '../../support/waiting.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { type Smsc, startSmsc } from './smsc.ts';

const throttled = 0x58;
const hourMs = 60 * 60 * 1000;
const long = 'a'.repeat(161);

suite('how long a text lives', () => {
  let smsc: Smsc;
  let world: World;
  before(async () => {
    smsc = await startSmsc();
    const hosts = [{ host: '127.0.0.1', port: smsc.port }];
    const times = { reconnectMs: 20, reconnectMsMax: 100, beginMs: 300 };
    const carrier = smppCarrier({ name: 'smpp', hosts, systemId: 'assent', password: 'secret', times });
    // A lease is 6 seconds.
    world = await makeWorld({ carrier, env: { CARRIER_TIMEOUT_MS: '1000' } });
    await until('it is bound', async () => (await smsc.binds()).length === 1);
  });
  afterEach(() => smsc.behave());
  after(async () => {
    await world.close();
    await smsc.stop();
  });

  async function sendTo(phone: string, text: string): Promise<number> {
    return (await send(world.ann, { phone, text })).body.successes[0].messageId;
  }
  const parts = async (phone: string) =>
    (await smsc.submitted()).filter(({ fields }) => fields.destination_addr === phone.slice(1));
  const lease = async () =>
    (await world.deps.db.query<{ until: Date }>('select max(leased_until) as until from claims'))[0]?.until;
  const lastEntry = async (messageId: number) => {
    const [row] = await world.deps.db.query<{ meta: string }>(
      `select meta from archive_entries where kind = 'outcome' and message_id = $1 order by number desc limit 1`,
      [messageId],
    );
    return JSON.parse(row?.meta ?? '{}');
  };

  test('a long text whose second part stays throttled has its lease renewed, and is neither in doubt nor sent twice', async () => {
    const phone = await acceptedPhone(world, world.ann);
    await smsc.behave({ to: phone.slice(1), messageId: 'a1' }, { to: phone.slice(1), status: throttled, times: 1_000 });
    const messageId = await sendTo(phone, long);
    await until('it has begun', async () => (await parts(phone)).length > 1);
    const before = (await lease()) ?? assert.fail();
    await until('the lease is renewed', async () => ((await lease()) ?? before) > before);
    await maintainOutbox(world.deps);
    assert.equal((await statusOf(world.ann, messageId, 'queued')).status, 'queued');
    await smsc.behave();
    await statusOf(world.ann, messageId, 'sent');
    const taken = (await parts(phone)).filter(({ status }) => status === 0).map(({ text }) => text.length);
    assert.deepEqual(taken, [153, 8]);
    assert.deepEqual(await textsUnlikeEntries(world), []);
  });

  test('one that had begun when its life ended is undelivered, and the archive says how much was sent', async () => {
    const phone = await acceptedPhone(world, world.ann);
    await smsc.behave({ to: phone.slice(1), messageId: 'b1' }, { to: phone.slice(1), status: throttled, times: 1_000 });
    const messageId = await sendTo(phone, long);
    await until('it has begun', async () => (await parts(phone)).length > 1);
    await world.clock.advance(25 * hourMs);
    assert.equal((await statusOf(world.ann, messageId, 'undelivered')).failureCode, 'expired');
    const { outcome, reason, carrierCode, partsSent, parts: of } = await lastEntry(messageId);
    assert.deepEqual(
      [outcome, reason, /throttled/i.test(carrierCode), partsSent, of],
      ['undelivered', 'expired', true, 1, 2],
    );
    assert.deepEqual(await textsUnlikeEntries(world), []);
  });

  test('one that never began goes on through any number of throttled attempts, and fails when it expires', async () => {
    const phone = await acceptedPhone(world, world.ann);
    await smsc.behave({ to: phone.slice(1), status: throttled, times: 1_000 });
    const messageId = await sendTo(phone, 'Hello');
    const tried = (times: number) => async () => {
      // It needn't wait for its turn, which comes later each time; and one failed try more would be its last.
      await world.database.asOwner('update dispatches set not_before = now(), tries = 11 where message_id = $1', [
        messageId,
      ]);
      world.deps.signals.queued.raise();
      return (await parts(phone)).length > times;
    };
    await until('it has one try left', tried(0));
    await until('it was tried more often', tried(2));
    assert.equal((await statusOf(world.ann, messageId, 'queued')).status, 'queued');
    await world.clock.advance(23 * hourMs);
    assert.equal((await statusOf(world.ann, messageId, 'queued')).status, 'queued');
    await world.clock.advance(2 * hourMs);
    assert.equal((await statusOf(world.ann, messageId, 'failed')).failureCode, 'expired');
    assert.deepEqual(await textsUnlikeEntries(world), []);
  });
});
