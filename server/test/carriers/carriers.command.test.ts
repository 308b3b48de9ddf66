import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { noCalls, withCalls } from '../../src/domain/carriers/calls.ts';
import { callStatuses, readStatus, writeStatus } from '../../src/domain/carriers/status.ts';
import type { CheckFinding } from '../../src/domain/operations/findings.ts';
import { writeHeartbeat } from '../../src/domain/operations/nodes.ts';
import { readTrafficNow } from '../../src/domain/operations/traffic-now.ts';
import type { Carrier, OpenCarrier } from '../../src/domain/ports.ts';
import { openCarrier } from '../support/carriers.ts';
import { commandsWith } from '../support/commands.ts';
import { credentialsKey, makeWorld, type World } from '../support/world.ts';

const settings = {
  hosts: [{ host: 'smsc.example', port: 2775, tls: { ca: 'CA', key: 'the private key', cert: 'ours' } }],
  systemId: 'assent',
  password: 'pa55word',
};
const hiddenSettings = {
  hosts: [{ host: 'smsc.example', port: 2775, tls: { ca: 'CA', key: '(hidden)', cert: 'ours' } }],
  systemId: 'assent',
  password: '(hidden)',
};

/** It has brought seven receipts and two replies in calls, one of them to a number that it doesn't have. */
function callingCarrier(carrierId: number): OpenCarrier {
  const carrier: Carrier = {
    name: 'acme',
    check: () => null,
    submit: async () => ({ notTaken: 'never' }),
    listen: () => async () => {},
  };
  const calls = noCalls();
  calls.receipts.delivered = 7;
  calls.replies.taken = 2;
  calls.misroutedReplies = 1;
  return openCarrier(carrier, { carrierId, readCall: () => null, calls });
}

