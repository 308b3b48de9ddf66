import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { smppCarrier } from '../../../src/adapters/carriers/smpp/smpp-carrier.ts';
import { acceptedPhone, lookUp, send, statusOf } from '../../support/texting.ts';
import { until } from '../../support/waiting.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { type Smsc, startSmsc } from './smsc.ts';

suite('the whole way by SMPP', () => {
  let smsc: Smsc;
  let world: World;
  before(async () => {
    smsc = await startSmsc();
    const hosts = [{ host: '127.0.0.1', port: smsc.port }];
    world = await makeWorld({ carrier: smppCarrier({ name: 'smpp', hosts, systemId: 'assent', password: 'secret' }) });
    await until('it is bound', async () => (await smsc.binds()).length === 1);
  });
  after(async () => {
    await world.close();
    await smsc.stop();
  });

  test('a send is delivered, and the person’s STOP opts them out', async () => {
    const phone = await acceptedPhone(world, world.ann);
    const text = `A long one: ${'a'.repeat(200)}`;
    await smsc.behave({ messageId: '1A', receipt: '1A' }, { messageId: '1B', receipt: '1B' });
    const { body } = await send(world.ann, { phone, text });
    const { messageId } = body.successes[0];
    await statusOf(world.ann, messageId, 'delivered');
    const parts = await smsc.submitted();
    assert.equal(parts.map((part) => part.text).join(''), text);
    assert.deepEqual(
      parts.map(({ fields }) => fields.user_message_reference),
      [messageId % 65_536, messageId % 65_536],
    );
    const to = world.ann.advisor.textingNumber?.slice(1);
    const stop = { source_addr_ton: 1, source_addr: phone.slice(1), dest_addr_ton: 1, destination_addr: to };
    assert.equal(await smsc.deliver({ ...stop, short_message: 'STOP' }), 0);
    assert.equal((await lookUp(world.ann, phone)).body.state, 'opted_out');
  });

  test('a throttled text goes later; one whose answer is lost is in doubt and stays alone', async () => {
    const [throttled, lost] = [await acceptedPhone(world, world.ann), await acceptedPhone(world, world.ann)];
    await smsc.behave({ to: throttled.slice(1), status: 0x58 }, { to: lost.slice(1), drop: true });
    const first = await send(world.ann, { phone: throttled, text: 'Hello' });
    await statusOf(world.ann, first.body.successes[0].messageId, 'sent');
    const second = await send(world.ann, { phone: lost, text: 'Hello' });
    await statusOf(world.ann, second.body.successes[0].messageId, 'in_doubt');
    await until('it is bound again', async () => (await smsc.binds()).length === 1);
    const of = async (phone: string) =>
      (await smsc.submitted()).filter(({ fields }) => fields.destination_addr === phone.slice(1)).length;
    assert.deepEqual([await of(throttled), await of(lost)], [2, 1]);
  });

  test('a process counts its texts in doubt, and no more those that are settled', async () => {
    const inDoubt = async () => (await world.dispatcher.status())[0]?.status.carrier?.inDoubt;
    const before = (await inDoubt()) ?? 0;
    const phone = await acceptedPhone(world, world.ann);
    await smsc.behave({ to: phone.slice(1), drop: true });
    const { messageId } = (await send(world.ann, { phone, text: 'Hello' })).body.successes[0];
    await statusOf(world.ann, messageId, 'in_doubt');
    assert.equal(await inDoubt(), before + 1);
    await until('it is bound again', async () => (await smsc.binds()).length === 1);
    const numbers = { source_addr_ton: 1, source_addr: phone.slice(1), dest_addr_ton: 1 };
    const to = world.ann.advisor.textingNumber?.slice(1);
    const receipt = { ...numbers, destination_addr: to, esm_class: 4, user_message_reference: messageId % 65_536 };
    await smsc.deliver({ ...receipt, short_message: 'id:d1 stat:DELIVRD' });
    await statusOf(world.ann, messageId, 'delivered');
    assert.equal(await inDoubt(), before);
  });
});
