import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { contactsPath, findIds } from '../address-book/address-book.ts';
import { ask, entries, kindsSent, memberOf, outbox, say, stateOf } from '../support/people.ts';
import { newPhone, setConsent } from '../support/texting.ts';
import { makeWorld } from '../support/world.ts';

const world = await makeWorld({ dispatch: false });
after(() => world.close());
const { ann, bob } = world;

test('a text from an unknown number creates a contact and a member in state none', async () => {
  const phone = newPhone();
  await say(world, ann, phone, 'Hi, is this Ann?');
  assert.equal(await stateOf(world, ann, phone), 'none');
  const [contactId] = await findIds(ann, { phone });
  const { body } = await ann.call('GET', `${contactsPath}/${contactId}`);
  assert.deepEqual([body.phone, body.sourceText], [phone, 'Texting']);
  assert.deepEqual(await findIds(bob, { phone }), []);
});

test('a text to a number that no advisor has is ignored', async () => {
  const phone = newPhone();
  await say(world, ann, phone, 'STOP', { to: '+15005559999' });
  await assert.rejects(memberOf(world, ann, phone), /Nobody knows/);
});

test('a text is archived with both numbers, exactly as received', async () => {
  const phone = newPhone();
  const text = '  Déjà vu 😀\r\n\tand more  ';
  await say(world, ann, phone, text);
  const [entry] = await entries(world, ann, phone, 'text_in');
  assert.deepEqual([entry?.body, entry?.actor], [text, 'person']);
  assert.deepEqual([entry?.meta.from, entry?.meta.to], [phone, ann.advisor.textingNumber]);
});

test('an empty text, NUL and a lone surrogate do no harm', async () => {
  const phone = newPhone();
  for (const text of ['', 'a\0b', '\0', 'a\ud83d']) await say(world, ann, phone, text);
  const bodies = (await entries(world, ann, phone, 'text_in')).map(({ body }) => body);
  assert.deepEqual(bodies, ['', 'a\ufffdb', '\ufffd', 'a\ufffd']);
});

test('five concurrent deliveries of one text take effect once', async () => {
  for (const text of ['STOP', 'HELP', 'START']) {
    const phone = newPhone();
    const carrierMessageId = randomUUID();
    await Promise.all(Array.from({ length: 5 }, () => say(world, ann, phone, text, { carrierMessageId })));
    assert.equal((await entries(world, ann, phone, 'text_in')).length, 1);
    assert.equal((await outbox(world, ann, phone)).length, 1);
    assert.equal((await findIds(ann, { phone })).length, 1);
  }
});

test('a duplicate that arrives late does nothing at all', async () => {
  const phone = newPhone();
  const carrierMessageId = randomUUID();
  await say(world, ann, phone, 'STOP', { carrierMessageId });
  await world.clock.advance(1_000);
  await say(world, ann, phone, 'START');
  const [contactId] = await findIds(ann, { phone });
  await ann.call('DELETE', `${contactsPath}/${contactId}`);
  const before = await memberOf(world, ann, phone);
  await world.clock.advance(1_000);
  await say(world, ann, phone, 'STOP', { carrierMessageId });
  assert.deepEqual(await memberOf(world, ann, phone), before);
  assert.deepEqual(await findIds(ann, { phone }), [], 'the deleted contact stays deleted');
  assert.equal((await entries(world, ann, phone, 'text_in')).length, 2);
});

test('a STOP that reuses the id of another text is a STOP: archived, applied and confirmed', async () => {
  const [phone, other] = [newPhone(), newPhone()];
  const carrierMessageId = randomUUID();
  for (const text of ['START', 'STOP', 'START', 'STOP']) await say(world, ann, phone, text, { carrierMessageId });
  assert.equal(await stateOf(world, ann, phone), 'opted_out');
  assert.deepEqual(
    (await entries(world, ann, phone, 'text_in')).map(({ body }) => body),
    ['START', 'STOP'],
  );
  // Nor is the same text from somebody else a duplicate.
  await say(world, ann, other, 'STOP', { carrierMessageId });
  assert.equal(await stateOf(world, ann, other), 'opted_out');
});

test('texts that share an id, delivered five times each at once, take effect once each', async () => {
  const phone = newPhone();
  const carrierMessageId = randomUUID();
  const sentAt = world.clock.now();
  const texts = Array.from({ length: 10 }, (_, index) => (index % 2 ? 'STOP' : 'a\0b'));
  await Promise.all(texts.map((text) => say(world, ann, phone, text, { carrierMessageId, sentAt })));
  assert.equal(await stateOf(world, ann, phone), 'opted_out');
  const bodies = (await entries(world, ann, phone, 'text_in')).map(({ body }) => body);
  assert.deepEqual(bodies.toSorted(), ['STOP', 'a\ufffdb']);
  assert.deepEqual(await kindsSent(world, ann, phone), ['opt_out']);
});

