import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { type Deps, inTransaction } from '../../src/deps.ts';
import { type Advisor, addAdvisor } from '../../src/domain/accounts/advisors.ts';
import { addFirm } from '../../src/domain/accounts/firms.ts';
import { addStaff, type Staff } from '../../src/domain/accounts/staff.ts';
import { startImport } from '../../src/domain/address-book/contact-imports.ts';
import { createContacts } from '../../src/domain/address-book/contacts.ts';
import { byOperator } from '../../src/domain/archive/archive.ts';
import { compareTables } from '../../src/domain/archive/verification/tables.ts';
import { optOutByCarrier, recordConsent, recordOptOut } from '../../src/domain/consent/consents.ts';
import { setFirm } from '../../src/domain/consent/firm-opt-outs.ts';
import { decideReview } from '../../src/domain/consent/reviews.ts';
import { sendMessage } from '../../src/domain/messages/messages.ts';
import { listReviews } from '../../src/domain/supervision/reviews.ts';
import { moved } from '../support/database.ts';
import { ask, entries, kindsSent, memberOf, say, stateOf } from '../support/people.ts';
import { consentsPath, lookUp, newPhone, send, setConsent } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { makeWorld, type Person } from '../support/world.ts';

const world = await makeWorld({ dispatch: false });
after(() => world.close());
const { ann, bob, deps, clock, database } = world;
const { firmId } = ann.advisor;
let sue: Staff;

before(async () => {
  sue = await addStaff(deps, { firmId, name: 'Sue', email: 'sue@test.example' });
});

/** A number that both advisors know and may text. */
async function sharedPhone(): Promise<string> {
  const phone = newPhone();
  for (const person of [ann, bob]) {
    await ask(world, person, phone);
    await say(world, person, phone, 'ACCEPT');
  }
  return phone;
}

async function statesOf(phone: string): Promise<string[]> {
  return [await stateOf(world, ann, phone), await stateOf(world, bob, phone)];
}

let numbers = 5_553_000;

/** A new advisor, of this firm unless another is given. */
async function newcomer(of = firmId): Promise<Person> {
  const advisor: Advisor = await addAdvisor(deps, {
    firmId: of,
    name: 'Cam',
    email: `${randomUUID()}@test.example`,
    textingNumber: `+1500${++numbers}`,
  });
  return { ...ann, advisor };
}

/** The ways in which an advisor's book gets numbers. */
const waysToAdd: Record<string, (deps: Deps, advisorId: number, phones: string[]) => Promise<unknown>> = {
  'a new contact': (deps, advisorId, phones) =>
    createContacts(
      deps,
      advisorId,
      phones.map((phone) => ({ phone })),
      0,
    ),
  'an import': (deps, advisorId, phones) =>
    startImport(deps, advisorId, { dryRun: false }).save(
      phones.map((phone, index) => ({ line: index + 1, fields: { phone }, groups: [] })),
    ),
};

async function lastMove(person: Person, phone: string) {
  const { actor, meta, body } = (await entries(world, person, phone, 'consent')).at(-1) ?? assert.fail('no entry');
  return { actor, meta, evidence: JSON.parse(body) };
}

async function reviewsOf(phone: string, kind: 'possible_opt_out' | 'out_of_order') {
  const reviews = await listReviews(deps, { firmId, status: 'open', kind });
  return reviews.filter((review) => review.phone === phone);
}

suite('where a stop counts for the advisor, which is the default', () => {
  test('a STOP to one advisor changes nothing for the others, present or future', async () => {
    const phone = await sharedPhone();
    await say(world, ann, phone, 'STOP');
    assert.deepEqual(await statesOf(phone), ['opted_out', 'accepted']);
    const cam = await newcomer();
    await ask(world, cam, phone);
    assert.equal(await stateOf(world, cam, phone), 'pending');
  });
});

