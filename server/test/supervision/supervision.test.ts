import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Deps } from '../../src/deps.ts';
import { addFirm, setFirm } from '../../src/domain/accounts/firms.ts';
import { addStaff, getStaff, type Staff, setStaff } from '../../src/domain/accounts/staff.ts';
import { decideReview } from '../../src/domain/consent/reviews.ts';
import { sendDueMessages } from '../../src/domain/messages/due-messages.ts';
import { Problem } from '../../src/domain/problems.ts';
import { setLexicon } from '../../src/domain/supervision/lexicons.ts';
import { sampleForReview, setSamplePercent } from '../../src/domain/supervision/review-samples.ts';
import {
  getReview,
  listReviews,
  noteReview,
  type Review,
  type ReviewDecision,
} from '../../src/domain/supervision/reviews.ts';
import { connect } from '../../src/store/database/pool.ts';
import { appRole } from '../../src/store/database/schema/migrate.ts';
import { drawMessageIds, insertTexts } from '../../src/store/texting/texts.ts';
import { entries, kindsSent, memberOf, say, stateOf } from '../support/people.ts';
import { acceptedPhone, handset, messagesPath, newPhone, scheduledMessagesPath, send } from '../support/texting.ts';
import { makeWorld, type Person, type World } from '../support/world.ts';
import { atAnyTime } from '../support/wrong-clock.ts';

const card = 'Your card 4111 1111 1111 1111 is on file';
const promise = 'This fund has guaranteed returns';
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

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

async function reviewsOf(phone: string, status: Review['status'] = 'open'): Promise<Review[]> {
  const reviews = await listReviews(world.deps, { firmId: ann.advisor.firmId, status, kind: null });
  return reviews.filter((review) => review.phone === phone);
}

async function reviewOf(phone: string): Promise<Review> {
  const [review, ...more] = await reviewsOf(phone);
  assert.ok(review && more.length === 0, `one review about ${phone}`);
  return review;
}

/** A text that is held for approval. */
async function heldText(text = promise): Promise<{ phone: string; messageId: number; reviewId: number }> {
  const phone = await acceptedPhone(world, ann);
  const { body } = await send(ann, { phone, text });
  return { phone, messageId: body.successes[0].messageId, reviewId: (await reviewOf(phone)).reviewId };
}

async function decide(reviewId: number, decision: ReviewDecision['decision'], more: Partial<ReviewDecision> = {}) {
  return decideReview(world.deps, reviewId, { decision, staff: sue, ...more });
}

async function status(messageId: number): Promise<[string, string | null]> {
  const { body } = await ann.call('GET', `${messagesPath}/${messageId}`);
  return [body.status, body.failureCode];
}

/** The phone's texts, once everything that may go out has gone out. */
async function onPhone(phone: string): Promise<string[]> {
  await world.dispatcher.settled();
  return (await handset(world, phone)).map(({ text }) => text);
}

function waiting(messageId: number): Promise<{ notBefore: Date; deferredUntil: Date | null }[]> {
  return world.database.asOwner(
    'select not_before as "notBefore", deferred_until as "deferredUntil" from dispatches where message_id = $1',
    [messageId],
  );
}

const isProblem = (code: string, says: RegExp) => (error: unknown) =>
  error instanceof Problem && error.code === code && says.test(error.detail);

async function setRules(...rules: object[]): Promise<void> {
  await setLexicon(world.deps, ann.advisor.firmId, JSON.stringify({ rules }));
}

