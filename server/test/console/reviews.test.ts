import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addStaff, setStaff } from '../../src/domain/accounts/staff.ts';
import { deleteLater, undoDelete } from '../../src/domain/address-book/pending-deletes.ts';
import { fetchDueMedia } from '../../src/domain/consent/reply-media.ts';
import { decisions, findPending } from '../../src/domain/consent/review-decisions.ts';
import { decideReview } from '../../src/domain/consent/reviews.ts';
import { doDueActions, undoMs } from '../../src/domain/shared/pending-actions.ts';
import { listReviews, noteReview, type ReviewEvent } from '../../src/domain/supervision/reviews.ts';
import { makeStaff, type StaffPerson } from '../support/console.ts';
import { entries, memberOf, say, stateOf } from '../support/people.ts';
import { acceptedPhone, handset, send } from '../support/texting.ts';
import { inject, makeWorld, type World } from '../support/world.ts';

const promise = 'Hi, this fund has guaranteed returns, call me';

let world: World;
let riley: StaffPerson;
let cameron: StaffPerson;
before(async () => {
  world = await makeWorld({ dispatch: false });
  const { firmId } = world.ann.advisor;
  riley = await makeStaff(world, { role: 'reviewer', firmId, name: 'Riley' });
  cameron = await makeStaff(world, { role: 'compliance_officer', firmId, name: 'Cameron' });
});
after(() => world.close());

async function heldText(text = promise): Promise<{ phone: string; reviewId: number }> {
  const phone = await acceptedPhone(world, world.ann);
  await send(world.ann, { phone, text });
  return { phone, reviewId: await reviewOf(phone) };
}

async function reviewOf(phone: string): Promise<number> {
  const reviews = await listReviews(world.deps, { firmId: world.ann.advisor.firmId, status: 'open', kind: null });
  return reviews.find((review) => review.phone === phone)?.reviewId ?? -1;
}

async function onPhone(phone: string): Promise<string[]> {
  await world.dispatcher.settled();
  return (await handset(world, phone)).map(({ text }) => text);
}

/** As if the eight seconds had passed. */
async function pass(): Promise<void> {
  await world.database.asOwner(`update pending_actions set due_at = now() - interval '1 second'`);
  await Promise.all([1, 2].map(() => doDueActions(world.deps, decisions, (fault) => assert.fail(String(fault)))));
}

const decide = (who: StaffPerson, reviewId: number, decision: string, note?: string) =>
  who.call('POST', `/reviews/${reviewId}/decision`, { decision, ...(note ? { note } : {}) });
const show = async (reviewId: number) => (await riley.call('GET', `/reviews/${reviewId}`)).body;
const listed = async (view = 'all'): Promise<number[]> =>
  (await riley.call('GET', `/reviews?view=${view}`)).body.data.map(({ reviewId }: { reviewId: number }) => reviewId);

