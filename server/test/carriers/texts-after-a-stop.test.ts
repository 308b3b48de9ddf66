import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { smppCarrier } from '../../src/adapters/carriers/smpp/smpp-carrier.ts';
import { type Carrier, carrierCallsPath, type ReadCarrierCall } from '../../src/domain/ports.ts';
import { beginWithinMs } from '../../src/domain/texting/claimed-texts.ts';
import { fixedCarriers, openCarrier } from '../support/carriers.ts';
import { freePort } from '../support/programs.ts';
import { acceptedPhone, send } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { makeWorld, type World } from '../support/world.ts';
import { startStandIn } from './http/stand-in.ts';
import { vendors } from './http/vendors.ts';
import { startSmsc } from './smpp/smsc.ts';

/** A carrier with its far end, whose texts have to wait. */
type FarEnd = {
  carrier: Carrier;
  readCall?: ReadCarrierCall;
  ready(): Promise<void>;
  /** How many texts to that number have arrived. */
  arrived(phone: string): Promise<number>;
  /** Says STOP, and returns when that is acknowledged. */
  stop(phone: string, to: string): Promise<void>;
  close(): Promise<void>;
};

/** Why texts wait: for a place in the window, since answers take longer than a claim may wait, or for the pace. */
const waits = {
  'a carrier that answers slowly': { answerMs: beginWithinMs + 100, window: 3 },
  'a slow pace': { answerMs: 0, window: 20, perSecondMax: 5 },
};
type Wait = { answerMs: number; window: number; perSecondMax?: number };

const textsEach = 5;
/** What was handed to a socket may still be on its way. */
const wireMs = 250;

/** The vendors over HTTP wait in the same way. */
const vendor = vendors[0] ?? assert.fail();
const farEnds: Record<string, (wait: Wait, publicUrl: string) => Promise<FarEnd>> = {
  smpp: overSmpp,
  [vendor.name]: overHttp,
};

for (const [name, open] of Object.entries(farEnds))
  for (const [why, wait] of Object.entries(waits))
    suite(`${name}: ${why}`, () => {
      test('no text begins after the person’s STOP was acknowledged', async () => {
        const port = await freePort();
        const publicUrl = `http://127.0.0.1:${port}`;
        const farEnd = await open(wait, publicUrl);
        const { carrier, readCall = null } = farEnd;
        const world = await makeWorld({
          env: { PUBLIC_URL: publicUrl },
          carriers: fixedCarriers(openCarrier(carrier, { name: 'main', readCall })),
          dispatch: false,
        });
        await world.app.listen({ host: '127.0.0.1', port });
        try {
          await stopWhileTextsWait(world, farEnd);
        } finally {
          await world.close();
          await farEnd.close();
        }
      });
    });

/** Two people whose texts take turns, so that some of both wait when one of them says STOP. */
async function stopWhileTextsWait(world: World, farEnd: FarEnd): Promise<void> {
  const [stopping, other] = [await acceptedPhone(world, world.ann), await acceptedPhone(world, world.ann)];
  for (let text = 0; text < textsEach; text++)
    await send(world.ann, { phoneNumbers: [stopping, other], text: `Hello ${text}` });
  // Not before all are accepted, which may take as long as some of them wait.
  world.dispatcher.start();
  await farEnd.ready();
  await until('the first has arrived', async () => (await farEnd.arrived(stopping)) > 0);
  await farEnd.stop(stopping, world.ann.advisor.textingNumber ?? '');
  await pause(wireMs);
  const begun = await farEnd.arrived(stopping);
  assert.ok(begun < textsEach, 'texts were waiting');
  await until('the other has all', async () => (await farEnd.arrived(other)) === textsEach);
  // One more is the confirmation.
  await until('the STOP is confirmed', async () => (await farEnd.arrived(stopping)) > begun);
  assert.equal(await farEnd.arrived(stopping), begun + 1);
  const failed = await world.database.asOwner(
    `select failure_code as code, count(*)::integer as count from messages where status = 'failed' group by 1`,
  );
  assert.deepEqual(failed, [{ code: 'opted_out', count: textsEach - begun }]);
}

async function overSmpp({ answerMs, ...settings }: Wait): Promise<FarEnd> {
  const smsc = await startSmsc();
  const hosts = [{ host: '127.0.0.1', port: smsc.port }];
  await smsc.behave({ times: 1_000, pauseMs: answerMs });
  const addresses = { source_addr_ton: 1, dest_addr_ton: 1 };
  return {
    carrier: smppCarrier({ name: 'smpp', hosts, systemId: 'assent', password: 'secret', ...settings }),
    ready: () => until('it is bound', async () => (await smsc.binds()).length === 1),
    async arrived(phone) {
      const submitted = await smsc.submitted();
      return submitted.filter(({ fields }) => fields.destination_addr === phone.slice(1)).length;
    },
    async stop(phone, to) {
      const stop = { ...addresses, source_addr: phone.slice(1), destination_addr: to.slice(1), short_message: 'STOP' };
      assert.equal(await smsc.deliver(stop), 0);
    },
    close: () => smsc.stop(),
  };
}

async function overHttp({ answerMs, ...settings }: Wait, publicUrl: string): Promise<FarEnd> {
  const standIn = await startStandIn();
  await standIn.behave({ times: 1_000, pauseMs: answerMs });
  return {
    carrier: vendor.open(standIn, { publicUrl, ...settings }),
    readCall: vendor.reader(standIn),
    ready: async () => {},
    arrived: (phone) => standIn.requests(phone),
    async stop(phone, to) {
      const url = publicUrl + carrierCallsPath('main');
      const told = await standIn.deliver(vendor.name, {
        url,
        from: phone,
        to,
        text: 'STOP',
        id: `SM${randomBytes(16).toString('hex')}`,
      });
      assert.equal(told.status, 200);
    },
    close: () => standIn.stop(),
  };
}