suite('a text that is sent', () => {
  test('and blocked is a failure for each recipient, goes to nobody, and is up for review with its text', async () => {
    const [phone, stopped] = [await acceptedPhone(world, ann), newPhone()];
    await say(world, ann, stopped, 'STOP');
    const { status, body, headers } = await send(ann, { phoneNumbers: [phone, stopped], text: card });
    assert.equal(status, 200);
    assert.deepEqual(body.successes, []);
    const { memberId } = await memberOf(world, ann, phone);
    const [message] = body.failures;
    assert.match(message, /blocked by the firm’s supervision rules/);
    assert.deepEqual(body.failureDetails[0], { phone, memberId, code: 'text_blocked', message, retryable: false });
    assert.equal(body.failureDetails[1].code, 'opted_out');
    assert.deepEqual(await onPhone(phone), []);

    const [entry, ...more] = await entries(world, ann, phone, 'review');
    assert.ok(entry && more.length === 0);
    const blocked = { rules: ['Card number'], lexiconVersion: 0 };
    assert.deepEqual(entry.meta, { blocked, from: ann.advisor.textingNumber, to: phone });
    assert.deepEqual([entry.body, entry.actor.replace(/\d+/, '')], [card, 'application:']);
    const review = await reviewOf(phone);
    assert.deepEqual(
      [review.kind, review.rules, review.lexiconVersion, review.archiveNumber, review.messageId],
      ['blocked', ['Card number'], 0, entry.number, null],
    );
    assert.deepEqual(await reviewsOf(stopped), []);
    assert.ok(headers['x-trace-id']);
  });

  test('and held is a success with status held, is archived, and doesn’t go out on its own', async () => {
    const phone = await acceptedPhone(world, ann);
    const { body } = await send(ann, { phone, text: promise });
    const [{ messageId }] = body.successes;
    assert.deepEqual(body.failures, []);
    assert.deepEqual(await status(messageId), ['held', null]);
    assert.equal((await ann.call('GET', `${messagesPath}/${messageId}`)).body.heldReason, 'supervision');
    assert.deepEqual(await onPhone(phone), []);
    const [entry] = await entries(world, ann, phone, 'text_out');
    assert.deepEqual(entry?.meta.held, { rules: ['Promise of returns'], lexiconVersion: 0 });
    assert.equal(entry?.body, promise);
    const { kind, messageId: of, archiveNumber } = await reviewOf(phone);
    assert.deepEqual([kind, of, archiveNumber], ['held', messageId, entry?.number]);
  });

  test('and flagged goes out and is up for review; a text without findings is not', async () => {
    const [phone, other] = [await acceptedPhone(world, ann), await acceptedPhone(world, ann)];
    await setRules({ name: 'Falcon', action: 'flag', phrases: ['project falcon'] });
    try {
      const { body } = await send(ann, { phone, text: 'On Project Falcon' });
      await send(ann, { phone: other, text: 'Hello' });
      assert.deepEqual(await onPhone(phone), ['On Project Falcon']);
      const { kind, rules, lexiconVersion, messageId } = await reviewOf(phone);
      assert.deepEqual([kind, rules, lexiconVersion], ['flagged', ['Falcon'], 1]);
      assert.equal(messageId, body.successes[0].messageId);
      assert.deepEqual(await reviewsOf(other), []);
    } finally {
      await setRules(
        { name: 'Card number', action: 'block', detector: 'card_number' },
        { name: 'Promise of returns', action: 'hold', detector: 'promise_of_returns' },
        { name: 'Off channel', action: 'hold', detector: 'off_channel' },
      );
    }
  });
});