suite('where a stop counts for the firm', () => {
  before(() => setFirm(deps, firmId, { optOutScope: 'firm' }));

  test('a STOP to one advisor opts the number out for the others, each with its own entry; one of them confirms', async () => {
    const phone = await sharedPhone();
    await say(world, ann, phone, 'STOP');
    assert.deepEqual(await statesOf(phone), ['opted_out', 'opted_out']);
    assert.deepEqual((await kindsSent(world, ann, phone)).slice(-1), ['opt_out']);
    assert.ok(!(await kindsSent(world, bob, phone)).includes('opt_out'));
    const [reply] = (await entries(world, ann, phone, 'text_in')).slice(-1);
    const { actor, meta, evidence } = await lastMove(bob, phone);
    assert.equal(actor, 'person');
    assert.deepEqual(meta, { from: 'accepted', to: 'opted_out', reason: 'firm_opt_out', channel: 'text', phone });
    assert.deepEqual(evidence.stop, { advisorId: ann.advisor.advisorId, reason: 'opt_out' });
    assert.equal(evidence.reply.text, 'STOP');
    assert.equal(evidence.reply.archiveNumber, reply?.number);
    const { failureDetails } = (await send(bob, { phone, text: 'Hello' })).body;
    assert.equal(failureDetails[0].code, 'opted_out');
    await say(world, bob, phone, 'STOP');
    assert.ok(!(await kindsSent(world, bob, phone)).includes('opt_out'), 'a second STOP is silent');
  });

  test('the other advisor’s lookup shows opted_out since the STOP, and one that waits is answered', async () => {
    const phone = newPhone();
    await ask(world, ann, phone);
    await ask(world, bob, phone);
    const began = Date.now();
    const waiting = bob.call('GET', `${consentsPath}?phone=${encodeURIComponent(phone)}&wait=30`);
    await until('the lookup waits', async () => Date.now() - began > 200);
    await say(world, ann, phone, 'STOP');
    assert.equal((await waiting).body.state, 'opted_out');
    assert.ok(Date.now() - began < 29_000, 'it wasn’t the wait that ended');
    const { evidence } = await lastMove(bob, phone);
    assert.equal((await lookUp(bob, phone)).body.lastChanged, Date.parse(evidence.when));
  });

  test('a START reopens only the advisor it was sent to, and the next STOP to any of them closes that one too', async () => {
    const phone = await sharedPhone();
    await say(world, ann, phone, 'STOP', { sentAt: new Date(clock.now().getTime() - 1000) });
    await say(world, bob, phone, 'START');
    assert.equal(await stateOf(world, bob, phone), 'accepted');
    assert.equal(await stateOf(world, ann, phone), 'opted_out');
    await say(world, ann, phone, 'STOP');
    assert.deepEqual(await statesOf(phone), ['opted_out', 'opted_out']);
    const confirmations = (await kindsSent(world, ann, phone)).filter((kind) => kind === 'opt_out');
    assert.equal(confirmations.length, 2, 'this STOP changed something, so it is confirmed');
  });

  for (const [way, stop, reason] of [
    ['wording that means it', (phone: string) => say(world, ann, phone, 'please stop texting me'), 'opt_out_wording'],
    [
      'the carrier’s word',
      async (phone: string) =>
        optOutByCarrier(deps, ann.advisor.advisorId, (await memberOf(world, ann, phone)).memberId),
      'carrier',
    ],
    [
      'what somebody of the staff records',
      (phone: string) =>
        recordOptOut(deps, { advisorId: ann.advisor.advisorId, phone, proof: 'Called on 5 May', staff: sue }),
      'recorded',
    ],
    [
      'a reviewer who decides that a reply meant stop',
      async (phone: string) => {
        await say(world, ann, phone, 'wrong number');
        assert.equal((await memberOf(world, bob, phone)).heldSince, null, 'until then only Ann’s texts are held');
        const [review] = await reviewsOf(phone, 'possible_opt_out');
        await decideReview(deps, review?.reviewId ?? -1, { decision: 'rejected', staff: sue });
      },
      'possible_opt_out',
    ],
  ] as const)
    test(`${way} counts for the firm`, async () => {
      const phone = await sharedPhone();
      await stop(phone);
      assert.deepEqual(await statesOf(phone), ['opted_out', 'opted_out']);
      assert.deepEqual((await lastMove(bob, phone)).evidence.stop, { advisorId: ann.advisor.advisorId, reason });
      assert.ok(!(await kindsSent(world, bob, phone)).includes('opt_out'));
    });

  test('NO to a consent request counts for the firm', async () => {
    const phone = newPhone();
    await ask(world, bob, phone);
    await say(world, bob, phone, 'ACCEPT');
    await ask(world, ann, phone);
    await say(world, ann, phone, 'NO');
    assert.deepEqual(await statesOf(phone), ['opted_out', 'opted_out']);
    assert.equal((await lastMove(bob, phone)).evidence.stop.reason, 'declined');
  });

  test('texts that the other advisor has waiting for a doubtful reply fail', async () => {
    const phone = await sharedPhone();
    await say(world, bob, phone, 'wrong number');
    const { messageId } = (await sendMessage(deps, bob.advisor.advisorId, { phone, text: 'Hi' }, byOperator))
      .successes[0] ?? { messageId: null };
    await say(world, ann, phone, 'STOP');
    const rows = await database.asOwner<{ status: string; code: string }>(
      'select status, failure_code as code from messages where message_id = $1',
      [messageId],
    );
    assert.deepEqual(rows, [{ status: 'failed', code: 'opted_out' }]);
    assert.equal((await memberOf(world, bob, phone)).heldSince, null);
  });

  test('the carrier’s word about a person who opted out already is no new stop for the others', async () => {
    const phone = await sharedPhone();
    await say(world, ann, phone, 'STOP', { sentAt: new Date(clock.now().getTime() - 1000) });
    await say(world, bob, phone, 'START');
    await optOutByCarrier(deps, ann.advisor.advisorId, (await memberOf(world, ann, phone)).memberId);
    assert.deepEqual(await statesOf(phone), ['opted_out', 'accepted']);
  });

  test('an advisor who gets to know the number later starts opted out, with an entry that has the reply', async () => {
    const phone = newPhone();
    await say(world, ann, phone, 'STOP');
    const cam = await newcomer();
    const { failures } = await ask(world, cam, phone);
    assert.deepEqual(
      failures.map(({ code }) => code),
      ['opted_out'],
    );
    const { actor, meta, evidence } = await lastMove(cam, phone);
    assert.equal(actor, 'service');
    assert.deepEqual(meta, { from: 'none', to: 'opted_out', reason: 'firm_opt_out', channel: 'text', phone });
    assert.deepEqual(evidence.stop, { advisorId: ann.advisor.advisorId, reason: 'opt_out' });
    assert.equal(evidence.reply.text, 'STOP');
    assert.equal((await entries(world, cam, phone, 'consent')).length, 1);
  });

  for (const [way, add] of Object.entries(waysToAdd))
    test(`so does one who gets the number by ${way}, and one who learns of it from an advisor that a stop was extended to`, async () => {
      const [phone, other] = [await sharedPhone(), newPhone()];
      await say(world, ann, phone, 'STOP');
      await database.asOwner('update members set stopped_at = null where phone = $1 and advisor_id = $2', [
        phone,
        ann.advisor.advisorId,
      ]);
      const cam = await newcomer();
      await add(deps, cam.advisor.advisorId, [phone, other]);
      assert.equal(await stateOf(world, cam, phone), 'opted_out');
      assert.equal(await stateOf(world, cam, other), 'none');
      assert.deepEqual((await lastMove(cam, phone)).evidence.stop, {
        advisorId: ann.advisor.advisorId,
        reason: 'opt_out',
      });
    });

  test('a START to a new advisor counts if it was written after the stop', async () => {
    const phone = newPhone();
    const stoppedAt = new Date(clock.now().getTime() - 60_000);
    await say(world, ann, phone, 'STOP', { sentAt: stoppedAt });
    const [early, late] = [await newcomer(), await newcomer()];
    await say(world, early, phone, 'START', { sentAt: new Date(stoppedAt.getTime() - 1) });
    await say(world, late, phone, 'START', { sentAt: new Date(stoppedAt.getTime() + 1) });
    assert.equal(await stateOf(world, early, phone), 'opted_out');
    assert.equal(await stateOf(world, late, phone), 'accepted');
  });

  test('advisors of another firm are not concerned', async () => {
    const phone = await sharedPhone();
    const stranger = await newcomer((await addFirm(deps, 'Other Wealth')).firmId);
    await setConsent(world, stranger, phone, 'accepted');
    await say(world, ann, phone, 'STOP');
    assert.equal(await stateOf(world, stranger, phone), 'accepted');
  });

  test('one that is recorded counts again for everybody, and its proof is kept, also if the advisor knew of one', async () => {
    const phone = await sharedPhone();
    await say(world, ann, phone, 'STOP');
    await clock.advance(1_000);
    await say(world, bob, phone, 'START');
    assert.deepEqual(await statesOf(phone), ['opted_out', 'accepted']);
    const { lastChanged } = await memberOf(world, ann, phone);
    const proof = 'Called: no texts from anybody';
    const status = await recordOptOut(deps, { advisorId: ann.advisor.advisorId, phone, proof, staff: sue });
    assert.deepEqual(status.lastChanged, lastChanged);
    assert.deepEqual(await statesOf(phone), ['opted_out', 'opted_out']);
    assert.equal((await lastMove(ann, phone)).evidence.proof, proof);
    assert.deepEqual(await compareTables(deps), []);
  });

  test('paper doesn’t undo it, and a START stamped before the stop doesn’t either', async () => {
    const phone = await sharedPhone();
    await say(world, ann, phone, 'STOP');
    const consent = { advisorId: bob.advisor.advisorId, phone, proof: 'Form 7', staff: sue };
    await assert.rejects(recordConsent(deps, consent), /START/);
    await say(world, bob, phone, 'START', { sentAt: new Date(clock.now().getTime() - 60_000) });
    assert.equal(await stateOf(world, bob, phone), 'opted_out');
    assert.equal((await reviewsOf(phone, 'out_of_order')).length, 1);
  });

  test('a STOP that arrives late opts out of an advisor whose START was written after it, with a review', async () => {
    const phone = newPhone();
    await say(world, bob, phone, 'START');
    await say(world, ann, phone, 'STOP', { sentAt: new Date(clock.now().getTime() - 60_000) });
    assert.deepEqual(await statesOf(phone), ['opted_out', 'opted_out']);
    assert.equal((await reviewsOf(phone, 'out_of_order')).length, 1);
  });
});