suite('the review queue', () => {
  test('shows what was found, where, in which thread, and what else is known', async () => {
    const { phone, reviewId } = await heldText('Hello! This fund has GUARANTEED  returns.');
    const { body } = await riley.call('GET', '/reviews?view=held');
    const row = body.data.find((each: { reviewId: number }) => each.reviewId === reviewId);
    assert.match(row.excerpt, /GUARANTEED {2}returns/);
    const review = await show(reviewId);
    const marked = review.marks.map(({ start, end }: { start: number; end: number }) => review.text.slice(start, end));
    assert.deepEqual([marked, review.marks[0].rule], [['GUARANTEED  returns'], 'Promise of returns']);
    assert.deepEqual([review.refusal, review.pending, review.effect], [null, null, null]);
    const items: { archiveNumber: number; type: string }[] = review.thread.data;
    assert.equal(items.find(({ archiveNumber }) => archiveNumber === review.archiveNumber)?.type, 'text');
    assert.equal(review.consent[0].state, 'accepted');
    assert.equal((await memberOf(world, world.ann, phone)).memberId, review.memberId);
    const theirs = (await riley.call('GET', `/reviews?members=1,${review.memberId}`)).body.data;
    assert.deepEqual(
      theirs.map((each: { reviewId: number }) => each.reviewId),
      [reviewId],
    );
  });

  test('hides a number until somebody asks for it, which is an entry, and counts each part', async () => {
    const phone = await acceptedPhone(world, world.ann);
    await send(world.ann, { phone, text: 'Your card 4111 1111 1111 1111 is on file' });
    const { body } = await riley.call('GET', '/reviews?view=blocked');
    const { excerpt, reviewId } = body.data.at(-1);
    assert.equal(excerpt, 'Your card ■■■■ ■■■■ ■■■■ 1111 is on file');
    const opened = await show(reviewId);
    assert.deepEqual([opened.text, opened.isHidden], [excerpt, true]);
    assert.doesNotMatch(JSON.stringify(opened), /4111/);
    const shown = await riley.call('POST', `/reviews/${reviewId}/text`);
    assert.equal(shown.body.text, 'Your card 4111 1111 1111 1111 is on file');
    assert.equal((await show(reviewId)).events.at(-1).action, 'shown');
    const { counts } = (await riley.call('GET', '/reviews/counts')).body;
    assert.equal(counts.blocked, body.data.length);
    assert.equal(counts.all, (await listed()).length);
  });

  test('has the pictures of the person it is about, and no others', async () => {
    const pictureOf = async (phone: string) => {
      await inject(world.app, {
        method: 'POST',
        url: `/sandbox/handset/${encodeURIComponent(phone)}/replies`,
        headers: { 'x-api-key': world.apiKey },
        payload: { to: world.ann.advisor.textingNumber, media: ['sample'] },
      });
      await fetchDueMedia(world.deps, () => {});
      const [row] = await world.database.asOwner<{ number: string }>(
        'select max(reply_number) as number from reply_media',
      );
      return row?.number;
    };
    const { phone, reviewId } = await heldText();
    const own = await pictureOf(phone);
    const other = await pictureOf((await heldText()).phone);
    assert.equal((await riley.call('GET', `/reviews/${reviewId}/media/${own}/1`)).status, 200);
    assert.equal((await riley.call('GET', `/reviews/${reviewId}/media/${other}/1`)).status, 404);
  });

  test('pages by the review’s id, in either order', async () => {
    const firmId = world.ann.advisor.firmId;
    await world.database.asOwner(
      `insert into reviews (advisor_id, firm_id, kind, archive_number, date_time_created)
       select $1, $2, 'sample', 1, now() from generate_series(1, 60)`,
      [world.ann.advisor.advisorId, firmId],
    );
    for (const order of ['oldest', 'newest']) {
      const first = (await riley.call('GET', `/reviews?view=sample&order=${order}`)).body;
      const next = (await riley.call('GET', `/reviews?view=sample&order=${order}&after=${first.cursor}`)).body;
      assert.deepEqual([first.data.length, next.data.length, next.cursor], [50, 10, null]);
      assert.equal(first.data[0].reviewId < next.data[0].reviewId, order === 'oldest');
    }
  });
});

