import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { addStaff } from '../../src/domain/accounts/staff.ts';
import { dayMs, dayOf, startOf } from '../../src/domain/shared/time.ts';
import { passRealTime, yearsMs } from '../archive/passing-years.ts';
import { signer } from '../archive/small-archive.ts';
import { commandsWith } from '../support/commands.ts';
import { entries, say } from '../support/people.ts';
import { acceptedPhone, newPhone, send } from '../support/texting.ts';
import { makeWorld, type World } from '../support/world.ts';

suite('assent for record keeping', () => {
  let world: World;
  let folder: string;
  before(async () => {
    world = await makeWorld({ dispatch: false });
    folder = mkdtempSync(join(tmpdir(), 'assent-cli-'));
    const { firmId } = world.ann.advisor;
    await addStaff(world.deps, { firmId, name: 'Sue', email: 'sue@test.example' });
    // To noon of the next day, so that no test runs into midnight.
    const now = world.clock.now().getTime();
    await world.clock.advance(startOf(dayOf(new Date(now + dayMs))).getTime() + dayMs / 2 - now);
  });
  after(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const env = () => ({ DATABASE_URL: world.database.url, ASSENT_DATA_DIR: folder });
  const { run, records, refused } = commandsWith(env);
  const act = ['--reason', 'Smith v. Jones', '--by', 'sue@test.example'];

  test('shows and sets retention; holds, releases and disposes of records', async () => {
    const { firmId } = world.ann.advisor;
    const phone = newPhone();
    await say(world, world.ann, phone, 'Hello');
    const [shown] = await records(['retention', 'show', String(firmId)]);
    assert.deepEqual(shown, { firmId, firm: 'Test Wealth', years: 7, nextYears: null, nextFrom: null });
    const [set] = await records(['retention', 'set', String(firmId), '--years', '3']);
    assert.deepEqual([set.years, set.nextYears], [7, 3]);
    await world.clock.advance(yearsMs(3));
    await passRealTime(world.database, { ...world.deps, signer, checkpointFolder: null }, yearsMs(3));
    const [hold] = await records(['holds', 'add', '--advisor', 'ann@test.example', '--phone', phone, ...act]);
    assert.deepEqual([hold.phone, hold.by, hold.liftedBy], [phone, 'Sue', null]);
    assert.match(
      (await run(['archive', 'dispose', '--yes'])).stderr,
      /removed: 0\. Past their retention, but kept: 3\./,
    );
    assert.equal((await run(['holds', 'lift', String(hold.holdId), ...act])).status, 0);
    const [listed, dry] = await Promise.all([records(['holds', 'list']), run(['archive', 'dispose', '--dry-run'])]);
    assert.deepEqual([listed.length, listed[0].liftedBy], [1, 'Sue']);
    assert.match(dry.stderr, /would be removed: 0\./, 'the hold still keeps it for a week');
    const acts = (await entries(world, world.ann, phone, 'hold')).map(({ meta }) => [meta.action, meta.via]);
    assert.deepEqual(acts, [
      ['added', 'command'],
      ['lifted', 'command'],
    ]);
    await passRealTime(world.database, { ...world.deps, signer, checkpointFolder: null }, yearsMs(0.1));
    const { stdout, stderr } = await run(['archive', 'dispose', '--yes']);
    assert.match(stderr, /removed: 1\./);
    assert.match(stdout, /ann +1 +1 +no/);
  });

  test('a hold has one target, and a wrong call says how to name it', async () => {
    const wrong = [
      ['--phone', '+12125550100'],
      ['--firm', '1', '--advisor', 'ann@test.example'],
    ];
    await refused(
      2,
      wrong.map((each) => [['holds', 'add', ...each, ...act], /--firm FIRM, or --advisor/]),
    );
  });

  test('a reconciliation with discrepancies exits 1 and names them', async () => {
    const { messageId } = (await send(world.ann, { phone: await acceptedPhone(world, world.ann), text: 'Hello' })).body
      .successes[0];
    await world.dispatcher.settled();
    const day = dayOf(world.clock.now());
    await world.clock.advance(dayMs);
    const fine = await run(['archive', 'reconcile']);
    assert.equal(fine.status, 0, fine.stderr);
    assert.match(fine.stderr, /everything agrees/);
    await world.database.asOwner('delete from handset_messages');
    const asked = (on: string) => ['archive', 'reconcile', '--day', on];
    const found = await run(asked(day));
    assert.equal(found.status, 1);
    assert.match(found.stdout, new RegExp(`accepted attempt without a carrier record +message ${messageId}`));
    assert.match(found.stderr, /1 discrepancies\.\n$/);
    // A finding and a failure are told apart.
    await refused(3, [
      [asked('2031-02-30'), /--day must be a date/],
      [asked('2999-01-01'), /2999-01-01 has not begun/],
    ]);
    const nowhere = commandsWith(() => ({ ...env(), DATABASE_URL: 'postgres://nobody:x@127.0.0.1:1/none' }));
    await nowhere.refused(3, [[asked(day), /The database can’t be reached/]]);
  });

  test('a reconciliation shows the texts in doubt, and says whose records it compared', async () => {
    const { asOwner } = world.database;
    const { messageId } = (await send(world.ann, { phone: await acceptedPhone(world, world.ann), text: 'Hello' })).body
      .successes[0];
    const day = dayOf(world.clock.now());
    await asOwner(`update messages set status = 'in_doubt' where message_id = $1`, [messageId]);
    await asOwner(
      `insert into attempts (advisor_id, message_id, attempt, outcome, date_time_started)
       select advisor_id, message_id, 1, 'unknown', date_time_created from messages where message_id = $1`,
      [messageId],
    );
    await asOwner(
      `insert into carriers (name, kind, disabled, date_time_created)
       values ('old', 'sandbox', true, now()), ('unknown', 'pigeons', false, now())`,
    );
    await world.clock.advance(dayMs);
    const { status, stdout, stderr } = await run(['archive', 'reconcile', '--day', day]);
    assert.equal(status, 0, stderr);
    assert.match(stdout, new RegExp(`^ *\\d+ +${messageId}\\b`, 'm'));
    assert.match(stderr, /^Compared with the records of: sandbox\.$/m);
    assert.match(stderr, /^Not compared, since they are disabled or can’t be opened: old, unknown\.$/m);
    assert.match(stderr, new RegExp(`^${day}: 1 texts are in doubt\\.$`, 'm'));
    const [found] = JSON.parse((await run(['archive', 'reconcile', '--day', day, '--json'])).stdout);
    assert.deepEqual(
      found.doubts.map((each: { messageId: number }) => each.messageId),
      [messageId],
    );
  });
});