suite('a text that is held', () => {
  test('goes out once when it is approved, and the archive says who approved it and why', async () => {
    const { phone, messageId, reviewId } = await heldText();
    const { outcome, decidedBy } = await decide(reviewId, 'approved', { note: 'A quote from the prospectus' });
    assert.deepEqual([outcome, decidedBy], ['queued', 'Sue']);
    assert.deepEqual(await status(messageId), ['queued', null]);
    assert.equal((await ann.call('GET', `${messagesPath}/${messageId}`)).body.heldReason, null);
    assert.deepEqual(await onPhone(phone), [promise]);
    assert.deepEqual(await status(messageId), ['sent', null]);
    const [entry] = await entries(world, ann, phone, 'review');
    assert.deepEqual([entry?.actor, entry?.body], [`staff:${sue.staffId}`, 'A quote from the prospectus']);
    const { reviewId: of, decision, outcome: came, rules } = entry?.meta ?? {};
    assert.deepEqual([of, decision, came, rules], [reviewId, 'approved', 'queued', ['Promise of returns']]);
  });

  test('fails when it is rejected', async () => {
    const { phone, messageId, reviewId } = await heldText();
    await decide(reviewId, 'rejected');
    assert.deepEqual(await status(messageId), ['failed', 'text_blocked']);
    assert.deepEqual(await onPhone(phone), []);
  });

  test('is decided once, even by two people at the same time', async () => {
    for (const other of ['approved', 'rejected'] as const) {
      const { phone, messageId, reviewId } = await heldText();
      const outcomes = await Promise.allSettled([decide(reviewId, 'approved'), decide(reviewId, other)]);
      const refused = outcomes.filter((each) => each.status === 'rejected');
      assert.equal(refused.length, 1);
      assert.ok(isProblem('conflict', /already/)(refused[0]?.reason));
      const [sent] = [await onPhone(phone)];
      assert.deepEqual(sent.length === 1, (await status(messageId))[0] === 'sent');
      assert.ok(sent.length === 1 || other === 'rejected');
      assert.equal((await entries(world, ann, phone, 'review')).length, 1);
    }
  });

  test('doesn’t go to somebody who has replied STOP since', async () => {
    const { phone, messageId, reviewId } = await heldText();
    await say(world, ann, phone, 'STOP');
    const { outcome } = await decide(reviewId, 'approved');
    assert.equal(outcome, 'opted_out');
    assert.deepEqual(await status(messageId), ['failed', 'opted_out']);
    assert.ok(!(await onPhone(phone)).includes(promise));
  });

  test('nor to somebody who replies STOP between the approval and the sending', async () => {
    const { phone, messageId, reviewId } = await heldText();
    await decide(reviewId, 'approved');
    await say(world, ann, phone, 'STOP');
    assert.ok(!(await onPhone(phone)).includes(promise));
    assert.deepEqual(await status(messageId), ['failed', 'opted_out']);
  });

  test('is paced and deferred to the recipient’s hours as of its approval, not before', async () => {
    const { advisorId } = ann.advisor;
    const set = (assignment: string) =>
      world.database.asOwner(`update advisors set ${assignment} where advisor_id = $1`, [advisorId]);
    const texts = [await heldText(), await heldText(), await heldText(), await heldText()] as const;
    // 3:30 in New York, where these numbers are.
    const night: Deps = { ...world.deps, clock: { now: () => new Date('2031-05-06T07:30:00Z') } };
    const approveAtNight = (reviewId: number) => decideReview(night, reviewId, { decision: 'approved', staff: sue });
    try {
      await set(`texting_pace = 1`);
      await decide(texts[0].reviewId, 'approved');
      await decide(texts[1].reviewId, 'approved');
      const [first] = await waiting(texts[0].messageId);
      const [second] = await waiting(texts[1].messageId);
      const apartMs = (second?.notBefore.getTime() ?? 0) - (first?.notBefore.getTime() ?? 0);
      assert.ok(apartMs >= 999, `${apartMs} ms apart`);

      await set(`quiet_hours = 'defer'`);
      await approveAtNight(texts[2].reviewId);
      const [deferred] = await waiting(texts[2].messageId);
      assert.equal(deferred?.deferredUntil?.toISOString(), '2031-05-06T12:00:00.000Z');

      await set(`quiet_hours = 'refuse'`);
      await assert.rejects(
        approveAtNight(texts[3].reviewId),
        isProblem('conflict', /is still held.*between 8:00 and 21:00/),
      );
      assert.deepEqual(await status(texts[3].messageId), ['held', null]);
    } finally {
      await set(`texting_pace = null, quiet_hours = 'off'`);
      await world.database.asOwner(`update archive_heads set next_slot = '-infinity'`);
    }
  });

  test('has a first text’s line, and so does the next one until the held text has gone out', async () => {
    const { firmId } = ann.advisor;
    await setFirm(world.deps, firmId, { firstTextLine: true });
    try {
      const { phone, reviewId } = await heldText();
      await send(ann, { phone, text: 'Hello' });
      const [hello] = await onPhone(phone);
      assert.match(hello ?? '', /^Hello\nTest Wealth\. Reply STOP/);
      await decide(reviewId, 'approved');
      assert.match((await onPhone(phone))[1] ?? '', /returns\nTest Wealth\. Reply STOP/);

      const fresh = await heldText();
      await decide(fresh.reviewId, 'approved');
      await send(ann, { phone: fresh.phone, text: 'Hello' });
      assert.equal((await onPhone(fresh.phone))[1], 'Hello');
    } finally {
      await setFirm(world.deps, firmId, { firstTextLine: false });
    }
  });
});

