import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Deps } from '../../src/deps.ts';
import { setFirm } from '../../src/domain/accounts/firms.ts';
import { addStaff, type Staff } from '../../src/domain/accounts/staff.ts';
import { byStaff } from '../../src/domain/archive/archive.ts';
import { optOutByCarrier } from '../../src/domain/consent/consents.ts';
import { decideReview } from '../../src/domain/consent/reviews.ts';
import { sendDueMessages } from '../../src/domain/messages/due-messages.ts';
import { Problem } from '../../src/domain/problems.ts';
import { listReviews, type Review } from '../../src/domain/supervision/reviews.ts';
import { ask, entries, kindsSent, memberOf, say, stateOf } from '../support/people.ts';
import { acceptedPhone, handset, messagesPath, newPhone, send } from '../support/texting.ts';
import { makeWorld, type Person, type World } from '../support/world.ts';
import { atAnyTime } from '../support/wrong-clock.ts';

const doubtful = 'Sorry, wrong number.';
const hourMs = 3_600_000;

let world: World;
let ann: Person;
let sue: Staff;
before(async () => {
  world = await makeWorld({ dispatch: false });
  await world.database.asOwner(atAnyTime);
  ann = world.ann;
  sue = await addStaff(world.deps, { firmId: ann.advisor.firmId, name: 'Sue', email: 'sue@test.example' });
});
after(() => world.close());

/** A person who has accepted and then replied something that may mean stop. */
async function doubtfulPhone(): Promise<string> {
  const phone = await acceptedPhone(world, ann);
  await say(world, ann, phone, doubtful);
  await world.clock.advance(1_000);
  return phone;
}

async function sendTo(phone: string, text = 'Hello'): Promise<number> {
  const { body } = await send(ann, { phone, text });
  assert.deepEqual(body.failures, []);
  return body.successes[0].messageId;
}

/** Status, failure code and reason for being held. */
async function fateOf(messageId: number): Promise<(string | null)[]> {
  const { body } = await ann.call('GET', `${messagesPath}/${messageId}`);
  return [body.status, body.failureCode, body.heldReason];
}

const held = ['held', null, 'possible_opt_out'];
const optedOut = ['failed', 'opted_out', null];

async function openReviews(phone: string): Promise<Review[]> {
  const reviews = await listReviews(world.deps, { firmId: ann.advisor.firmId, status: 'open', kind: null });
  return reviews.filter((review) => review.phone === phone);
}

async function reviewOf(phone: string): Promise<Review> {
  const [review, ...more] = await openReviews(phone);
  assert.ok(review && more.length === 0, `one review about ${phone}`);
  return review;
}

async function decide(reviewId: number, decision: 'approved' | 'rejected', deps: Deps = world.deps) {
  const { outcome } = await decideReview(deps, reviewId, {
    decision,
    staff: sue,
    by: byStaff(sue.staffId),
    note: 'Asked her',
  });
  return outcome;
}

/** The phone's texts, once everything that may go out has gone out. */
async function onPhone(phone: string): Promise<string[]> {
  await world.dispatcher.settled();
  return (await handset(world, phone)).map(({ text }) => text);
}

