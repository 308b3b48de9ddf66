import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { inTransaction } from '../../src/deps.ts';
import { addAdvisor, setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { addFirm } from '../../src/domain/accounts/firms.ts';
import { addStaff, type Staff } from '../../src/domain/accounts/staff.ts';
import { createContacts } from '../../src/domain/address-book/contacts.ts';
import { byOperator } from '../../src/domain/archive/archive.ts';
import { compareTables } from '../../src/domain/archive/verification/tables.ts';
import { recordOptOut } from '../../src/domain/consent/consents.ts';
import { decideReview } from '../../src/domain/consent/reviews.ts';
import { claimTexts } from '../../src/domain/delivery/claims.ts';
import { knowManyNumbers } from '../../src/domain/members/known-numbers.ts';
import { sendMessage } from '../../src/domain/messages/messages.ts';
import { formsOf } from '../../src/domain/shared/phone-numbers.ts';
import { listReviews } from '../../src/domain/supervision/reviews.ts';
import { sandboxCarrierId } from '../../src/store/carriers/carriers.ts';
import { commandsWith } from '../support/commands.ts';
import { ask, entries, kindsSent, memberOf, outbox, say, stateOf } from '../support/people.ts';
import { consentsPath, lookUp, messagesPath, newPhone, send } from '../support/texting.ts';
import { makeWorld, type Person } from '../support/world.ts';

/** To the person, a number is one number whoever has it, and a phone is one phone however a carrier writes it. */

const world = await makeWorld({ dispatch: false });
after(() => world.close());
const { ann, bob, deps } = world;
const { firmId } = ann.advisor;
let sue: Staff;
let elsewhere: number;
before(async () => {
  sue = await addStaff(deps, { firmId, name: 'Sue', email: 'sue@test.example' });
  elsewhere = (await addFirm(deps, 'Elsewhere')).firmId;
});

let numbers = 5_559_000;
const newNumber = () => `+1500${++numbers}`;

/** An advisor who has a number of their own, until they are given another. */
async function newAdvisor(of = firmId): Promise<Person> {
  const email = `${randomUUID()}@test.example`;
  const advisor = await addAdvisor(deps, { firmId: of, name: 'Cam', email, textingNumber: newNumber() });
  return { ...ann, advisor };
}

async function withNumber(person: Person, textingNumber: string | null): Promise<Person> {
  await setAdvisor(deps, person.advisor.advisorId, { textingNumber });
  return { ...person, advisor: { ...person.advisor, textingNumber } };
}

async function agree(person: Person, phone: string): Promise<void> {
  await ask(world, person, phone);
  await say(world, person, phone, 'ACCEPT');
}

/** A number that one had, and another has now: to the person who was texted from it, it is the one that they know. */
async function movedNumber({ phone = newPhone(), from = firmId }: { phone?: string; from?: number } = {}) {
  const first = await newAdvisor(from);
  const number = first.advisor.textingNumber;
  await agree(first, phone);
  const casey = await withNumber(first, newNumber());
  const devon = await withNumber(await newAdvisor(), number);
  return { phone, casey, devon };
}

async function lastMove(person: Person, phone: string) {
  const { actor, meta, body } = (await entries(world, person, phone, 'consent')).at(-1) ?? assert.fail('no entry');
  return { actor, meta, evidence: JSON.parse(body) };
}

const confirmations = async (person: Person, phone: string) =>
  (await kindsSent(world, person, phone)).filter((kind) => kind === 'opt_out').length;

suite('a STOP to a number that somebody else had before', () => {
  test('counts for them too, with an entry of its own and one confirmation; START reopens only whoever has it now', async () => {
    const { phone, casey, devon } = await movedNumber();
    await say(world, devon, phone, 'STOP');
    assert.deepEqual(
      [await stateOf(world, devon, phone), await stateOf(world, casey, phone)],
      ['opted_out', 'opted_out'],
    );
    const { actor, meta, evidence } = await lastMove(casey, phone);
    assert.equal(actor, 'person');
    assert.deepEqual([meta.from, meta.to, meta.reason], ['accepted', 'opted_out', 'earlier_number']);
    assert.deepEqual(evidence.stop, { advisorId: devon.advisor.advisorId, reason: 'opt_out' });
    assert.equal(evidence.reply.text, 'STOP');
    assert.deepEqual([await confirmations(devon, phone), await confirmations(casey, phone)], [1, 0]);
    await say(world, devon, phone, 'START');
    assert.deepEqual(
      [await stateOf(world, devon, phone), await stateOf(world, casey, phone)],
      ['accepted', 'opted_out'],
    );
  });

  test('ends a text of theirs that waits for the carrier, before it is acknowledged', async () => {
    const { phone, casey, devon } = await movedNumber();
    await world.database.asOwner('delete from dispatches');
    await sendMessage(deps, casey.advisor.advisorId, { phone, text: 'Hello again' }, byOperator);
    await say(world, devon, phone, 'STOP');
    const { texts } = await claimTexts(deps, sandboxCarrierId, 100);
    assert.ok(!texts.some((text) => text.text === 'Hello again'));
  });

  test('counts for everybody who had it, and not for one who never texted them from it', async () => {
    const { phone, casey, devon } = await movedNumber();
    const stranger = await newAdvisor();
    await agree(stranger, phone);
    const number = devon.advisor.textingNumber;
    const before = await withNumber(devon, newNumber());
    await agree(before, phone);
    const other = await withNumber(stranger, number);
    const owner = await withNumber(await newAdvisor(), null);
    await withNumber(other, newNumber());
    const last = await withNumber(owner, number);
    await say(world, last, phone, 'please stop texting me');
    assert.equal(await stateOf(world, casey, phone), 'opted_out');
    assert.deepEqual(
      [await stateOf(world, before, phone), await stateOf(world, stranger, phone)],
      ['accepted', 'accepted'],
    );
  });

  test('gives another firm the stop as evidence, and neither the words nor to whom', async () => {
    const { phone, casey, devon } = await movedNumber({ from: elsewhere });
    await say(world, devon, phone, 'Please stop texting me, my account is 4711');
    assert.equal(await stateOf(world, casey, phone), 'opted_out');
    const { evidence } = await lastMove(casey, phone);
    assert.deepEqual([evidence.stop, evidence.reply], [{ reason: 'opt_out_wording' }, undefined]);
    assert.ok(!JSON.stringify(evidence).includes('4711'));
    const { run } = commandsWith(() => ({ DATABASE_URL: world.database.url }));
    const shown = await run(['consents', 'show', phone, '--advisor', String(casey.advisor.advisorId)]);
    assert.match(shown.stdout, /\n {4}stop to another firm: opt_out_wording\n/);
  });

  test('counts also when it is a NO to what they asked, or a reviewer finds that it meant stop', async () => {
    const first = await newAdvisor();
    const [asked, doubtful] = [newPhone(), newPhone()];
    await ask(world, first, asked);
    await agree(first, doubtful);
    const casey = await withNumber(first, newNumber());
    const devon = await withNumber(await newAdvisor(), first.advisor.textingNumber);
    await say(world, devon, asked, 'No');
    assert.equal(await stateOf(world, casey, asked), 'opted_out');
    await say(world, devon, doubtful, 'wrong number');
    assert.equal(await stateOf(world, casey, doubtful), 'accepted');
    const reviews = await listReviews(deps, { firmId, status: 'open', kind: 'possible_opt_out' });
    const review = reviews.find((each) => each.phone === doubtful);
    await decideReview(deps, review?.reviewId ?? -1, { decision: 'rejected', staff: sue });
    assert.equal(await stateOf(world, casey, doubtful), 'opted_out');
  });
});

suite('a phone that has two forms', () => {
  let place = 1_000;
  const mexican = () => formsOf(`+52155123${++place}0`) as [string, string];

  test('is the other form of the other form; other numbers have one', () => {
    assert.deepEqual(formsOf('+5215512345678'), ['+5215512345678', '+525512345678']);
    assert.deepEqual(formsOf('+525512345678'), ['+525512345678', '+5215512345678']);
    assert.deepEqual(formsOf('+5491123456789'), ['+5491123456789', '+541123456789']);
    assert.deepEqual(formsOf('+541123456789'), ['+541123456789', '+5491123456789']);
    for (const phone of ['+12125550100', '+5212345678', '+54911234567890', '+15215512345'])
      assert.equal(formsOf(phone).length, 1);
  });

  test('is opted out in both by a STOP from either, and a START from either ends both', async () => {
    for (const [stopped, other] of [mexican(), mexican().toReversed() as [string, string]]) {
      await agree(ann, stopped);
      await agree(ann, other);
      await say(world, ann, stopped, 'STOP');
      assert.deepEqual(
        [await stateOf(world, ann, stopped), await stateOf(world, ann, other)],
        ['opted_out', 'opted_out'],
      );
      assert.deepEqual((await lastMove(ann, other)).meta.reason, 'opt_out');
      assert.equal((await confirmations(ann, stopped)) + (await confirmations(ann, other)), 1);
      const refused = await send(ann, { phone: other, text: 'Hello' });
      assert.equal(refused.body.failureDetails[0].code, 'opted_out');
      await say(world, ann, other, 'START');
      assert.deepEqual(
        [await stateOf(world, ann, stopped), await stateOf(world, ann, other)],
        ['accepted', 'accepted'],
      );
    }
  });

  test('starts opted out in a form that becomes known later, in whatever way, and check says so before', async () => {
    const ways = {
      'a send': (phone: string) => send(ann, { phone, text: 'Hello' }),
      'a contact': (phone: string) => createContacts(deps, ann.advisor.advisorId, [{ phone }], 0),
      'an import': (phone: string) =>
        inTransaction(deps, (deps) => knowManyNumbers(deps, ann.advisor.advisorId, [phone, newPhone()])),
    };
    for (const [name, learn] of Object.entries(ways)) {
      const [stopped, other] = mexican();
      await agree(ann, stopped);
      await say(world, ann, stopped, 'STOP');
      const check = await ann.call('POST', `${messagesPath}/check`, { phone: other, text: 'Hello' });
      assert.equal(
        check.body.data[0].gates.find(({ gate }: { gate: string }) => gate === 'opt_out').passed,
        false,
        name,
      );
      await learn(other);
      assert.equal(await stateOf(world, ann, other), 'opted_out', name);
      const { meta, evidence } = await lastMove(ann, other);
      assert.deepEqual([meta.reason, evidence.reply.text, evidence.stop], ['opt_out', 'STOP', undefined], name);
    }
  });

  test('is opted out in both by the firm’s record; contacts and lookups stay by the form given', async () => {
    const [one, other] = mexican();
    await agree(ann, one);
    await createContacts(deps, ann.advisor.advisorId, [{ phone: other }], 0);
    await recordOptOut(deps, { advisorId: ann.advisor.advisorId, phone: other, proof: 'By phone', staff: sue });
    assert.deepEqual([await stateOf(world, ann, one), await stateOf(world, ann, other)], ['opted_out', 'opted_out']);
    assert.notEqual((await memberOf(world, ann, one)).memberId, (await memberOf(world, ann, other)).memberId);
    assert.equal((await lookUp(ann, one)).body.phone ?? one, one);
    // A firm's other advisors aren't concerned where a stop counts for one.
    await agree(bob, one);
    assert.equal(await stateOf(world, bob, one), 'accepted');
    const { body } = await ann.call('POST', `${consentsPath}/search`, { phoneNumbers: [one, other] });
    assert.deepEqual(
      body.data.map(({ phone }: { phone: string }) => phone),
      [one, other],
    );
  });

  test('that waits for the carrier in the other form is not texted after a STOP', async () => {
    const [one, other] = mexican();
    await agree(ann, one);
    await agree(ann, other);
    await world.database.asOwner('delete from dispatches');
    await send(ann, { phone: other, text: 'On its way' });
    await say(world, ann, one, 'STOP');
    const { texts } = await claimTexts(deps, sandboxCarrierId, 100);
    assert.deepEqual(
      texts.map(({ kind }) => kind),
      ['opt_out'],
    );
    assert.equal((await outbox(world, ann, other)).at(-1)?.text, 'On its way');
  });
});

test('the tables say what the entries say', async () => {
  assert.deepEqual(await compareTables(deps), []);
});