suite('a text that is scheduled', () => {
  const schedule = (phone: string, text: string) =>
    send(ann, { phone, text, scheduleDelivery: true, deliveryDate: world.clock.now().getTime() + hourMs });
  const scheduled = async (state: string, id: number) =>
    (await ann.call('GET', `${scheduledMessagesPath}?status=${state}&pageSize=200`)).body.data.find(
      (each: { scheduledMessageId: number }) => each.scheduledMessageId === id,
    );

  test('is blocked at once, and held, flagged or blocked again by the lexicon at the time it is due', async () => {
    const phones = [await acceptedPhone(world, ann), await acceptedPhone(world, ann), await acceptedPhone(world, ann)];
    const [blocked = '', held = '', later = ''] = phones;
    const { body } = await schedule(blocked, card);
    assert.deepEqual([body.successes, body.failureDetails[0].code], [[], 'text_blocked']);
    assert.equal((await reviewOf(blocked)).kind, 'blocked');

    const [heldId, laterId] = await Promise.all(
      [promise, 'Merger talk'].map(async (text, index) => {
        const answer = await schedule([held, later][index] ?? '', text);
        return answer.body.successes[0].scheduledMessageId;
      }),
    );
    assert.deepEqual(await reviewsOf(held), []);
    await setRules(
      { name: 'Promise of returns', action: 'hold', detector: 'promise_of_returns' },
      { name: 'Merger', action: 'block', phrases: ['merger'] },
    );
    await world.clock.advance(hourMs);
    await sendDueMessages(world.deps);

    const review = await reviewOf(held);
    assert.deepEqual(await status(review.messageId ?? 0), ['held', null]);
    assert.equal((await scheduled('completed', heldId))?.status, 'completed');
    assert.equal((await scheduled('skipped', laterId))?.reason, 'text_blocked');
    assert.deepEqual(await kindsSent(world, ann, later), []);
    assert.equal((await reviewOf(later)).kind, 'blocked');
    const [entry] = await entries(world, ann, later, 'review');
    assert.deepEqual([entry?.body, entry?.meta.scheduledMessageId], ['Merger talk', laterId]);
    await decide(review.reviewId, 'approved');
    assert.deepEqual(await onPhone(held), [promise]);
  });
});

suite('what else is supervised', () => {
  test('a person’s reply is at most flagged, and our own automatic texts are not reviewed', async () => {
    await setRules({ name: 'Words', action: 'block', phrases: ['guaranteed returns', 'opted out', 'agreed'] });
    const phone = newPhone();
    await say(world, ann, phone, 'START me on those guaranteed returns');
    const { kind, rules, messageId, archiveNumber } = await reviewOf(phone);
    const [entry] = await entries(world, ann, phone, 'text_in');
    assert.deepEqual([kind, rules, messageId, archiveNumber], ['flagged', ['Words'], null, entry?.number]);
    await say(world, ann, phone, 'START');
    await say(world, ann, phone, 'STOP');
    assert.deepEqual(await kindsSent(world, ann, phone), ['opt_in', 'opt_out']);
    assert.equal((await reviewsOf(phone)).length, 1);
  });

  test('an opt-out in free wording stays one, even if its review is rejected', async () => {
    const phone = newPhone();
    await say(world, ann, phone, 'please stop texting me');
    const { reviewId, kind } = await reviewOf(phone);
    assert.equal(kind, 'opt_out_wording');
    const { outcome } = await decide(reviewId, 'rejected', { note: 'Meant somebody else' });
    assert.equal(outcome, null);
    assert.equal(await stateOf(world, ann, phone), 'opted_out');
    assert.deepEqual(await reviewsOf(phone), []);
    assert.equal((await reviewsOf(phone, 'rejected')).length, 1);
    assert.equal((await entries(world, ann, phone, 'review'))[0]?.body, 'Meant somebody else');
  });
});

suite('a reviewer', () => {
  test('is on the firm’s staff and not disabled; notes are kept once and in order, also after the decision', async () => {
    await setRules({ name: 'Promise of returns', action: 'hold', detector: 'promise_of_returns' });
    const { phone, messageId, reviewId } = await heldText();
    const elsewhere = await addFirm(world.deps, 'Other Firm');
    const olaf = await addStaff(world.deps, { firmId: elsewhere.firmId, name: 'Olaf', email: 'olaf@other.example' });
    const { staffId } = await addStaff(world.deps, { firmId: sue.firmId, name: 'Pat', email: 'pat@test.example' });
    await setStaff(world.deps, staffId, { disabled: true });
    for (const staff of [olaf, await getStaff(world.deps, String(staffId))]) {
      await assert.rejects(decide(reviewId, 'approved', { staff }), isProblem('forbidden', /not on the firm’s staff/));
      await assert.rejects(noteReview(world.deps, reviewId, { staff, note: 'Hm' }), isProblem('forbidden', /staff/));
    }
    await assert.rejects(decide(999_999, 'approved'), isProblem('not_found', /no review 999999/));
    await assert.rejects(decide(reviewId, 'approved', { note: ' ' }), isProblem('invalid_request', /A note is text/));
    assert.deepEqual(await status(messageId), ['held', null]);

    await noteReview(world.deps, reviewId, { staff: sue, note: 'Asked Ann' });
    await decide(reviewId, 'rejected', { note: 'No' });
    for (const note of ['No', 'Told Ann', 'Told Ann']) await noteReview(world.deps, reviewId, { staff: sue, note });
    const { text, events, decidedAt } = await getReview(world.deps, reviewId);
    assert.equal(text, promise);
    assert.ok(decidedAt);
    assert.deepEqual(
      events.map(({ decision, outcome, note }) => [decision, outcome, note]),
      [
        [null, null, 'Asked Ann'],
        ['rejected', 'text_blocked', 'No'],
        [null, null, 'No'],
        [null, null, 'Told Ann'],
      ],
    );
    assert.equal((await entries(world, ann, phone, 'review')).length, 4);
  });
});

