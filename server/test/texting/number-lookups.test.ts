import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import { carrierKinds } from '../../src/adapters/carriers/kinds.ts';
import { checkSettings } from '../../src/domain/carriers/settings.ts';
import { dispatcher } from '../../src/domain/delivery/dispatcher.ts';
import type { Carrier } from '../../src/domain/ports.ts';
import { forgetOldLookups, lookUpNumbers } from '../../src/domain/texting/number-lookups.ts';
import { startJobs } from '../../src/jobs/start.ts';
import { makeLog } from '../../src/log.ts';
import { type StandIn, startStandIn } from '../carriers/http/stand-in.ts';
import { telnyxSettings, twilioSettings, vendors } from '../carriers/http/vendors.ts';
import { fixedCarriers, openCarrier } from '../support/carriers.ts';
import { ask, say } from '../support/people.ts';
import { consentRequestsPath, messagesPath, send, setConsent } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { makeWorld, type World } from '../support/world.ts';

for (const vendor of vendors)
  suite(`numbers are looked up with ${vendor.name}`, () => {
    let standIn: StandIn;
    let world: World;
    let asked: string[] = [];
    let fails = false;
    before(async () => {
      standIn = await startStandIn();
      const carrier = vendor.open(standIn);
      const counting: Carrier = {
        ...carrier,
        async lookUp(phone) {
          asked.push(phone);
          if (fails) throw new Error('It answers with 500.');
          return carrier.lookUp?.(phone) ?? 'unknown';
        },
      };
      const carriers = fixedCarriers(openCarrier(counting, { looksUp: true }));
      world = await makeWorld({ carriers, dispatch: false });
    });
    after(async () => {
      await world.close();
      await standIn.stop();
    });
    beforeEach(async () => {
      asked = [];
      fails = false;
      await world.database.asOwner('delete from number_lookups');
    });

    let made = 0;
    /** The stand-in tells the kind of line by the last digit. */
    const numberOf = (kind: 'mobile' | 'landline' | 'voip' | 'invalid') =>
      `+1212555${String(++made).padStart(3, '0')}${{ mobile: 1, landline: 2, voip: 3, invalid: 9 }[kind]}`;
    const reports: string[] = [];
    const lookUp = () => lookUpNumbers(world.deps, (_, why) => void reports.push(why));
    const rows = () =>
      world.database.asOwner<{ lineType: string | null; days: number | null; waitsSeconds: number | null }>(
        `select line_type as "lineType", round(extract(epoch from valid_until - now()) / 86400)::integer as days,
           round(extract(epoch from not_before - now()))::integer as "waitsSeconds"
         from number_lookups`,
      );

    test('a landline and a number that doesn’t exist are failures once that is known, and texts never wait for it', async () => {
      for (const [kind, code] of [
        ['landline', 'landline'],
        ['invalid', 'unreachable'],
      ] as const) {
        const phone = numberOf(kind);
        const first = await ask(world, world.ann, phone);
        assert.deepEqual([first.successes.length, asked], [1, []], 'nobody was asked on the way');
        await lookUp();
        assert.deepEqual(asked.splice(0), [phone]);
        const second = await world.bob.call('POST', consentRequestsPath, { phoneNumbers: [phone] });
        assert.deepEqual(
          [second.status, second.body.successes, second.body.failureDetails[0].code],
          [200, [], code],
          'what one advisor’s text told counts for all',
        );
        await setConsent(world, world.ann, phone, 'accepted');
        const sent = await send(world.ann, { phone, text: 'Hello' });
        assert.deepEqual([sent.status, sent.body.failureDetails[0].code], [200, code]);
        const check = await world.ann.call('POST', `${messagesPath}/check`, { phone, text: 'Hello' });
        const gate = check.body.data[0].gates.find((each: { gate: string }) => each.gate === 'number');
        assert.deepEqual([gate.passed, gate.code], [false, code]);
      }
      await lookUp();
      assert.deepEqual(asked, []);
    });

    test('a node looks numbers up by itself', async () => {
      const [deps, log] = [{ ...world.deps, sandboxClock: undefined }, makeLog('silent')];
      const running = startJobs(deps, log, dispatcher(deps, log));
      after(() => running.stop());
      const phone = numberOf('landline');
      await ask(world, world.ann, phone);
      await until('it is known', async () => (await rows())[0]?.lineType === 'landline');
      await running.stop();
      assert.deepEqual(asked, [phone]);
    });

    test('mobiles are texted, and so is what the carrier doesn’t know; answers count for 30 days and for one', async () => {
      for (const [kind, lineType, days] of [
        ['mobile', 'mobile', 30],
        ['voip', 'unknown', 1],
      ] as const) {
        await world.database.asOwner('delete from number_lookups');
        const phone = numberOf(kind);
        await setConsent(world, world.ann, phone, 'accepted');
        await send(world.ann, { phone, text: 'Hello' });
        await lookUp();
        assert.deepEqual(await rows(), [{ lineType, days, waitsSeconds: null }]);
        assert.equal((await send(world.ann, { phone, text: 'Hello again' })).body.successes.length, 1);
        await lookUp();
      }
      assert.equal(asked.length, 2);
    });

    test('an answer that is too old doesn’t count, and the next text asks again', async () => {
      const phone = numberOf('landline');
      await ask(world, world.ann, phone);
      await lookUp();
      assert.equal((await ask(world, world.ann, phone)).failures.length, 1);
      await world.database.asOwner(`update number_lookups set valid_until = now() - interval '1 second'`);
      assert.equal((await ask(world, world.ann, phone)).successes.length, 1);
      await lookUp();
      assert.equal((await ask(world, world.ann, phone)).failures.length, 1);
      assert.deepEqual(asked, [phone, phone]);
    });

    test('a number is looked up once, however many texts and nodes there are', async () => {
      const phones = [numberOf('mobile'), numberOf('mobile'), numberOf('mobile')];
      const requests = Array.from({ length: 12 }, (_, index) =>
        ask(world, index % 2 ? world.ann : world.bob, ...(index % 3 ? phones : phones.toReversed())),
      );
      assert.ok((await Promise.all(requests)).every(({ successes }) => successes.length === 3));
      await Promise.all([lookUp(), lookUp(), lookUp()]);
      await lookUp();
      assert.deepEqual(asked.toSorted(), phones.toSorted());
    });

    test('a node asks for a few numbers at a time', async () => {
      await ask(world, world.ann, ...Array.from({ length: 12 }, () => numberOf('mobile')));
      const counts: number[] = [];
      for (let turn = 0; turn < 3; turn += 1) {
        await lookUp();
        counts.push(asked.splice(0).length);
      }
      assert.deepEqual(counts, [5, 5, 2]);
    });

    test('a carrier that fails is asked again with growing pauses, and then the number counts as unknown', async () => {
      fails = true;
      await ask(world, world.ann, numberOf('landline'));
      const pauses: (number | null)[] = [];
      for (let turn = 0; turn < 5; turn += 1) {
        await lookUp();
        pauses.push((await rows())[0]?.waitsSeconds ?? null);
        await world.database.asOwner(
          `update number_lookups set not_before = now() - interval '1 second' where not_before is not null`,
        );
      }
      assert.ok(
        pauses.slice(0, 4).every((pause, index) => (pause ?? 0) > (pauses[index - 1] ?? 0)),
        String(pauses),
      );
      assert.deepEqual(await rows(), [{ lineType: 'unknown', days: 1, waitsSeconds: null }]);
      assert.equal(reports.filter((why) => why === 'It answers with 500.').length, 5);
    });

    test('an address that doesn’t know lookups is an error that is told and counted, and blocks no number', async () => {
      reports.length = 0;
      for (const wrong of vendor.wrongLookups(standIn)) {
        const carriers = fixedCarriers(openCarrier(wrong, { looksUp: true }));
        await ask(world, world.ann, numberOf('mobile'));
        await lookUpNumbers({ ...world.deps, carriers }, (_, why) => void reports.push(why));
        const [row] = await rows();
        assert.deepEqual([row?.lineType, row?.days], [null, null], 'nothing is known');
        assert.ok((row?.waitsSeconds ?? 0) > 0, 'it is asked again later');
        assert.equal(wrong.status?.().lookups?.failed, 1);
        assert.match(wrong.status?.().lookups?.lastFault ?? '', /is it the right address/);
        await world.database.asOwner('delete from number_lookups');
      }
      assert.equal(reports.length, 2);
      assert.ok(reports.every((why) => /is it the right address/.test(why)));
    });

    test('somebody who has texted us can be texted, whatever the carrier says, and isn’t looked up', async () => {
      const phone = numberOf('landline');
      await ask(world, world.ann, phone);
      await lookUp();
      await say(world, world.ann, phone, 'ACCEPT');
      assert.equal((await send(world.ann, { phone, text: 'Hello' })).body.successes.length, 1);
      const other = numberOf('landline');
      await say(world, world.ann, other, 'Hi');
      await ask(world, world.ann, other);
      await lookUp();
      assert.deepEqual(asked, [phone]);
    });

    test('old answers are forgotten, and so is what nobody asks for any more', async () => {
      await world.database.asOwner(
        `insert into number_lookups (phone, carrier_id, line_type, valid_until, not_before)
         values ('+1', 1, 'mobile', now() - interval '1 hour', null), ('+2', 1, 'mobile', now() + interval '1 hour', null),
           ('+3', 1, null, null, now() - interval '2 days'), ('+4', 1, null, null, now() - interval '2 hours')`,
      );
      await forgetOldLookups(world.deps);
      const left = await world.database.asOwner<{ phone: string }>('select phone from number_lookups order by phone');
      assert.deepEqual(
        left.map(({ phone }) => phone),
        ['+2', '+4'],
      );
    });
  });

test('it is off unless the carrier’s settings say otherwise, and only kinds that can have it', async () => {
  const standIn = await startStandIn();
  const carrier = vendors[0]?.open(standIn) as Carrier;
  const world = await makeWorld({ carriers: fixedCarriers(openCarrier(carrier)), dispatch: false });
  after(async () => {
    await world.close();
    await standIn.stop();
  });
  await ask(world, world.ann, '+12125550102');
  assert.deepEqual(await world.database.asOwner('select phone from number_lookups'), []);
  // What was known before it was switched off doesn't count any more.
  await world.database.asOwner(
    `insert into number_lookups (phone, carrier_id, line_type, valid_until)
     values ('+12125550102', 1, 'landline', now() + interval '1 day')`,
  );
  assert.equal((await ask(world, world.ann, '+12125550102')).successes.length, 1);
  const { twilio, telnyx, smpp } = carrierKinds;
  assert.ok(twilio && telnyx && smpp);
  checkSettings(twilio, { ...twilioSettings(standIn), lookUp: true });
  checkSettings(telnyx, { ...telnyxSettings(standIn), lookUp: true });
  assert.throws(() => checkSettings(smpp, { lookUp: true }), /there is no setting lookUp/);
});