suite('when the setting changes', () => {
  test('earlier stops then count for the firm, except where the person agreed after them', async () => {
    await setFirm(deps, firmId, { optOutScope: 'advisor' });
    const [before, between] = [await sharedPhone(), await sharedPhone()];
    await say(world, ann, before, 'STOP');
    await say(world, ann, between, 'STOP', { sentAt: new Date(clock.now().getTime() - 1000) });
    const earlier = moved('last_changed', "interval '-1 s'");
    await database.asOwner(`update members set last_changed = ${earlier} where phone = $1`, [between]);
    await say(world, bob, between, 'STOP', { sentAt: new Date(clock.now().getTime() - 500) });
    await say(world, bob, between, 'START');
    assert.deepEqual(await statesOf(before), ['opted_out', 'accepted']);
    for (let times = 0; times < 2; times++) await setFirm(deps, firmId, { optOutScope: 'firm' });
    assert.deepEqual(await statesOf(before), ['opted_out', 'opted_out']);
    assert.deepEqual(await statesOf(between), ['opted_out', 'accepted']);
    const { actor, meta, evidence } = await lastMove(bob, before);
    assert.deepEqual([actor, meta.reason], ['operator', 'firm_opt_out']);
    assert.equal(evidence.reply.text, 'STOP');
    await setFirm(deps, firmId, { optOutScope: 'advisor' });
    assert.deepEqual(await statesOf(before), ['opted_out', 'opted_out'], 'nobody is opted back in');
  });
});