suite('assent carriers and assent numbers', () => {
  let world: World;
  let folder: string;
  let keys = credentialsKey;
  before(async () => {
    world = await makeWorld({ dispatch: false });
    folder = mkdtempSync(join(tmpdir(), 'assent-cli-'));
  });
  after(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const { run, records, refused } = commandsWith(() => ({
    DATABASE_URL: world.database.url,
    ASSENT_DATA_DIR: folder,
    CREDENTIALS_KEY: keys,
  }));
  const fileOf = (value: unknown) => {
    const path = join(folder, 'settings.json');
    writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
    return path;
  };
  const add = (name: string, given: unknown = settings) =>
    records(['carriers', 'add', name, '--kind', 'smpp', '--settings', '-'], JSON.stringify(given));

  test('the help lists every kind', async () => {
    const { stdout } = await run(['carriers', 'add', '--help']);
    assert.match(stdout, /--kind smpp\|twilio\|telnyx/);
  });

  test('a carrier’s secrets are sealed and never shown, not even in the archive', async () => {
    const [added] = await add('acme');
    assert.deepEqual([added.name, added.kind, added.settings], ['acme', 'smpp', hiddenSettings]);
    const list = await run(['carriers', 'list']);
    assert.match(list.stdout, /acme/);
    assert.match(list.stdout, /sandbox/);
    assert.doesNotMatch(list.stdout, /pa55word|private/);
    const stored = await world.database.asOwner<{ found: boolean }>(
      `select position('pa55word'::bytea in sealed_settings) > 0 as found from carriers where name = 'acme'
       union all
       select position('pa55word'::bytea in body) > 0 from archive_bodies`,
    );
    assert.ok(stored.length > 1 && stored.every(({ found }) => !found));
  });

  test('wrong settings are named, all at once', async () => {
    const wrong = { hosts: [{ host: 'x', port: '1' }], systemId: 'much too long for SMPP', passwrod: 'x', binds: 0 };
    const said = await run(['carriers', 'add', 'bad', '--kind', 'smpp', '--settings', fileOf(wrong)]);
    assert.equal(said.status, 1);
    for (const named of [
      /password is missing/,
      /no setting passwrod/,
      /hosts\/0\/port must be integer/,
      /systemId/,
      /binds/,
    ])
      assert.match(said.stderr, named);
    await refused(1, [
      [['carriers', 'add', 'bad', '--kind', 'pigeon', '--settings', fileOf(settings)], /no kind of carrier pigeon/],
      [['carriers', 'add', 'bad', '--kind', 'sandbox', '--settings', fileOf({})], /no kind of carrier sandbox/],
      [['carriers', 'add', 'Bad Name', '--kind', 'smpp', '--settings', fileOf(settings)], /name/],
      [['carriers', 'add', 'acme', '--kind', 'smpp', '--settings', fileOf(settings)], /already/],
      [['carriers', 'set', 'sandbox', '--disabled', 'yes'], /can’t be changed or removed/],
      [['carriers', 'remove', 'nobody', '--yes'], /no carrier nobody/],
    ]);
    await refused(2, [
      [['carriers', 'add', 'bad', '--kind', 'smpp', '--settings', fileOf('{"password": "hush"')], /not valid JSON/],
      [['carriers', 'set', 'acme'], /at least one/],
    ]);
  });

  test('a change keeps the rest, a hidden secret too; verification knows all of it', async () => {
    const change = { ...hiddenSettings, window: 50, answersKeywords: true };
    const [changed] = await records(['carriers', 'set', 'acme', '--settings', '-'], JSON.stringify(change));
    assert.deepEqual(changed.settings, change);
    const { settings: opened } = await openedRow();
    assert.deepEqual(opened, { ...settings, window: 50, answersKeywords: true });
    const [less] = await records(['carriers', 'set', 'acme', '--settings', '-'], '{"window": null}');
    assert.equal('window' in less.settings, false);
    const [off] = await records(['carriers', 'set', 'acme', '--disabled', 'yes']);
    assert.equal(off.disabled, true);
    await records(['carriers', 'set', 'acme', '--disabled', 'no']);
  });

  async function openedRow() {
    const [row] = await world.database.asOwner<{ sealed: Buffer; id: number }>(
      `select sealed_settings as sealed, carrier_id as id from carriers where name = 'acme'`,
    );
    const { makeSealer } = await import('../../src/domain/shared/sealing.ts');
    const sealer = makeSealer(keys.split(',').map((key) => Buffer.from(key, 'base64')));
    return { row, settings: JSON.parse(sealer.open(row?.sealed ?? assert.fail(), `carriers/${row?.id}`)) };
  }

  test('settings are sealed again with a new key, and stay what the archive says', async () => {
    const newKey = randomBytes(32).toString('base64');
    keys = `${newKey},${credentialsKey}`;
    const said = await run(['secrets', 'reseal']);
    assert.match(said.stderr, /1 carriers/);
    keys = newKey;
    assert.equal((await openedRow()).settings.password, 'pa55word');
    keys = `${credentialsKey},${newKey}`;
    await run(['secrets', 'reseal']);
    keys = credentialsKey;
  });

  test('a number names its carrier, moves, and is released', async () => {
    const [firm] = await records(['firms', 'list']);
    const email = 'cleo@test.example';
    await records(['advisors', 'add', String(firm.firmId), '--name', 'Cleo', '--email', email]);
    const number = '+15005553001';
    const [added] = await records([
      ...['numbers', 'add', number, '--advisor', email, '--carrier', 'acme'],
      ...['--pace', '3', '--campaign', 'C12345'],
    ]);
    assert.deepEqual(
      [added.number, added.advisor, added.carrier, added.pace, added.campaign],
      [number, email, 'acme', 3, 'C12345'],
    );
    await refused(1, [
      [['numbers', 'add', '+15005553002', '--advisor', email, '--carrier', 'acme'], /has the number/],
      [['numbers', 'set', '+15005553999', '--pace', '1'], /No advisor has/],
      [['numbers', 'set', number, '--carrier', 'nobody'], /no carrier nobody/],
      [['carriers', 'remove', 'acme', '--yes'], /Numbers use acme/],
    ]);
    const [set] = await records([
      'numbers',
      'set',
      number,
      '--carrier',
      'sandbox',
      '--pace',
      'unlimited',
      '--campaign',
      'none',
    ]);
    assert.deepEqual([set.carrier, set.pace, set.campaign], ['sandbox', null, null]);
    assert.ok((await records(['numbers', 'list'])).some((row: { number: string }) => row.number === number));
    await records(['numbers', 'set', number, '--carrier', 'acme']);
    assert.equal((await run(['numbers', 'release', number, '--yes'])).status, 0);
    assert.equal((await run(['carriers', 'remove', 'acme', '--yes'])).status, 0);
    await add('acme');
  });

  test('status and check show connections, counts and faults; a number that can’t text exits 1', async () => {
    const number = world.bob.advisor.textingNumber ?? '';
    await records(['numbers', 'set', number, '--carrier', 'acme']);
    const { carrierId } = (await records(['carriers', 'list'])).find(({ name }: { name: string }) => name === 'acme');
    const unopened = await run(['numbers', 'check', number]);
    assert.deepEqual([unopened.status, /no node has its carrier open/.test(unopened.stdout)], [1, true]);
    const connection = { name: 'transceiver 1', host: 'smsc.example:2775', inFlight: 2, window: 10, since: new Date() };
    const counts = {
      inFlight: 2,
      accepted: 40,
      refused: { unreachable: 3 },
      notTaken: { ESME_RTHROTTLED: 5 },
      inDoubt: 1,
      throttled: 5,
      perSecond: 12,
      receipts: { delivered: 30, undelivered: 2, unmatched: 1, lagMs: 2_500 },
      replies: { taken: 4, failed: 0, incomplete: 1 },
    };
    const statusWith = (state: 'bound' | 'waiting', lastFault: string | null) => ({
      name: 'acme',
      lastFault: null,
      inFlight: 2,
      misroutedReplies: 6,
      carrier: { ...counts, connections: [{ ...connection, state, lastFault }] },
    });
    await writeStatus(world.deps, [{ carrierId, status: statusWith('bound', null) }]);
    const shown = (await run(['carriers', 'status'])).stdout;
    for (const part of [
      /acme \(smpp\)/,
      /1 of 1 connections bound/,
      /unreachable 3/,
      /ESME_RTHROTTLED 5/,
      /after 2\.5 s/,
      /2\/10/,
    ])
      assert.match(shown, part);
    const calling = callingCarrier(carrierId);
    await writeStatus(world.deps, [{ carrierId, status: withCalls(statusWith('bound', null), calling.calls) }]);
    const summed = (await run(['carriers', 'status'])).stdout;
    assert.match(
      summed,
      /delivered 37, undelivered 2, unmatched 1, the last after 2\.5 s/,
      'receipts that came in calls count',
    );
    assert.match(summed, /replies to other numbers 7\n[\s\S]*replies: taken 6,/);
    const [able] = await records(['numbers', 'check', number]);
    assert.deepEqual([able.carrier, able.bound, able.faults], ['acme', 1, 'none']);
    await writeStatus(world.deps, callStatuses([calling]));
    const callsOnly = await run(['carriers', 'status']);
    assert.match(callsOnly.stdout, /no node has it open[\s\S]*takes calls only[\s\S]*delivered 7, /);
    assert.match((await run(['status'])).stdout, /^acme +no node has it open/m);
    await writeHeartbeat(world.deps, { role: 'all', halted: null });
    const findings = JSON.parse((await run(['doctor', '--json'])).stdout) as CheckFinding[];
    assert.deepEqual(
      findings.flatMap(({ check, state, says }) => (check === 'carrier acme' ? [state, says] : [])),
      ['failing', 'no process has it open'],
    );
    const { carriers } = await readTrafficNow(world.deps);
    assert.equal(carriers.find(({ name }) => name === 'acme')?.state, 'unknown');
    const nobodys = await run(['numbers', 'check', number]);
    assert.deepEqual([nobodys.status, /no node has its carrier open/.test(nobodys.stdout)], [1, true]);
    await writeStatus(world.deps, [{ carrierId, status: statusWith('waiting', 'ESME_RINVPASWD') }]);
    const lost = await run(['numbers', 'check', number]);
    assert.deepEqual([lost.status, /no connection of its carrier is bound/.test(lost.stdout)], [1, true]);
    assert.match((await run(['carriers', 'status'])).stdout, /waiting +2\/10 +ESME_RINVPASWD/);

    await writeStatus(world.deps, [{ carrierId, status: statusWith('bound', null) }]);
    await world.database.asOwner(`update carrier_status set date_time = date_time - interval '11 seconds'`);
    const killed = (await run(['carriers', 'status'])).stdout;
    assert.match(killed, /^acme \(smpp\) +no node has it open/m, 'a node that was killed has nothing bound');
    const production = { ...world.deps, config: { ...world.config, environment: 'production' as const } };
    assert.deepEqual(
      [(await readStatus(world.deps))[0]?.name, (await readStatus(production))[0]?.name],
      ['sandbox', 'acme'],
    );
  });
});