test('the same carrier message id can occur once per advisor', async () => {
  const phone = newPhone();
  const carrierMessageId = randomUUID();
  await say(world, ann, phone, 'STOP', { carrierMessageId });
  await say(world, bob, phone, 'START', { carrierMessageId });
  assert.equal(await stateOf(world, ann, phone), 'opted_out');
  assert.equal(await stateOf(world, bob, phone), 'accepted');
});

test('an opt-out gets one confirmation, which expires after five minutes and says how to opt back in', async () => {
  const phone = newPhone();
  const before = world.clock.now().getTime();
  await say(world, ann, phone, 'STOP');
  await say(world, ann, phone, 'STOP');
  await say(world, ann, phone, 'please stop texting me');
  const sent = await outbox(world, ann, phone);
  assert.equal(sent.length, 1);
  assert.match(sent[0]?.text ?? '', /^You have opted out of texts from ann of Test Wealth .*START/);
  const startedMs = (sent[0]?.expiresAt?.getTime() ?? 0) - 5 * 60_000;
  assert.ok(startedMs >= before && startedMs <= world.clock.now().getTime(), String(startedMs - before));
});

test('a new opt-out gets its own confirmation', async () => {
  const phone = newPhone();
  for (const text of ['STOP', 'START', 'STOP']) {
    await say(world, ann, phone, text);
    await world.clock.advance(1_000);
  }
  assert.deepEqual(await kindsSent(world, ann, phone), ['opt_out', 'opt_in', 'opt_out']);
});

test('HELP is answered at most once a minute, with the firm’s name and how to stop, even after STOP', async () => {
  const phone = newPhone();
  await say(world, ann, phone, 'STOP');
  for (const advanceMs of [0, 1_000, 58_000]) {
    await world.clock.advance(advanceMs);
    await say(world, ann, phone, 'HELP');
  }
  assert.deepEqual(await kindsSent(world, ann, phone), ['opt_out', 'help']);
  await world.clock.advance(2_000);
  await say(world, ann, phone, 'INFO');
  const sent = await outbox(world, ann, phone);
  assert.deepEqual(
    sent.map(({ kind }) => kind),
    ['opt_out', 'help', 'help'],
  );
  assert.match(sent.at(-1)?.text ?? '', /^Test Wealth: .*STOP/);
});

test('HELP doesn’t use up the reminder', async () => {
  const phone = newPhone();
  await ask(world, ann, phone);
  await say(world, ann, phone, 'HELP');
  await say(world, ann, phone, 'who is this?');
  assert.deepEqual(await kindsSent(world, ann, phone), ['consent_request', 'help', 'reminder']);
});

test('the time of the person’s last text is kept, even if texts arrive out of order', async () => {
  const phone = newPhone();
  const [older, newer] = [new Date(world.clock.now().getTime() - 60_000), world.clock.now()];
  await say(world, ann, phone, 'second', { sentAt: newer });
  await say(world, ann, phone, 'first', { sentAt: older });
  assert.deepEqual((await memberOf(world, ann, phone)).lastReplyAt, newer);
});

test('a STOP to one advisor doesn’t affect another', async () => {
  const phone = newPhone();
  for (const person of [ann, bob]) await setConsent(world, person, phone, 'accepted');
  await say(world, ann, phone, 'STOP');
  assert.equal(await stateOf(world, ann, phone), 'opted_out');
  assert.equal(await stateOf(world, bob, phone), 'accepted');
});

test('an error rolls back everything, and the carrier’s next delivery succeeds', async () => {
  const phone = newPhone();
  const carrierMessageId = randomUUID();
  await world.database.asOwner('alter table replies add constraint broken check (false) not valid');
  await assert.rejects(say(world, ann, phone, 'STOP', { carrierMessageId }));
  await world.database.asOwner('alter table replies drop constraint broken');
  await assert.rejects(memberOf(world, ann, phone), /Nobody knows/);
  await say(world, ann, phone, 'STOP', { carrierMessageId });
  assert.equal(await stateOf(world, ann, phone), 'opted_out');
  assert.equal((await entries(world, ann, phone, 'text_in')).length, 1);
});
