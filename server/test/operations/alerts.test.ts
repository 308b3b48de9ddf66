import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Deps } from '../../src/deps.ts';
import {
  addAlertTarget,
  noteChanges,
  readAlerts,
  sendDue,
  testAlertTarget,
} from '../../src/domain/operations/alerts.ts';
import type { PushResponse } from '../../src/domain/ports.ts';
import { makeWorld, type World } from '../support/world.ts';

let world: World;
let deps: Deps;
let pushed: { url: string; type: string; says: string; id: string }[] = [];
let mailed: string[] = [];
let answer: Omit<PushResponse, 'signature'> = { status: 200, response: '' };

before(async () => {
  world = await makeWorld();
  deps = {
    ...world.deps,
    async push({ url, id, body, secrets }) {
      assert.match(secrets[0] ?? '', /^whsec_/);
      const { type, data } = JSON.parse(body);
      pushed.push({ url, id, type, says: data.says });
      return { signature: 'v1,x', ...answer };
    },
    sendMail: async (message) => void mailed.push(message),
  };
  await addAlertTarget(deps, { kind: 'webhook', address: 'https://on-call.example/hook' });
  await addAlertTarget(deps, { kind: 'mail', address: 'ops@firm.example' });
});
after(() => world.close());
beforeEach(() => {
  [pushed, mailed] = [[], []];
  answer = { status: 200, response: '' };
});

const down = [{ about: 'carrier:acme', says: '0 of 2 connections are bound.' }];
const aMinuteLater = (table: string, column: string) =>
  world.database.asOwner(
    `update ${table} set ${column} = ${column} - interval '61 seconds' where ${column} is not null`,
  );

describe('alerts', () => {
  it('begin once it lasts a minute, once for all nodes, and say when it is over', async () => {
    await noteChanges(deps, down);
    await sendDue(deps);
    assert.equal(pushed.length, 0);
    await aMinuteLater('alert_states', 'date_time_begun');
    for (let node = 0; node < 3; node++) {
      await noteChanges(deps, down);
      await sendDue(deps);
    }
    assert.deepEqual(
      pushed.map(({ type, says }) => [type, says]),
      [['alert.begun', '0 of 2 connections are bound.']],
    );
    assert.equal(mailed.length, 1);
    assert.match(mailed[0] ?? '', /^To: <ops@firm\.example>$/m);
    assert.equal((await readAlerts(deps)).open.length, 1);
    await noteChanges(deps, []);
    await sendDue(deps);
    assert.equal(pushed[1]?.type, 'alert.over');
    assert.equal((await readAlerts(deps)).open.length, 0);
  });

  it('wake nobody for what is over within a minute', async () => {
    await noteChanges(deps, down);
    await noteChanges(deps, []);
    await sendDue(deps);
    assert.deepEqual([pushed, mailed], [[], []]);
  });

  it('are retried with the same id, and the log says why', async () => {
    answer = { status: 503, response: 'busy' };
    await noteChanges(deps, down);
    await aMinuteLater('alert_states', 'date_time_begun');
    await noteChanges(deps, down);
    await sendDue(deps);
    await sendDue(deps);
    assert.equal(pushed.length, 1);
    const [sent] = (await readAlerts(deps)).sent.filter(({ fault }) => fault);
    assert.equal(sent?.fault, 'It answered 503.');
    answer = { status: 204, response: '' };
    await aMinuteLater('alert_deliveries', 'not_before');
    await sendDue(deps);
    assert.equal(pushed.length, 2);
    assert.equal(pushed[0]?.id, pushed[1]?.id);
  });

  it('stay open while the process that saw them runs', async () => {
    await world.database.asOwner(
      `insert into nodes values ('other/1', 'work', now(), now(), null);
       update alert_states set node = 'other/1'`,
    );
    await noteChanges(deps, []);
    assert.equal((await readAlerts(deps)).open.length, 1);
    await world.database.asOwner("delete from nodes where node = 'other/1'");
    await noteChanges(deps, []);
    assert.equal((await readAlerts(deps)).open.length, 0);
  });

  it('can be tested, and a target must be one that can be told', async () => {
    const [target] = (await readAlerts(deps)).targets;
    assert.equal(await testAlertTarget(deps, target?.targetId ?? 0), null);
    answer = { status: null, response: 'The address can’t be resolved.' };
    assert.equal(await testAlertTarget(deps, target?.targetId ?? 0), 'The address can’t be resolved.');
    await assert.rejects(addAlertTarget(deps, { kind: 'webhook', address: 'http://on-call.example' }), /https/);
    await assert.rejects(addAlertTarget(deps, { kind: 'mail', address: 'ops@x.example\nBcc: all@x.example' }), /email/);
    await assert.rejects(addAlertTarget({ ...deps, sendMail: null }, { kind: 'mail', address: 'a@b.example' }), /Mail/);
  });
});