suite('a decision', () => {
  test('takes effect eight seconds later, once, with the entry that the command writes, but for how it came', async () => {
    const { phone, reviewId } = await heldText();
    const before = await onPhone(phone);
    const { status, body, headers } = await decide(riley, reviewId, 'approved', 'A quote');
    assert.deepEqual([status, body], [200, { undoMs }]);
    assert.ok(!(await listed('held')).includes(reviewId), 'as if it were done');
    const { pending, status: still } = await show(reviewId);
    assert.deepEqual([pending.decision, pending.by, still], ['approved', 'Riley', 'open']);
    assert.deepEqual(await onPhone(phone), before);
    await pass();
    assert.deepEqual(await onPhone(phone), [...before, promise]);
    const { status: decided, decidedBy, events } = await show(reviewId);
    assert.deepEqual([decided, decidedBy, events.length], ['approved', 'Riley', 1]);
    const entry = (await entries(world, world.ann, phone, 'review')).at(-1);
    assert.deepEqual(
      [entry?.actor, entry?.body, entry?.meta.decision, entry?.meta.outcome],
      [`staff:${riley.staffId}`, 'A quote', 'approved', 'queued'],
    );
    assert.deepEqual([entry?.meta.via, entry?.traceId], [undefined, headers['x-trace-id']]);
    await noteReview(world.deps, reviewId, { staff: riley, note: 'Typed by an operator' });
    const byCommand = (await show(reviewId)).events.map((event: ReviewEvent) => event.isByCommand);
    assert.deepEqual(byCommand, [false, true]);
  });

  test('changes what the archive’s page says about the text', async () => {
    const { reviewId } = await heldText();
    const { advisorId, archiveNumber } = await show(reviewId);
    const statusOf = async () => {
      const { entries } = (await riley.call('GET', `/archive/${advisorId}/${archiveNumber}`)).body;
      return entries.find((each: { number: number }) => each.number === archiveNumber).status;
    };
    assert.equal(await statusOf(), 'held');
    await decide(riley, reviewId, 'rejected');
    await pass();
    assert.equal(await statusOf(), 'failed');
  });

  test('that is undone never was, but is on record; later it is too late', async () => {
    const { phone, reviewId } = await heldText();
    await decide(riley, reviewId, 'rejected');
    const undo = (who: StaffPerson) => who.call('POST', '/reviews/undo', { reviewIds: [reviewId] });
    assert.deepEqual((await undo(cameron)).body, { undone: 0 }, 'somebody else’s');
    assert.deepEqual((await undo(riley)).body, { undone: 1 });
    await pass();
    assert.ok((await listed('held')).includes(reviewId));
    const [entry, ...others] = await entries(world, world.ann, phone, 'review');
    const { action, attempted, decision } = entry?.meta ?? {};
    assert.deepEqual([action, attempted, decision, others], ['undone', 'rejected', null, []]);
    assert.equal(entry?.actor, `staff:${riley.staffId}`);
    await decide(riley, reviewId, 'rejected');
    await pass();
    assert.deepEqual((await undo(riley)).body, { undone: 0 });
  });

  test('about an advisor’s text isn’t theirs to undo, nor is its id to be guessed from another', async () => {
    const { reviewId } = await heldText();
    const { advisorId } = world.ann.advisor;
    const earlier = await deleteLater(world.deps, advisorId, { contactIds: [1] });
    await decide(riley, reviewId, 'rejected');
    const { actionId = 0 } = (await findPending(world.deps, advisorId, reviewId)) ?? {};
    assert.ok(Math.abs(actionId - earlier) > 1_000, `${actionId} follows ${earlier}`);
    await assert.rejects(undoDelete(world.deps, advisorId, actionId), { code: 'not_found' });
    await pass();
    assert.equal((await show(reviewId)).status, 'rejected');
  });

  test('by a second person is a conflict, before it is done and after', async () => {
    const { reviewId } = await heldText();
    const answers = await Promise.all([decide(riley, reviewId, 'approved'), decide(cameron, reviewId, 'rejected')]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    const refused = answers.find(({ status }) => status === 409);
    assert.match(refused?.body.detail, /has just decided this/);
    await pass();
    assert.match((await decide(cameron, reviewId, 'rejected')).body.detail, /was already/);
  });

  test('that can’t be done when it is due is on record, and the review stays open', async () => {
    const { reviewId } = await heldText();
    const temp = await makeStaff(world, { role: 'reviewer', firmId: world.ann.advisor.firmId, name: 'Temp' });
    await decide(temp, reviewId, 'approved');
    await setStaff(world.deps, temp.staffId, { disabled: true });
    await pass();
    const { status, pending, events } = await show(reviewId);
    assert.deepEqual([status, pending, events[0].action], ['open', null, 'not_done']);
    assert.match(events[0].note, /Temp can’t review this/);
  });

  test('about a possible opt-out says what it does to the texts that are held', async () => {
    const phone = await acceptedPhone(world, world.ann);
    await say(world, world.ann, phone, 'Hm. That’s enough now');
    await send(world.ann, { phone, text: 'Your seat is reserved' });
    const reviewId = await reviewOf(phone);
    const { effect, marks, text, kind } = await show(reviewId);
    assert.equal(kind, 'possible_opt_out');
    assert.deepEqual([effect.heldTexts, effect.isConfirmed], [1, true]);
    assert.match(text.slice(marks[0].start, marks[0].end), /enough/);
    await decide(riley, reviewId, 'rejected');
    await pass();
    assert.equal(await stateOf(world, world.ann, phone), 'opted_out');
  });

  test('is never about one’s own conversation, by the page or by the command', async () => {
    const { reviewId } = await heldText();
    const { firmId, email } = world.ann.advisor;
    const own = await addStaff(world.deps, { firmId, name: 'Ann', email: email.toUpperCase() });
    await assert.rejects(
      decideReview(world.deps, reviewId, { decision: 'approved', staff: own }),
      /Ann can’t review this: it is their own conversation/,
    );
    const assigned = await riley.call('PUT', `/reviews/${reviewId}/assignee`, { staffId: own.staffId });
    assert.equal(assigned.status, 403);
  });
});

suite('work in a firm', () => {
  test('is given to somebody, and escalated to a compliance officer, each with an entry', async () => {
    const { phone, reviewId } = await heldText();
    await cameron.call('PUT', `/reviews/${reviewId}/assignee`, { staffId: riley.staffId });
    assert.deepEqual(await listed('mine'), [reviewId]);
    await riley.call('PUT', `/reviews/${reviewId}/escalation`, { escalated: true, note: 'Is this a promise?' });
    assert.deepEqual(await listed('escalated'), [reviewId]);
    const refused = await decide(riley, reviewId, 'approved');
    assert.deepEqual([refused.status, /only a compliance officer/.test(refused.body.detail)], [403, true]);
    assert.match((await show(reviewId)).refusal, /only a compliance officer/);
    const back = (who: StaffPerson) => who.call('PUT', `/reviews/${reviewId}/escalation`, { escalated: false });
    assert.equal((await back(riley)).status, 403);
    assert.equal((await decide(cameron, reviewId, 'approved')).status, 200);
    await pass();
    const written = await entries(world, world.ann, phone, 'review');
    assert.deepEqual(
      written.map(({ meta }) => meta.action ?? meta.decision),
      ['assigned', 'escalated', 'approved'],
    );
    assert.ok(written.every(({ traceId }) => traceId !== null));
  });

  test('is decided several at a time; what can’t be says why', async () => {
    const [one, other, done] = [await heldText(), await heldText(), await heldText()];
    await decide(cameron, done.reviewId, 'rejected');
    const reviewIds = [one.reviewId, other.reviewId, done.reviewId, 999_999_999];
    const { body } = await riley.call('POST', '/reviews/decisions', { reviewIds, decision: 'rejected' });
    const refusals = body.data.map(({ refused }: { refused: string | null }) => refused);
    assert.deepEqual(refusals.slice(0, 2), [null, null]);
    assert.match(refusals[2], /Cameron has just decided/);
    assert.match(refusals[3], /There is no review/);
    const { data } = (await riley.call('GET', '/reviews/waiting')).body;
    assert.deepEqual(data.map((each: { reviewId: number }) => each.reviewId).toSorted(), reviewIds.slice(0, 2));
    assert.deepEqual((await riley.call('POST', '/reviews/undo', { reviewIds })).body, { undone: 2 });
    assert.deepEqual((await riley.call('GET', '/reviews/waiting')).body.data, []);
    assert.ok((await listed('held')).includes(one.reviewId));
  });
});