suite('the daily sample', () => {
  const drawn = async () => {
    const reviews = await listReviews(world.deps, { firmId: ann.advisor.firmId, status: 'open', kind: 'sample' });
    return reviews.map(({ messageId }) => messageId ?? 0);
  };

  /** Inserts `count` sent texts, held texts and automatic texts, as of now. Returns the ids of those sent. */
  async function sendMany(count: number): Promise<number[]> {
    const { memberId } = await memberOf(world, ann, await acceptedPhone(world, ann));
    const { advisorId } = ann.advisor;
    const one = { advisorId, memberId, text: 'Hello', meta: {}, actor: 'application:1', traceId: null, segments: 1 };
    const rest = {
      scheduledMessageId: null,
      carrierId: 1,
      pace: null,
      deferredUntil: null,
      openUntil: null,
      expiresAt: null,
    };
    const texts = Array.from({ length: 3 * count }, (_, index) => {
      const kind = index < 2 * count ? 'text' : 'help';
      const held = index >= count && index < 2 * count ? { heldReason: 'supervision' as const } : {};
      return { ...one, ...rest, kind, encoding: 'GSM-7', ...held } as const;
    });
    const messageIds = await drawMessageIds(world.deps.db, texts.length);
    await insertTexts(world.deps.db, texts, { messageIds, now: world.clock.now(), realNow: new Date() });
    return messageIds.slice(0, count);
  }
  const toMorning = async (days = 1) => {
    const nowMs = world.clock.now().getTime();
    await world.clock.advance(days * dayMs - (nowMs % dayMs) + hourMs);
  };

  test('is drawn at random once a day, however many nodes there are: the firm’s share, and at least one', async () => {
    const { firmId } = ann.advisor;
    const otherPool = connect({ connectionString: world.database.url, size: 4, timeoutMs: 5_000, role: appRole });
    const nodes: Deps[] = [world.deps, { ...world.deps, db: otherPool }];
    let before: number[] = [];
    /** What all nodes together draw now. */
    const draw = async () => {
      await Promise.all([...nodes, ...nodes].map((deps) => sampleForReview(deps)));
      const all = await drawn();
      const more = all.filter((id) => !before.includes(id));
      assert.equal(new Set(all).size, all.length);
      before = all;
      return more;
    };
    try {
      await toMorning();
      await draw();
      // One percent of thirty is less than one.
      const thirty = await sendMany(30);
      assert.deepEqual(await draw(), [], 'not before the day is over');
      await toMorning();
      const [one, ...more] = await draw();
      assert.ok(one && thirty.includes(one) && more.length === 0);
      assert.deepEqual(await draw(), []);

      await setSamplePercent(world.deps, firmId, 50);
      const others = await sendMany(30);
      // No node runs for two days.
      await toMorning(3);
      const half = await draw();
      assert.equal(half.length, 15);
      assert.ok(half.every((id) => others.includes(id)));
      assert.notDeepEqual(half, others.slice(0, 15));
      assert.notDeepEqual(half, others.slice(15));

      await setSamplePercent(world.deps, firmId, 100);
      await sendMany(220);
      await toMorning();
      assert.equal((await draw()).length, 200, 'nobody can read more in a day');

      await setSamplePercent(world.deps, firmId, 0);
      await sendMany(3);
      await toMorning();
      assert.deepEqual(await draw(), []);
      await assert.rejects(setSamplePercent(world.deps, firmId, 101), isProblem('invalid_request', /0 to 100/));
    } finally {
      await otherPool.end();
    }
  });
});
