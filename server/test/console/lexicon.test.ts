import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { decideReview } from '../../src/domain/consent/reviews.ts';
import { listReviews } from '../../src/domain/supervision/reviews.ts';
import { makeStaff, type StaffPerson } from '../support/console.ts';
import { say } from '../support/people.ts';
import { acceptedPhone, send } from '../support/texting.ts';
import { makeWorld, type World } from '../support/world.ts';

let world: World;
let cameron: StaffPerson;
let phone: string;
before(async () => {
  world = await makeWorld({ dispatch: false });
  cameron = await makeStaff(world, { role: 'compliance_officer', firmId: world.ann.advisor.firmId, name: 'Cameron' });
  phone = await acceptedPhone(world, world.ann);
  for (const text of ['Here is a hot tip for you', 'Guaranteed returns!', 'See you at noon'])
    await send(world.ann, { phone, text });
  await say(world, world.ann, phone, 'What is your hot  TIP?');
});
after(() => world.close());

const tips = { name: 'Tips', action: 'hold', phrases: ['hot tip'] };

suite('the lexicon’s editor', () => {
  test('makes a dry run over the last 30 days: what would change, with examples, and nothing does', async () => {
    const { status, body } = await cameron.call('POST', '/lexicon/dry-run', { rules: [tips] });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.texts, body.stopped, body.changed], [4, null, 3]);
    assert.deepEqual(body.before, { flag: 0, hold: 1, block: 0 });
    assert.deepEqual(body.after, { flag: 1, hold: 1, block: 0 }, 'a reply is only ever flagged');
    const reply = body.examples.find(({ isReply }: { isReply: boolean }) => isReply);
    const [{ start, end }] = reply.marks;
    assert.deepEqual([reply.excerpt.slice(start, end), reply.before, reply.after], ['hot  TIP', null, 'flag']);
    const { body: lexicon } = await cameron.call('GET', '/lexicon');
    assert.deepEqual([lexicon.version, lexicon.history], [0, []]);
  });

  test('saves a version with who did it, once; a second editor is told', async () => {
    const saved = await cameron.call('PUT', '/lexicon', { rules: [tips], basedOn: 0 });
    assert.deepEqual([saved.status, saved.body.version], [200, 1]);
    const late = await cameron.call('PUT', '/lexicon', { rules: [], basedOn: 0 });
    assert.deepEqual([late.status, /saved version 1 meanwhile/.test(late.body.detail)], [409, true]);
    const { body } = await cameron.call('GET', '/lexicon');
    assert.deepEqual([body.present, body.rules, body.history[0].setBy], [1, [tips], 'Cameron']);
    assert.equal((await cameron.call('GET', '/lexicon?version=0')).body.rules.length, 4);
    assert.equal((await cameron.call('GET', '/lexicon?version=7')).status, 404);
    const [entry] = await world.database.asOwner<{ actor: string }>(
      `select actor from archive_entries where meta like '%lexicon set%' order by number desc limit 1`,
    );
    assert.equal(entry?.actor, `staff:${cameron.staffId}`);
  });

  test('says what is wrong with a rule, and what a text would meet', async () => {
    const wrong = await cameron.call('POST', '/lexicon/dry-run', { rules: [tips, { name: '', action: 'hold' }] });
    assert.deepEqual([wrong.status, /rule 2 doesn’t/.test(wrong.body.detail)], [400, true]);
    const { body } = await cameron.call('POST', '/lexicon/trial', { rules: [tips], text: 'A hot tip' });
    assert.deepEqual(body, { action: 'hold', rules: ['Tips'], marks: [{ start: 2, end: 9, rule: 'Tips' }] });
  });
});

suite('the supervision report', () => {
  test('has who decided what, how fast, and what is open', async () => {
    const { firmId } = world.ann.advisor;
    const [held] = await listReviews(world.deps, { firmId, status: 'open', kind: 'held' });
    const opened = held?.dateTimeCreated.getTime() ?? 0;
    await send(world.ann, { phone, text: 'Another hot tip' });
    await world.clock.advance(90_000);
    await decideReview(world.deps, held?.reviewId ?? -1, { decision: 'rejected', staff: cameron });
    const path = (from: number, until: number) =>
      `/report?from=${new Date(from).toISOString()}&until=${new Date(until).toISOString()}`;
    const { body } = await cameron.call('GET', path(opened - 1_000, opened + 600_000));
    const decided = { decided: 1, approved: 0, rejected: 1 };
    const [work] = body.work;
    assert.deepEqual(
      { name: work.name, kind: work.kind, decided: work.decided, approved: work.approved, rejected: work.rejected },
      { name: 'Cameron', kind: 'held', ...decided },
    );
    assert.ok(work.medianSeconds >= 90 && work.medianSeconds < 120 && work.slowestSeconds === work.medianSeconds);
    assert.deepEqual([body.all.decided, body.people.length, body.kinds.length], [1, 1, 1]);
    assert.deepEqual(
      body.open.map(({ kind, open }: { kind: string; open: number }) => [kind, open]),
      [['held', 1]],
    );
    const { body: before } = await cameron.call('GET', path(opened - 600_000, opened - 300_000));
    assert.deepEqual([before.all.decided, before.work, before.opened], [0, [], 0]);
    assert.equal((await cameron.call('GET', path(opened, opened))).status, 400);
  });
});
