import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import twilio from 'twilio';
import { carrierKinds } from '../../src/adapters/carriers/kinds.ts';
import { addCarrier, setCarrier } from '../../src/domain/carriers/carriers.ts';
import { setNumber } from '../../src/domain/carriers/numbers.ts';
import { followCarriers } from '../../src/domain/carriers/open-carriers.ts';
import { type Dispatcher, dispatcher } from '../../src/domain/delivery/dispatcher.ts';
import type { CarrierFault, Carriers } from '../../src/domain/ports.ts';
import { carrierCallsPath } from '../../src/domain/ports.ts';
import { anotherNode } from '../support/nodes.ts';
import { stateOf } from '../support/people.ts';
import { assertProblem } from '../support/problem.ts';
import { acceptedPhone, send, statusOf } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { inject, makeWorld, type World } from '../support/world.ts';
import { accountSid, authToken } from './http/stand-in.ts';
import { type Smsc, startSmsc } from './smpp/smsc.ts';

suite('a node’s carriers', () => {
  const faults: CarrierFault[] = [];
  let world: World;
  let smsc: Smsc;
  let carriers: Carriers;
  let node: Dispatcher;
  before(async () => {
    smsc = await startSmsc();
    world = await makeWorld({ dispatch: false });
    carriers = followCarriers({
      db: world.deps.db,
      sealer: world.deps.sealer,
      kinds: carrierKinds,
      extra: {
        db: world.deps.db,
        clock: world.clock,
        publicUrl: world.config.publicUrl,
        environment: 'production',
        outboundAllowedNetworks: [],
        report: () => {},
      },
      onFault: (fault) => faults.push(fault),
    });
    node = dispatcher({ ...world.deps, carriers }, world.app.log);
    node.start();
  });
  after(async () => {
    await node.stop();
    await world.close();
    await smsc.stop();
  });

  async function follow(): Promise<void> {
    await carriers.refresh();
    node.follow();
  }
  const settings = () => ({
    hosts: [{ host: '127.0.0.1', port: smsc.port }],
    systemId: 'assent',
    password: 'secret',
    times: { reconnectMs: 20, stopMs: 500 },
  });
  const isBound = async () => (await smsc.binds()).length > 0;
  const textCount = async () => (await smsc.submitted()).length;
  async function sent(): Promise<number> {
    const phone = await acceptedPhone(world, world.bob);
    return (await send(world.bob, { phone, text: 'Hello' })).body.successes[0].messageId;
  }

  test('follow the rows: a new one is opened, and in production not the sandbox’s', async () => {
    await addCarrier(world.deps, { name: 'acme', kind: 'smpp', settings: settings() });
    await follow();
    assert.deepEqual(
      carriers.list().map(({ name }) => name),
      ['acme'],
    );
    await until('it is bound', isBound);
    await setNumber(world.deps, world.bob.advisor.textingNumber ?? '', { carrier: 'acme' });
    await statusOf(world.bob, await sent(), 'sent');
    const status = (await node.status()).find(({ status }) => status.name === 'acme');
    assert.equal(status?.status.carrier?.connections[0]?.state, 'bound');
  });

  test('a row of a kind that calls us opens its door, and disabling it closes it', async () => {
    const settings = { accountSid, authToken, apiUrl: 'https://127.0.0.1:9', answersKeywords: true };
    await addCarrier(world.deps, { name: 'calls', kind: 'twilio', settings });
    const number = world.ann.advisor.textingNumber ?? '';
    await setNumber(world.deps, number, { carrier: 'calls' });
    await follow();
    const app = await anotherNode(world, { carriers });
    const phone = await acceptedPhone(world, world.ann);
    const fields = { MessageSid: `SM${'0'.repeat(32)}`, From: phone, To: number, Body: 'STOP', OptOutType: 'STOP' };
    const url = carrierCallsPath('calls');
    const signature = twilio.getExpectedTwilioSignature(authToken, world.config.publicUrl + url, fields);
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature };
    const call = { method: 'POST', url, headers, payload: new URLSearchParams(fields).toString() } as const;
    assert.equal((await inject(app, call)).status, 200);
    assert.equal(await stateOf(world, world.ann, phone), 'opted_out');
    const waiting = await world.database.asOwner('select from dispatches where carrier_id <> 1');
    assert.deepEqual(waiting, [], 'the carrier has confirmed it');
    await setCarrier(world.deps, 'calls', { disabled: true });
    await follow();
    assertProblem(await inject(app, call), 'not_found');
    await app.close();
  });

  test('are the same objects until their version changes', async () => {
    const [before] = carriers.list();
    await follow();
    assert.equal(carriers.list()[0], before);
  });

  test('a changed one finishes what is in flight, and goes on with the new settings', async () => {
    const before = await textCount();
    await smsc.behave({ pauseMs: 300 });
    const flying = await sent();
    await until('it is in flight', async () => (await textCount()) === before + 1);
    await setCarrier(world.deps, 'acme', { settings: { window: 3 } });
    await follow();
    await statusOf(world.bob, flying, 'sent');
    await until('it is open again', async () => (await node.status())[0]?.status.carrier?.connections[0]?.window === 3);
    await statusOf(world.bob, await sent(), 'sent');
    assert.equal(await textCount(), before + 2, 'each once');
  });

  test('a row that can’t be opened stops no other, and is reported once', async () => {
    await addCarrier(world.deps, { name: 'broken', kind: 'smpp', settings: settings() });
    await world.database.asOwner(`update carriers set sealed_settings = '\\x00', version = 9 where name = 'broken'`);
    await follow();
    await follow();
    assert.deepEqual(
      faults.map(({ name, version }) => [name, version]),
      [['broken', 9]],
    );
    assert.deepEqual(
      carriers.faults().map(({ name }) => name),
      ['broken'],
    );
    await statusOf(world.bob, await sent(), 'sent');
  });

  test('a disabled one is closed; its texts wait, and go once it is enabled', async () => {
    await setCarrier(world.deps, 'acme', { disabled: true });
    await follow();
    await until('it is closed', async () => !(await isBound()));
    const before = await textCount();
    const waiting = await sent();
    await setCarrier(world.deps, 'acme', { disabled: false });
    assert.equal(await textCount(), before);
    await follow();
    await statusOf(world.bob, waiting, 'sent');
  });
});
