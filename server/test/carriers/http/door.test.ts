import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { connect as connectTo, type Socket } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import twilio from 'twilio';
import { twilioReader } from '../../../src/adapters/carriers/twilio/calls.ts';
import type { Carrier } from '../../../src/domain/ports.ts';
import { connect } from '../../../src/store/database/pool.ts';
import { fixedCarriers, openCarrier } from '../../support/carriers.ts';
import { countWaiting } from '../../support/database.ts';
import { anotherNode } from '../../support/nodes.ts';
import { ask, stateOf } from '../../support/people.ts';
import { assertProblem } from '../../support/problem.ts';
import { exchange, listen } from '../../support/sockets.ts';
import { acceptedPhone, newPhone } from '../../support/texting.ts';
import { until } from '../../support/waiting.ts';
import { inject, makeWorld, type World } from '../../support/world.ts';
import { accountSid, authToken } from './stand-in.ts';

const path = '/carriers/main/calls';
const reader = twilioReader({ accountSid, authToken });
/** It takes every text. */
const carrier: Carrier = {
  name: 'main',
  check: () => null,
  submit: async () => ({ accepted: randomUUID() }),
  listen: () => async () => {},
};
const main = openCarrier(carrier, { readCall: reader });
const newSid = () => `SM${randomUUID().replaceAll('-', '')}`;
const form = { 'content-type': 'application/x-www-form-urlencoded' };

suite('the door for the calls of carriers', () => {
  let world: World;
  before(async () => {
    // Longer than the test keeps the pool busy.
    world = await makeWorld({ reserved: true, carriers: fixedCarriers(main), database: { timeoutMs: 60_000 } });
  });
  after(() => world.close());

  const stop = (from: string) => saying(from, 'STOP');
  function saying(from: string, text: string) {
    const fields = { MessageSid: newSid(), From: from, To: world.ann.advisor.textingNumber ?? '', Body: text };
    const signature = twilio.getExpectedTwilioSignature(authToken, world.config.publicUrl + path, fields);
    return {
      method: 'POST',
      url: path,
      headers: { ...form, 'x-twilio-signature': signature },
      payload: new URLSearchParams(fields).toString(),
    } as const;
  }

  let port: Promise<number> | undefined;
  const listening = () => {
    port ??= listen(world.app);
    return port;
  };

  const state = (phone: string) => stateOf(world, world.ann, phone);

  test('a call with the right signature is taken', async () => {
    const phone = await acceptedPhone(world, world.ann);
    assert.equal((await inject(world.app, stop(phone))).status, 200);
    assert.equal(await state(phone), 'opted_out');
  });

  test('no signature, or that of another path or query: 403, and nothing changes', async () => {
    const phone = await acceptedPhone(world, world.ann);
    const call = stop(phone);
    for (const wrong of [
      { headers: form },
      { url: `${path}?x=1` },
      { headers: { ...form, 'x-twilio-signature': 'x' } },
    ])
      assertProblem(await inject(world.app, { ...call, ...wrong }), 'forbidden');
    assert.equal(await state(phone), 'accepted');
  });

  test('an unknown name is a 404, as is another method', async () => {
    assertProblem(await inject(world.app, { ...stop('+12125550100'), url: '/carriers/other/calls' }), 'not_found');
    assertProblem(await inject(world.app, { method: 'GET', url: path }), 'not_found');
  });

  test('in a sandbox whose clock is ahead, a reply is newer than the question', async () => {
    await world.clock.advance(86_400_000);
    const phone = newPhone();
    await ask(world, world.ann, phone);
    assert.equal((await inject(world.app, saying(phone, 'ACCEPT'))).status, 200);
    assert.equal(await state(phone), 'accepted');
  });

  test('a body of a mebibyte is read, a larger one isn’t', async () => {
    const call = stop('+12125550100');
    assertProblem(await inject(world.app, { ...call, payload: 'x'.repeat(64 * 1024) }), 'forbidden');
    assertProblem(await inject(world.app, { ...call, payload: 'x'.repeat(64 * 1024 + 1) }), 'payload_too_large');
  });

  test('a signed call that says nothing is taken and changes nothing', async () => {
    for (const fields of [{}, { MessageSid: newSid() }, { MessageSid: newSid(), MessageStatus: 'new' }] as Record<
      string,
      string
    >[]) {
      const signature = twilio.getExpectedTwilioSignature(authToken, world.config.publicUrl + path, fields);
      const payload = new URLSearchParams(fields).toString();
      const call = {
        method: 'POST',
        url: path,
        headers: { ...form, 'x-twilio-signature': signature },
        payload,
      } as const;
      assert.equal((await inject(world.app, call)).status, 200);
    }
  });

  test('calls that can’t be stored get an error, so that the carrier calls again', async () => {
    const phone = await acceptedPhone(world, world.ann);
    const call = stop(phone);
    const reserved = connect({ connectionString: 'postgres://nobody@127.0.0.1:1/none', size: 1, timeoutMs: 500 });
    const app = await anotherNode(world, { reserved, carriers: fixedCarriers(main) });
    assertProblem(await inject(app, call), 'downstream_unavailable');
    await app.close();
    await reserved.end();
    assert.equal(await state(phone), 'accepted');
    assert.equal((await inject(world.app, call)).status, 200);
    assert.equal(await state(phone), 'opted_out');
  });

  test('an opt-out gets through while the pool of the API is busy', async () => {
    const phone = await acceptedPhone(world, world.ann);
    const connections = world.config.databasePoolSize;
    const holder = new pg.Client({ connectionString: world.database.url });
    await holder.connect();
    await holder.query('select pg_advisory_lock(1)');
    const busy = Promise.all(
      Array.from({ length: connections }, () => world.deps.db.query('select pg_advisory_xact_lock_shared(1)')),
    );
    await until('the pool is busy', async () => (await countWaiting(world.database)) === connections);
    assert.equal((await inject(world.app, stop(phone))).status, 200);
    assert.equal(await countWaiting(world.database), connections, 'it didn’t wait for the pool');
    await holder.end();
    await busy;
    assert.equal(await state(phone), 'opted_out');
  });

  test('a call that nobody signed is refused before its body comes', async () => {
    const port = await listening();
    const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n`;
    assertProblem(await exchange(port, head), 'forbidden');
  });

  test('a flood of calls that nobody signed, or that never end, starves nobody', async () => {
    const phone = await acceptedPhone(world, world.ann);
    const port = await listening();
    const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-www-form-urlencoded\r\n`;
    const endless = `${head}x-twilio-signature: ${'A'.repeat(27)}=\r\ncontent-length: 1000\r\n\r\nA=`;
    const sockets: Socket[] = [];
    let gaveUp = 0;
    for (let count = 0; count < 300; count++) {
      const socket = connectTo({ host: '127.0.0.1', port, localAddress: '127.0.0.2' });
      socket.on('error', () => {});
      socket.on('data', (answer) => {
        if (answer.includes('too slowly')) gaveUp += 1;
      });
      socket.write(count % 2 ? endless : `${head}content-length: 1\r\n\r\nx`);
      sockets.push(socket);
    }
    await pause(300);
    const answers = await Promise.all([
      inject(world.app, stop(phone)),
      world.ann.call('GET', '/core/contact/contacts'),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    assert.equal(gaveUp, 0, 'they didn’t wait until the calls that never end were given up');
    assert.equal(await state(phone), 'opted_out');
    await until('the calls that never end are given up', () => gaveUp > 0);
    for (const socket of sockets) socket.destroy();
  });
});