suite('a reply that may mean stop', () => {
  test('may be one that is too long to read', async () => {
    const phone = await acceptedPhone(world, ann);
    await say(world, ann, phone, 'So I told her about the house. '.repeat(2_000));
    assert.equal(await stateOf(world, ann, phone), 'accepted');
    assert.equal((await reviewOf(phone)).kind, 'possible_opt_out');
    assert.deepEqual(await fateOf(await sendTo(phone)), held);
    await say(world, ann, phone, `${'So I told her about the house. '.repeat(2_000)} Stop texting me.`);
    assert.equal(await stateOf(world, ann, phone), 'opted_out');
  });

  test('changes no state, gets no answer and is up for review, each by itself', async () => {
    const phone = await acceptedPhone(world, ann);
    await say(world, ann, phone, doubtful);
    await say(world, ann, phone, 'that’s enough');
    assert.equal(await stateOf(world, ann, phone), 'accepted');
    assert.deepEqual(await kindsSent(world, ann, phone), []);
    const texts = await entries(world, ann, phone, 'text_in');
    const [first, second, ...others] = await openReviews(phone);
    assert.deepEqual(
      [first?.kind, first?.archiveNumber, first?.messageId, second?.kind, second?.archiveNumber, others],
      ['possible_opt_out', texts[0]?.number, null, 'possible_opt_out', texts[1]?.number, []],
    );
  });

  test('holds every text that is sent after it, as a success with status held', async () => {
    const [phone, other] = [await doubtfulPhone(), await acceptedPhone(world, ann)];
    const { body } = await send(ann, { phoneNumbers: [phone, other], text: 'Hello' });
    assert.deepEqual(body.failures, []);
    const [first, second] = body.successes;
    assert.deepEqual(await onPhone(phone), []);
    assert.deepEqual(await onPhone(other), ['Hello']);
    assert.deepEqual(await fateOf(first.messageId), held);
    assert.deepEqual(await fateOf(second.messageId), ['sent', null, null]);
  });

  test('holds what was queued, deferred or scheduled before it when its turn comes', async () => {
    const phone = await acceptedPhone(world, ann);
    const queued = await sendTo(phone, 'Queued');
    const deferred = await sendTo(phone, 'Deferred');
    await world.database.asOwner('update dispatches set deferred_until = $2 where message_id = $1', [
      deferred,
      new Date(world.clock.now().getTime() + hourMs / 2),
    ]);
    const deliveryDate = world.clock.now().getTime() + hourMs;
    await send(ann, { phone, text: 'Scheduled', scheduleDelivery: true, deliveryDate });
    await say(world, ann, phone, doubtful);
    await world.clock.advance(2 * hourMs);
    await sendDueMessages(world.deps);
    assert.deepEqual(await onPhone(phone), []);
    for (const messageId of [queued, deferred, deferred + 1]) assert.deepEqual(await fateOf(messageId), held);
    assert.equal(await decide((await reviewOf(phone)).reviewId, 'approved'), 'released');
    assert.deepEqual(await onPhone(phone), ['Queued', 'Deferred', 'Scheduled']);
  });

  test('holds consent requests and reminders, but no answer to HELP, START or STOP', async () => {
    const phone = newPhone();
    await ask(world, ann, phone);
    await say(world, ann, phone, doubtful);
    await ask(world, ann, phone);
    await say(world, ann, phone, 'what is this about?');
    await say(world, ann, phone, 'HELP');
    assert.deepEqual(await kindsSent(world, ann, phone), ['consent_request', 'consent_request', 'reminder', 'help']);
    const texts = await onPhone(phone);
    assert.equal(texts.length, 1);
    assert.match(texts[0] ?? '', /^Test Wealth: /);
    await world.clock.advance(1_000);
    await say(world, ann, phone, 'STOP');
    assert.match((await onPhone(phone))[1] ?? '', /^You have opted out/);
    assert.equal((await onPhone(phone)).length, 2);
  });

  test('holds nothing and is no review if the person has opted out', async () => {
    const phone = newPhone();
    await say(world, ann, phone, 'STOP');
    await say(world, ann, phone, doubtful);
    assert.deepEqual(await openReviews(phone), []);
    await world.clock.advance(1_000);
    await say(world, ann, phone, 'START');
    assert.deepEqual(await fateOf(await sendTo(phone)), ['queued', null, null]);
  });
});

