import assert from 'node:assert/strict';
import { after, beforeEach, suite, test } from 'node:test';
import type { Deps } from '../../src/deps.ts';
import { addStaff } from '../../src/domain/accounts/staff.ts';
import { growTree } from '../../src/domain/archive/archive-tree.ts';
import { recordOptOut } from '../../src/domain/consent/consents.ts';
import { claimTexts } from '../../src/domain/delivery/claims.ts';
import { recordOutcome } from '../../src/domain/delivery/outcomes.ts';
import { receiveReceipt } from '../../src/domain/delivery/receipts.ts';
import { acceptStep } from '../../src/domain/operations/clock-steps.ts';
import { requireRightTime, startDatabaseClock } from '../../src/domain/shared/database-clock.ts';
import { beginSession, findSession, isFresh } from '../../src/domain/sign-in/sessions.ts';
import { forgetExpiredSignIns } from '../../src/domain/sign-in/sign-ins.ts';
import { takeAttempt } from '../../src/domain/sign-in/throttles.ts';
import { makeLog } from '../../src/log.ts';
import { insertEntries, type NewEntry } from '../../src/store/archive/archive.ts';
import { sandboxCarrierId } from '../../src/store/carriers/carriers.ts';
import { DatabaseUnable } from '../../src/store/database/errors.ts';
import { signer } from '../archive/small-archive.ts';
import { stateOf } from '../support/people.ts';
import { acceptedPhone, send } from '../support/texting.ts';
import { makeWorld } from '../support/world.ts';

const world = await makeWorld({ dispatch: false });
after(() => world.close());
const { asOwner } = world.database;
const { db } = world.deps;

/** Milliseconds that this machine's clock is off, and that have passed beside those that really have. */
const machine = { offMs: 0, passedMs: 0 };
const clocks = {
  wallMs: () => Date.now() + machine.offMs,
  monotonicMs: () => performance.now() + machine.passedMs,
};
beforeEach(async () => {
  Object.assign(machine, { offMs: 0, passedMs: 0 });
  await asOwner('update database_time set latest = now()');
});

const entry: NewEntry = {
  ...{ advisorId: 0, kind: 'setting', memberId: null, actor: 'operator' },
  ...{ traceId: null, meta: { what: 'test' }, body: 'x' },
};
const isNear = (date: Date, ms: number) => assert.ok(Math.abs(date.getTime() - ms) < 1_000, date.toISOString());

test('it is the database’s time, whatever this machine’s clock says', async () => {
  machine.offMs = 86_400_000;
  const clock = await startDatabaseClock(db, clocks);
  isNear(clock.now(), Date.now());
  assert.match(clock.fault() ?? '', /this machine’s clock is 86400\.\d s ahead of the database’s/);
  assert.throws(() => requireRightTime({ databaseClock: clock }), { code: 'downstream_unavailable' });
  machine.offMs = -1_000;
  assert.equal(clock.fault(), null);
});

test('a process that couldn’t look for ten seconds accepts nothing until it could', async () => {
  const clock = await startDatabaseClock(db, clocks);
  machine.passedMs = 9_000;
  machine.offMs = 9_000;
  assert.equal(clock.fault(), null);
  machine.passedMs = machine.offMs = 11_000;
  assert.match(clock.fault() ?? '', /couldn’t be read for 10 s/);
  machine.offMs = 0;
  await clock.anchor();
  assert.equal(clock.fault(), null);
  isNear(clock.now(), Date.now());
});

test('where the database’s clock was set back, time stands still, and nothing is recorded', async () => {
  const clock = await startDatabaseClock(db, clocks);
  await asOwner(`update database_time set latest = now() + interval '1 hour'`);
  await clock.anchor();
  assert.match(clock.fault() ?? '', /was set back: it is 3(599|600)\.\d s before/);
  isNear(clock.now(), Date.now() + 3_600_000);
  await assert.rejects(insertEntries(db, [entry], clock.now()), DatabaseUnable);
  const rule = 'select set_retention($1, 7, $2, null)';
  await assert.rejects(asOwner(rule, [world.ann.advisor.firmId, 'operator']), /set back/);
  await asOwner('update database_time set latest = now()');
  await clock.anchor();
  assert.equal(clock.fault(), null);
  await insertEntries(db, [entry], clock.now());
});

test('an operator accepts the step, which is an entry with the time that the clock says now', async () => {
  const staff = await addStaff(world.deps, {
    name: 'Dana',
    email: 'dana@test.example',
    firmId: null,
    role: 'operator',
  });
  const clock = await startDatabaseClock(db, clocks);
  const deps = { ...world.deps, clock, databaseClock: clock, sandboxClock: undefined };
  const accept = () => acceptStep(deps, { reason: 'It was an hour ahead', staff });
  await assert.rejects(accept(), { code: 'conflict' });
  await asOwner(`update database_time set latest = now() + interval '1 hour'`);
  await clock.anchor();
  const { entry: number } = await accept();
  assert.equal(clock.fault(), null);
  const [entry] = await asOwner<{ at: Date; actor: string }>(
    `select date_time_created as at, actor
     from archive_entries
     where advisor_id = 0 and number = $1 and meta like '{"what":"clock step accepted",%'`,
    [number],
  );
  isNear(entry?.at as Date, Date.now());
  assert.equal(entry?.actor, `staff:${staff.staffId}`);
});

