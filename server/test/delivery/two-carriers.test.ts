import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import { getAdvisor, setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { addCarrier } from '../../src/domain/carriers/carriers.ts';
import { addNumber, releaseNumber, setNumber } from '../../src/domain/carriers/numbers.ts';
import { receiveReply } from '../../src/domain/consent/replies.ts';
import { doubtAsker } from '../../src/domain/delivery/doubts.ts';
import { maintainOutbox } from '../../src/domain/delivery/outbox-maintenance.ts';
import { receiveReceipt } from '../../src/domain/delivery/receipts.ts';
import type { DoubtfulText, SubmissionAtCarrier } from '../../src/domain/ports.ts';
import { listDoubts } from '../../src/store/delivery/doubts.ts';
import { fixedCarriers, openCarrier } from '../support/carriers.ts';
import { entries, memberOf, stateOf } from '../support/people.ts';
import { acceptedPhone, newPhone, send, setConsent, statusOf } from '../support/texting.ts';
import { textsUnlikeEntries } from '../support/texts-and-entries.ts';
import { until } from '../support/waiting.ts';
import { makeWorld, type World } from '../support/world.ts';
import { LedgerCarrier } from './ledger-carrier.ts';

const [firstId, secondId] = [1, 2];
const smpp = { hosts: [{ host: '127.0.0.1', port: 2775 }], systemId: 'assent', password: 'secret' };

suite('two carriers', () => {
  let [first, second] = [new LedgerCarrier(''), new LedgerCarrier('')];
  let made = 0;
  let find: ((text: DoubtfulText) => Promise<SubmissionAtCarrier | null>) | undefined;
  let world: World;
  before(async () => {
    const forward = (to: () => LedgerCarrier) => ({
      name: 'ledger',
      check: () => null,
      submit: (text: Parameters<LedgerCarrier['submit']>[0]) => to().submit(text),
      listen: () => async () => {},
    });
    const carriers = fixedCarriers(
      openCarrier({ ...forward(() => first), find: async (text) => (await find?.(text)) ?? null }),
      openCarrier(
        forward(() => second),
        { carrierId: secondId, name: 'second', answersKeywords: true },
      ),
    );
    world = await makeWorld({ carriers });
    await addCarrier(world.deps, { name: 'second', kind: 'smpp', settings: smpp });
    await setAdvisor(world.deps, world.bob.advisor.advisorId, { carrierId: secondId });
  });
  after(() => world.close());
  beforeEach(() => {
    // Both number their texts in the same way.
    made += 1;
    [first, second] = [new LedgerCarrier(`id${made}`), new LedgerCarrier(`id${made}`)];
    find = undefined;
  });

  async function sent(person: World['ann'], phone: string, text = 'Hello'): Promise<number> {
    return (await send(person, { phone, text })).body.successes[0].messageId;
  }
  const sound = async () => assert.deepEqual(await textsUnlikeEntries(world), []);

  test('a dead one holds nobody else’s texts', async () => {
    const phones = await Promise.all(Array.from({ length: 8 }, () => acceptedPhone(world, world.ann)));
    first.decide = () => 'does not take it';
    const stuck = await Promise.all(phones.map((phone) => sent(world.ann, phone)));
    await until('the breaker is open', () => first.handed.length >= 5);
    const other = await sent(world.bob, await acceptedPhone(world, world.bob));
    await statusOf(world.bob, other, 'sent');
    assert.equal(second.ledger.length, 1);
    first.decide = () => 'takes it';
    for (const messageId of stuck) await statusOf(world.ann, messageId, 'sent');
    assert.equal(first.ledger.length, stuck.length);
  });

  test('may have given two texts the same id, and each receipt is about its own', async () => {
    const one = await sent(world.ann, await acceptedPhone(world, world.ann));
    const two = await sent(world.bob, await acceptedPhone(world, world.bob));
    await statusOf(world.ann, one, 'sent');
    await statusOf(world.bob, two, 'sent');
    const id = first.ledger[0]?.id ?? assert.fail();
    assert.equal(second.ledger[0]?.id, id);
    await receiveReceipt(world.deps, secondId, { carrierMessageId: id, status: 'undelivered', reason: 'landline' });
    assert.equal((await statusOf(world.bob, two, 'undelivered')).failureCode, 'landline');
    assert.equal((await statusOf(world.ann, one, 'sent')).status, 'sent');
    await receiveReceipt(world.deps, firstId, { carrierMessageId: id, status: 'delivered' });
    await statusOf(world.ann, one, 'delivered');
    assert.equal((await statusOf(world.bob, two, 'undelivered')).status, 'undelivered');
  });

  test('an early receipt waits for the text of its own carrier', async () => {
    const id = second.nextId;
    await receiveReceipt(world.deps, secondId, { carrierMessageId: id, status: 'delivered' });
    const one = await sent(world.ann, await acceptedPhone(world, world.ann));
    assert.equal((await statusOf(world.ann, one, 'sent')).status, 'sent');
    const two = await sent(world.bob, await acceptedPhone(world, world.bob));
    await statusOf(world.bob, two, 'delivered');
    assert.deepEqual([first.ledger[0]?.id, second.ledger[0]?.id], [id, id]);
  });

  test('a number that moves takes along what waits; what is in flight settles with the carrier before', async () => {
    const number = world.ann.advisor.textingNumber ?? assert.fail();
    const phones = await Promise.all(Array.from({ length: 8 }, () => acceptedPhone(world, world.ann)));
    const flying = await sent(world.ann, phones[0] ?? '');
    await statusOf(world.ann, flying, 'sent');
    first.decide = () => 'does not take it';
    const waiting = await Promise.all(phones.map((phone) => sent(world.ann, phone, 'Later')));
    await until('the breaker is open', () => first.handed.length > 5);
    try {
      assert.equal((await setNumber(world.deps, number, { carrier: 'second' })).carrier, 'second');
      for (const messageId of waiting) await statusOf(world.ann, messageId, 'sent');
      assert.deepEqual(
        second.ledger.map(({ to, from }) => [to, from]).sort(),
        phones.map((phone) => [phone, number]).sort(),
        'each exactly once',
      );
      assert.equal(first.ledger.length, 1);
      const { id } = first.ledger[0] ?? assert.fail();
      await receiveReceipt(world.deps, firstId, { carrierMessageId: id, status: 'delivered' });
      await statusOf(world.ann, flying, 'delivered');
      const by = { carrierId: firstId, answersKeywords: false };
      const stop = {
        carrierMessageId: 'late-stop',
        from: phones[0] ?? '',
        to: number,
        text: 'STOP',
        sentAt: new Date(),
      };
      assert.equal(await receiveReply(world.deps, by, stop), true, 'a STOP that the carrier before had kept');
      await sound();
    } finally {
      await setNumber(world.deps, number, { carrier: 'sandbox' });
    }
  });

  test('a text that was queued for the carrier before is passed on by the claim', async () => {
    const messageId = await sent(world.ann, await acceptedPhone(world, world.ann));
    await statusOf(world.ann, messageId, 'sent');
    const { advisorId } = world.ann.advisor;
    // As if the send had read the number's carrier before it moved.
    first.decide = () => 'does not take it';
    const late = await sent(world.ann, await acceptedPhone(world, world.ann));
    await until('it was tried', () => first.handed.length >= 2);
    await world.database.asOwner('delete from earlier_numbers', []);
    await world.database.asOwner('update advisors set carrier_id = 2 where advisor_id = $1', [advisorId]);
    await statusOf(world.ann, late, 'sent');
    assert.equal(second.ledger.length, 1);
    await world.database.asOwner('update advisors set carrier_id = 1 where advisor_id = $1', [advisorId]);
  });

  test('a STOP reaches the advisor by a carrier and a number that they had before', async () => {
    const { advisorId, email, textingNumber } = world.bob.advisor;
    const number = textingNumber ?? assert.fail();
    const stopsBy = async (carrierId: number) => {
      const phone = await acceptedPhone(world, world.bob);
      const stop = { carrierMessageId: phone, from: phone, to: number, text: 'STOP', sentAt: world.clock.now() };
      assert.equal(await receiveReply(world.deps, { carrierId, answersKeywords: false }, stop), true);
      assert.equal(await stateOf(world, world.bob, phone), 'opted_out');
      assert.equal((await entries(world, world.bob, phone, 'text_in')).length, 1);
    };
    await releaseNumber(world.deps, number);
    await stopsBy(secondId);
    await addNumber(world.deps, { number, advisor: email, carrier: 'sandbox' });
    await stopsBy(secondId);
    await setAdvisor(world.deps, advisorId, { textingNumber: '+15005552099' });
    await stopsBy(firstId);
    await stopsBy(secondId);
    await setAdvisor(world.deps, advisorId, { textingNumber: number, carrierId: secondId });
  });

  test('a text in doubt that waited while the number changed is looked for by the new one', async () => {
    const { advisorId, textingNumber } = world.bob.advisor;
    const from = '+15005552098';
    second.decide = () => 'does not take it';
    const messageId = await sent(world.bob, await acceptedPhone(world, world.bob));
    await until('it was tried', () => second.handed.length > 0);
    await setAdvisor(world.deps, advisorId, { textingNumber: from });
    second.decide = () => 'takes it and throws';
    await statusOf(world.bob, messageId, 'in_doubt');
    const [doubt] = await listDoubts(world.deps.db, { carrierId: secondId, since: new Date(0), limit: 1 });
    assert.deepEqual([doubt?.messageId, doubt?.from, second.ledger[0]?.from], [messageId, from, from]);
    await setAdvisor(world.deps, advisorId, { textingNumber });
    const [later] = await listDoubts(world.deps.db, { carrierId: secondId, since: new Date(0), limit: 1 });
    assert.equal(later?.from, from);
  });

  test('a reply to a number of another carrier, or of nobody, changes nothing', async () => {
    const phone = await acceptedPhone(world, world.bob);
    const by = { carrierId: 7, answersKeywords: false };
    const reply = { carrierMessageId: 'x', from: phone, text: 'STOP', sentAt: new Date() };
    const to = world.bob.advisor.textingNumber ?? '';
    assert.equal(await receiveReply(world.deps, by, { ...reply, to }), false);
    assert.equal(
      await receiveReply(world.deps, { ...by, carrierId: secondId }, { ...reply, to: '+15005559999' }),
      false,
    );
    await sent(world.bob, phone);
    await until('it is sent', () => second.ledger.length === 1);
  });

  test('one that answers keywords itself gets no second confirmation from us, and the state changes the same', async () => {
    const to = world.bob.advisor.textingNumber ?? '';
    const by = { carrierId: secondId, answersKeywords: true };
    const say = (from: string, text: string, more: object = {}) =>
      receiveReply(world.deps, by, { carrierMessageId: text, from, to, text, sentAt: world.clock.now(), ...more });
    const states: [string, object, string, before?: string][] = [
      ['STOP', {}, 'opted_out'],
      ['Arrêt', { keyword: 'stop' }, 'opted_out'],
      ['HELP', {}, 'accepted'],
      ['Unstop me', { keyword: 'start' }, 'accepted'],
      ['Rejoin', { keyword: 'start' }, 'accepted', 'Quit'],
      ['stop', { keyword: 'start' }, 'opted_out'],
      // Carriers take a YES for a START. Nobody had asked.
      ['Yes', { keyword: 'start' }, 'opted_out', 'End'],
    ];
    for (const [text, more, state, before] of states) {
      const phone = await acceptedPhone(world, world.bob);
      if (before) await say(phone, before);
      await world.clock.advance(1_000);
      await say(phone, text, more);
      const answer = await world.bob.call('GET', `/text/messaging/consents?phone=${encodeURIComponent(phone)}`);
      assert.equal(answer.body.state, state, text);
    }
    const unclear = await acceptedPhone(world, world.bob);
    await say(unclear, 'Sorry, wrong number', { keyword: 'help' });
    assert.ok((await memberOf(world, world.bob, unclear)).heldSince);
    const wordy = await acceptedPhone(world, world.bob);
    await say(wordy, 'please stop texting me');
    const unread = await acceptedPhone(world, world.bob);
    await say(unread, 'REMOVE', { keyword: null });
    await until('what is no keyword of theirs is confirmed by us', () => second.ledger.length === 2);
    assert.deepEqual(
      new Set(second.ledger.map(({ kind, to }) => `${kind} ${to}`)),
      new Set([`opt_out ${wordy}`, `opt_out ${unread}`]),
    );
  });

  suite('a text in doubt', () => {
    async function doubtful(phone: string): Promise<number> {
      first.next = ['takes it and throws'];
      const messageId = await sent(world.ann, phone);
      await statusOf(world.ann, messageId, 'in_doubt');
      return messageId;
    }
    const from = () => world.ann.advisor.textingNumber ?? '';

    test('is settled by a receipt that repeats our reference and both numbers', async () => {
      const phone = await acceptedPhone(world, world.ann);
      const messageId = await doubtful(phone);
      const receipt = { status: 'delivered', from: from(), to: phone, reference: messageId % 65_536 } as const;
      const wrong = [
        { ...receipt, reference: (messageId + 1) % 65_536 },
        { ...receipt, to: newPhone() },
        { ...receipt, from: '+15005559999' },
      ];
      for (const [index, each] of wrong.entries())
        await receiveReceipt(world.deps, firstId, { ...each, carrierMessageId: `wrong-${index}` });
      await receiveReceipt(world.deps, secondId, { ...receipt, carrierMessageId: 'wrong-carrier' });
      await maintainOutbox(world.deps);
      assert.equal((await statusOf(world.ann, messageId, 'in_doubt')).status, 'in_doubt');
      await receiveReceipt(world.deps, firstId, { ...receipt, carrierMessageId: 'right' });
      await maintainOutbox(world.deps);
      await statusOf(world.ann, messageId, 'delivered');
      await sound();
    });

    test('opts the person out if the receipt says so, once', async () => {
      const phone = await acceptedPhone(world, world.ann);
      const messageId = await doubtful(phone);
      const said = { status: 'undelivered', reason: 'opted_out' } as const;
      const receipt = { ...said, from: from(), to: phone, reference: messageId % 65_536 };
      await receiveReceipt(world.deps, firstId, { ...receipt, carrierMessageId: 'blocked' });
      assert.equal(await stateOf(world, world.ann, phone), 'accepted', 'nobody knows yet whose it is');
      // Once it is known whose it is, the next turn takes it.
      for (const _ of ['settled', 'taken']) await maintainOutbox(world.deps);
      await statusOf(world.ann, messageId, 'undelivered');
      assert.equal(await stateOf(world, world.ann, phone), 'opted_out');
      const start = { carrierMessageId: 'start', from: phone, to: from(), text: 'START', sentAt: world.clock.now() };
      await receiveReply(world.deps, { carrierId: firstId, answersKeywords: false }, start);
      await maintainOutbox(world.deps);
      assert.equal(await stateOf(world, world.ann, phone), 'accepted');
    });

    test('stays in doubt if two texts fit', async () => {
      const phone = await acceptedPhone(world, world.ann);
      const one = await doubtful(phone);
      await world.database.asOwner(`select setval('message_ids', $1)`, [one + 65_535]);
      const two = await doubtful(phone);
      assert.equal(two % 65_536, one % 65_536);
      const receipt = { status: 'delivered', from: from(), to: phone, reference: one % 65_536 } as const;
      await receiveReceipt(world.deps, firstId, { ...receipt, carrierMessageId: 'either' });
      await maintainOutbox(world.deps);
      for (const messageId of [one, two])
        assert.equal((await statusOf(world.ann, messageId, 'in_doubt')).status, 'in_doubt');
    });

    test('is settled by the carrier’s own word, asked with growing pauses', async () => {
      const phone = await acceptedPhone(world, world.ann);
      const messageId = await doubtful(phone);
      const asked: DoubtfulText[] = [];
      let answer: SubmissionAtCarrier | null = null;
      find = async (text) => {
        if (text.to === phone) asked.push(text);
        return text.to === phone ? answer : null;
      };
      const ask = doubtAsker(world.deps, world.app.log);
      await ask();
      await ask();
      assert.equal(asked.length, 1, 'not again at once');
      assert.deepEqual(
        asked.map(({ from, to, text, reference }) => [from, to, text, reference]),
        [[from(), phone, 'Hello', messageId]],
      );
      answer = { carrierMessageId: 'found', status: 'undelivered', code: '30005', reason: 'unreachable' };
      await doubtAsker(world.deps, world.app.log)();
      assert.equal((await statusOf(world.ann, messageId, 'undelivered')).failureCode, 'unreachable');
      const blocked = await doubtful(phone);
      answer = { carrierMessageId: 'blocked too', status: 'undelivered', code: '21610', reason: 'opted_out' };
      await doubtAsker(world.deps, world.app.log)();
      assert.equal((await statusOf(world.ann, blocked, 'undelivered')).failureCode, 'opted_out');
      assert.equal(await stateOf(world, world.ann, phone), 'opted_out');
      await sound();
    });
  });

  test('an account whose number has no carrier can’t text: 409 that says so, and no contact is made', async () => {
    const { advisorId } = world.ann.advisor;
    const phone = newPhone();
    await setAdvisor(world.deps, advisorId, { carrierId: null });
    const answers = [
      await send(world.ann, { phone, text: 'Hello' }),
      await world.ann.call('POST', '/text/messaging/consent-requests', { phoneNumbers: [phone] }),
    ];
    await setAdvisor(world.deps, advisorId, { carrierId: firstId });
    for (const { status, body } of answers)
      assert.deepEqual([status, body.code, /carrier/.test(body.detail)], [409, 'conflict', true]);
    const { body } = await world.ann.call('GET', `/core/contact/contacts?phone=${encodeURIComponent(phone)}`);
    assert.equal(body.pageInfo.totalRecord, 0);
    assert.equal((await getAdvisor(world.deps, String(advisorId))).carrierId, firstId);
    await setConsent(world, world.ann, phone, 'accepted');
    await statusOf(world.ann, await sent(world.ann, phone), 'sent');
  });
});