suite('a reviewer who decides about it', () => {
  test('approves: it was no stop, and the held texts go out in order, each once', async () => {
    const phone = await doubtfulPhone();
    const { reviewId } = await reviewOf(phone);
    const texts = ['One', 'Two', 'Three'];
    for (const text of texts) await sendTo(phone, text);
    assert.equal(await decide(reviewId, 'approved'), 'released');
    assert.equal(await stateOf(world, ann, phone), 'accepted');
    assert.deepEqual(await onPhone(phone), texts);
    assert.deepEqual(await fateOf(await sendTo(phone, 'Four')), ['queued', null, null]);
    assert.deepEqual(await onPhone(phone), [...texts, 'Four']);
    const [entry] = await entries(world, ann, phone, 'review');
    assert.deepEqual(
      [entry?.actor, entry?.meta.decision, entry?.meta.outcome],
      [`staff:${sue.staffId}`, 'approved', 'released'],
    );
  });

  test('approves one of two such replies: the texts are held until the later one is approved', async () => {
    const phone = await doubtfulPhone();
    const { reviewId } = await reviewOf(phone);
    await sendTo(phone, 'One');
    await world.clock.advance(1_000);
    await say(world, ann, phone, 'that’s enough');
    assert.equal(await decide(reviewId, 'approved'), 'settled');
    assert.deepEqual(await onPhone(phone), []);
    assert.equal(await decide((await reviewOf(phone)).reviewId, 'approved'), 'released');
    assert.deepEqual(await onPhone(phone), ['One']);
  });

  test('rejects the earlier of two such replies: opted out', async () => {
    const phone = await doubtfulPhone();
    const { reviewId } = await reviewOf(phone);
    await world.clock.advance(1_000);
    await say(world, ann, phone, 'that’s enough');
    assert.equal(await decide(reviewId, 'rejected'), 'opted_out');
    assert.equal(await decide((await reviewOf(phone)).reviewId, 'approved'), 'settled');
    assert.equal(await stateOf(world, ann, phone), 'opted_out');
  });

  test('rejects: it was a stop, with the reply and who decided as evidence, and one confirmation', async () => {
    const phone = await doubtfulPhone();
    const messageIds = [await sendTo(phone, 'One'), await sendTo(phone, 'Two')];
    const { reviewId } = await reviewOf(phone);
    assert.equal(await decide(reviewId, 'rejected'), 'opted_out');
    assert.equal(await stateOf(world, ann, phone), 'opted_out');
    for (const messageId of messageIds) assert.deepEqual(await fateOf(messageId), optedOut);
    const move = (await entries(world, ann, phone, 'consent')).at(-1);
    const [reply] = await entries(world, ann, phone, 'text_in');
    assert.deepEqual(move?.meta, {
      from: 'accepted',
      to: 'opted_out',
      reason: 'possible_opt_out',
      channel: 'text',
      phone,
    });
    const evidence = JSON.parse(move?.body ?? '');
    assert.deepEqual([move?.actor, evidence.who], [`staff:${sue.staffId}`, `staff:${sue.staffId}`]);
    assert.deepEqual(evidence.reply, { text: doubtful, sent: reply?.meta.sent, archiveNumber: reply?.number });
    await say(world, ann, phone, 'STOP');
    const texts = await onPhone(phone);
    assert.equal(texts.length, 1);
    assert.match(texts[0] ?? '', /^You have opted out/);
  });

  test('rejects more than five minutes after the person’s text: opted out, and nobody is texted', async () => {
    const phone = await doubtfulPhone();
    const { reviewId } = await reviewOf(phone);
    await world.clock.advance(5 * 60_000);
    assert.equal(await decide(reviewId, 'rejected'), 'opted_out');
    assert.deepEqual([await stateOf(world, ann, phone), await kindsSent(world, ann, phone)], ['opted_out', []]);
  });

  test('rejects within five minutes: the confirmation still goes out within those, or never', async () => {
    const goesOut = { 'at once': 1, 'a minute later': 0 };
    for (const [when, texts] of Object.entries(goesOut)) {
      const phone = await doubtfulPhone();
      await world.clock.advance(4 * 60_000);
      await decide((await reviewOf(phone)).reviewId, 'rejected');
      if (texts === 0) await world.clock.advance(60_000);
      assert.equal((await onPhone(phone)).length, texts, when);
    }
  });

  test('decides once, and rejects after all if the person has not settled it', async () => {
    const phone = await doubtfulPhone();
    const { reviewId } = await reviewOf(phone);
    const decisions = await Promise.allSettled([decide(reviewId, 'approved'), decide(reviewId, 'rejected')]);
    assert.equal(decisions.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  test('keeps texts held if they could go out later, but not now', async () => {
    const phone = await doubtfulPhone();
    const messageId = await sendTo(phone);
    const { reviewId } = await reviewOf(phone);
    const { advisorId } = ann.advisor;
    // 3:30 in New York, where these numbers are.
    const night: Deps = { ...world.deps, clock: { now: () => new Date('2031-05-06T07:30:00Z') } };
    const setQuietHours = (value: string) =>
      world.database.asOwner('update advisors set quiet_hours = $2 where advisor_id = $1', [advisorId, value]);
    try {
      await setQuietHours('refuse');
      await assert.rejects(
        decide(reviewId, 'approved', night),
        (error) => error instanceof Problem && error.code === 'conflict' && /is still held/.test(error.detail),
      );
      assert.deepEqual(await fateOf(messageId), held);
      await setQuietHours('defer');
      assert.equal(await decide(reviewId, 'approved', night), 'released');
      assert.deepEqual(await fateOf(messageId), ['queued', null, null]);
      assert.deepEqual(await onPhone(phone), []);
    } finally {
      await setQuietHours('off');
      await world.database.asOwner('delete from dispatches where message_id = $1', [messageId]);
    }
  });

  test('doesn’t release a text that the lexicon holds; approved, that one waits for the person’s reply', async () => {
    const phone = await doubtfulPhone();
    const promise = 'This fund has guaranteed returns';
    const [early, late] = [await sendTo(phone, promise), await sendTo(phone, `${promise}!`)];
    assert.deepEqual(await fateOf(early), ['held', null, 'supervision']);
    const [doubt, first, second] = await openReviews(phone);
    assert.ok(doubt && first && second);
    assert.deepEqual([doubt.kind, first.kind, second.kind], ['possible_opt_out', 'held', 'held']);

    assert.equal(await decide(first.reviewId, 'approved'), 'held');
    assert.deepEqual(await fateOf(early), held);
    assert.equal(await decide(doubt.reviewId, 'approved'), 'released');
    assert.deepEqual(await onPhone(phone), [promise]);
    assert.deepEqual(await fateOf(late), ['held', null, 'supervision']);
    assert.equal(await decide(second.reviewId, 'approved'), 'queued');
    assert.deepEqual(await onPhone(phone), [promise, `${promise}!`]);
  });

  test('decides nothing that the person has settled, by STOP or by START', async () => {
    for (const [text, decision] of [
      ['STOP', 'approved'],
      ['START', 'rejected'],
    ] as const) {
      const phone = await doubtfulPhone();
      await say(world, ann, phone, text);
      const state = await stateOf(world, ann, phone);
      assert.equal(await decide((await reviewOf(phone)).reviewId, decision), 'settled');
      assert.equal(await stateOf(world, ann, phone), state);
      assert.equal((await kindsSent(world, ann, phone)).length, 1);
    }
  });

  test('of two replies, with a START between them, decides by the review of the second', async () => {
    const phone = await doubtfulPhone();
    await say(world, ann, phone, 'START');
    await world.clock.advance(1_000);
    await say(world, ann, phone, 'not interested');
    const messageId = await sendTo(phone);
    const [first, second] = await openReviews(phone);
    assert.ok(first && second);
    assert.equal(await decide(first.reviewId, 'approved'), 'settled');
    assert.deepEqual(await fateOf(messageId), held);
    assert.equal(await decide(second.reviewId, 'rejected'), 'opted_out');
    assert.deepEqual(await fateOf(messageId), optedOut);
  });
});

suite('the person', () => {
  test('releases the texts by START, which is confirmed first', async () => {
    const phone = await doubtfulPhone();
    await sendTo(phone, 'One');
    await sendTo(phone, 'Two');
    await say(world, ann, phone, 'START');
    const [confirmation, ...texts] = await onPhone(phone);
    assert.match(confirmation ?? '', /START|agreed|texts/i);
    assert.deepEqual(texts, ['One', 'Two']);
  });

  test('doesn’t by a START that was written before the reply, nor by YES', async () => {
    const phone = newPhone();
    await ask(world, ann, phone);
    const sentAt = world.clock.now();
    await world.clock.advance(1_000);
    await say(world, ann, phone, doubtful);
    await say(world, ann, phone, 'YES');
    await say(world, ann, phone, 'START', { sentAt });
    assert.equal(await stateOf(world, ann, phone), 'accepted');
    const messageId = await sendTo(phone);
    assert.deepEqual(await fateOf(messageId), held);
    await say(world, ann, phone, 'START');
    assert.deepEqual(await fateOf(messageId), ['queued', null, null]);
  });

  for (const text of ['STOP', 'please stop texting me'])
    test(`fails the texts by "${text}", with one confirmation`, async () => {
      const phone = await doubtfulPhone();
      const messageIds = [await sendTo(phone, 'One'), await sendTo(phone, 'Two')];
      await say(world, ann, phone, text);
      for (const messageId of messageIds) assert.deepEqual(await fateOf(messageId), optedOut);
      assert.equal((await onPhone(phone)).length, 1);
      assert.equal((await memberOf(world, ann, phone)).heldSince, null);
    });

  test('fails them by an opt-out with the carrier, too', async () => {
    const phone = await doubtfulPhone();
    const messageId = await sendTo(phone);
    const { memberId } = await memberOf(world, ann, phone);
    await optOutByCarrier(world.deps, ann.advisor.advisorId, memberId);
    assert.deepEqual(await fateOf(messageId), optedOut);
  });
});

test('a held text has a first text’s line, and so does the next one until it has gone out', async () => {
  const { firmId } = ann.advisor;
  await setFirm(world.deps, firmId, { firstTextLine: true });
  try {
    const phone = await doubtfulPhone();
    for (const text of ['One', 'Two']) await sendTo(phone, text);
    await decide((await reviewOf(phone)).reviewId, 'approved');
    await sendTo(phone, 'Three');
    const [one, two, three] = await onPhone(phone);
    for (const text of [one, two]) assert.match(text ?? '', /\nTest Wealth\. Reply STOP/);
    assert.equal(three, 'Three');
  } finally {
    await setFirm(world.deps, firmId, { firstTextLine: false });
  }
});

test('texts that are sent at the moment of the decision are released or held by it, never left behind', async () => {
  for (let round = 0; round < 10; round++) {
    const phone = await doubtfulPhone();
    const { reviewId } = await reviewOf(phone);
    const decision = round % 2 ? 'approved' : 'rejected';
    const sending = Array.from({ length: 8 }, (_, index) => send(ann, { phone, text: `Text ${index}` }));
    const [, ...answers] = await Promise.all([decide(reviewId, decision), ...sending]);
    const texts = await onPhone(phone);
    for (const { body } of answers)
      for (const { messageId } of body.successes) assert.notEqual((await fateOf(messageId))[0], 'held');
    assert.equal(texts.length, decision === 'approved' ? 8 : 1);
  }
});