test('a checkpoint is not from before a step that it covers, also by a process that has yet to hear of it', async () => {
  await asOwner(`update database_time set latest = now() + interval '1 hour'`);
  const clock = await startDatabaseClock(db, clocks);
  await asOwner('update database_time set latest = now()');
  await insertEntries(db, [entry], new Date());
  await growTree({ ...world.deps, signer, databaseClock: clock });
  const [signed] = await asOwner<{ at: Date }>('select max(date_time_created) as at from archive_checkpoints');
  isNear(signed?.at as Date, Date.now());
});

test('who is signed in, and how often somebody may try, goes by it, whatever this machine’s clock says', async (t) => {
  const { advisorId } = world.ann.advisor;
  const attempt = { address: '192.0.2.1', device: null, browser: 'Test', traceId: null, method: 'passkey' } as const;
  const { token = '' } = (await beginSession(world.deps, { advisorId }, attempt)) ?? {};
  const now = new Date();
  const deps = { ...world.deps, databaseClock: { ...world.deps.databaseClock, now: () => now } };
  const bucket = { name: 'test', burst: 1, perSecond: 0.001 };
  assert.equal(await takeAttempt(deps, [bucket]), null);
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 86_400_000 });
  await forgetExpiredSignIns(deps);
  const session = await findSession(deps, token);
  assert.ok(session && isFresh(deps, session));
  assert.equal(await takeAttempt(deps, [bucket]), 1_000);
  const before = { ...deps, databaseClock: { ...deps.databaseClock, now: () => new Date(now.getTime() - 3_600_000) } };
  assert.equal(isFresh(before, session), false, 'it began before the database’s clock was set back');
});

suite('under a clock that is a day ahead', () => {
  /** What was recorded last of this kind, by a process that accepts nothing. */
  async function recorded(kind: string, act: (deps: Deps) => Promise<unknown>) {
    machine.offMs = 86_400_000;
    const clock = await startDatabaseClock(db, clocks);
    assert.throws(() => requireRightTime({ databaseClock: clock }), { code: 'downstream_unavailable' });
    await act({ ...world.deps, clock, databaseClock: clock });
    const [entry] = await asOwner<{ at: Date; meta: Record<string, unknown> }>(
      `select date_time_created as at, meta::json as meta
       from archive_entries
       where kind = $1
       order by recorded_at desc, number desc
       limit 1`,
      [kind],
    );
    isNear(entry?.at as Date, Date.now());
    return entry?.meta;
  }

  test('a receipt is taken, with the database’s time', async () => {
    await send(world.ann, { phone: await acceptedPhone(world, world.ann), text: 'Hello' });
    const { texts } = await claimTexts(world.deps, sandboxCarrierId, 100);
    const node = { deps: world.deps, log: makeLog('silent'), abandoned: new AbortController().signal };
    for (const text of texts) await recordOutcome(node, text, { accepted: `id-${text.messageId}` });
    const receipt = { carrierMessageId: `id-${texts.at(-1)?.messageId}`, status: 'delivered' } as const;
    const meta = await recorded('outcome', (deps) => receiveReceipt(deps, sandboxCarrierId, receipt));
    assert.equal(meta?.outcome, 'delivered');
  });

  test('a revocation that staff record is taken, with the database’s time', async () => {
    const phone = await acceptedPhone(world, world.ann);
    const { advisorId, firmId } = world.ann.advisor;
    const staff = await addStaff(world.deps, { name: 'Sue', email: 'sue@test.example', firmId });
    const given = { advisorId, phone, proof: 'By phone', staff };
    const meta = await recorded('consent', (deps) => recordOptOut(deps, given));
    assert.equal(meta?.to, 'opted_out');
    assert.equal(await stateOf(world, world.ann, phone), 'opted_out');
  });
});

test('an entry further than twenty seconds from the database’s clock is refused, in a sandbox from its own', async () => {
  const at = (ms: number) => insertEntries(db, [entry], new Date(Date.now() + ms));
  for (const ms of [-15_000, 15_000]) await at(ms);
  for (const ms of [-25_000, 25_000, -3_600_000, 120_000]) await assert.rejects(at(ms), DatabaseUnable);
  await world.clock.advance(3_600_000);
  await at(3_600_000);
  await at(0);
  await assert.rejects(at(3_630_000), DatabaseUnable);
});