suite('races', () => {
  before(() => setFirm(deps, firmId, { optOutScope: 'firm' }));

  test('STOPs to two advisors at once: both opted out, one entry each, one confirmation', async () => {
    const phones = await Promise.all(Array.from({ length: 20 }, sharedPhone));
    await Promise.all(phones.flatMap((phone) => [ann, bob].map((person) => say(world, person, phone, 'STOP'))));
    for (const phone of phones) {
      assert.deepEqual(await statesOf(phone), ['opted_out', 'opted_out']);
      const sent = await Promise.all([ann, bob].map((person) => kindsSent(world, person, phone)));
      assert.equal(sent.flat().filter((kind) => kind === 'opt_out').length, 1);
      for (const person of [ann, bob]) {
        const moves = await entries(world, person, phone, 'consent');
        assert.equal(moves.filter(({ meta }) => meta.to === 'opted_out').length, 1);
      }
    }
  });

  for (const [way, add] of Object.entries(waysToAdd))
    test(`a STOP waits for an advisor who is just getting to know the number by ${way}, and opts it out there too`, async () => {
      const phone = newPhone();
      const inserted = Promise.withResolvers<void>();
      const commit = Promise.withResolvers<void>();
      const creating = inTransaction(deps, async (deps) => {
        await add(deps, bob.advisor.advisorId, [phone]);
        inserted.resolve();
        await commit.promise;
      });
      await inserted.promise;
      const stopping = say(world, ann, phone, 'STOP');
      const waits = async () =>
        (await database.asOwner("select from pg_locks where locktype = 'advisory' and not granted")).length > 0;
      await until('the STOP waits', waits);
      commit.resolve();
      await Promise.all([creating, stopping]);
      assert.deepEqual(await statesOf(phone), ['opted_out', 'opted_out']);
    });

  test('a number that becomes known while a STOP is being written starts opted out', async () => {
    const phones = Array.from({ length: 40 }, newPhone);
    const cam = await newcomer();
    await Promise.all([
      ...phones.flatMap((phone) => [
        say(world, ann, phone, 'STOP'),
        sendMessage(deps, bob.advisor.advisorId, { phone, text: 'Hi' }, byOperator),
      ]),
      waysToAdd['an import']?.(deps, cam.advisor.advisorId, phones),
    ]);
    for (const phone of phones) {
      assert.deepEqual(await statesOf(phone), ['opted_out', 'opted_out']);
      assert.equal(await stateOf(world, cam, phone), 'opted_out');
      for (const person of [bob, cam]) assert.equal((await entries(world, person, phone, 'consent')).length, 1);
    }
  });
});
