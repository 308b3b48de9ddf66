import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { setFirm } from '../../src/domain/accounts/firms.ts';
import { addStaff, type Staff } from '../../src/domain/accounts/staff.ts';
import { optOutByCarrier, recordConsent } from '../../src/domain/consent/consents.ts';
import { decideReview } from '../../src/domain/consent/reviews.ts';
import { setLexicon } from '../../src/domain/supervision/lexicons.ts';
import { listReviews } from '../../src/domain/supervision/reviews.ts';
import { ask, entries, kindsSent, memberOf, say, stateOf } from '../support/people.ts';
import { acceptedPhone, handset, lookUp, messagesPath, newPhone, send, setConsent } from '../support/texting.ts';
import { textsUnlikeEntries } from '../support/texts-and-entries.ts';
import { makeWorld, type Person, type World } from '../support/world.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

let world: World;
let ann: Person;
let sue: Staff;
before(async () => {
  world = await makeWorld({ dispatch: false });
  ann = world.ann;
  sue = await addStaff(world.deps, { firmId: ann.advisor.firmId, name: 'Sue', email: 'sue@test.example' });
});
after(async () => {
  try {
    assert.deepEqual(await textsUnlikeEntries(world), [], 'the tables are what the entries say');
  } finally {
    await world.close();
  }
});

function sendWhenConsented(phone: string, text = 'Hello', headers: Record<string, string> = {}) {
  return send(ann, { phone, text, whenConsented: true }, headers);
}

/** The id of a text that waits. */
async function waitingText(phone: string, text = 'Hello'): Promise<number> {
  const { body } = await sendWhenConsented(phone, text);
  assert.deepEqual(body.failures, []);
  assert.equal(body.successes[0].status, 'awaiting_consent');
  return body.successes[0].messageId;
}

async function fateOf(messageId: number): Promise<(string | null)[]> {
  const { body } = await ann.call('GET', `${messagesPath}/${messageId}`);
  return [body.status, body.failureCode, body.heldReason];
}

const awaiting = ['awaiting_consent', null, null];
const optedOut = ['failed', 'opted_out', null];
const lapsed = ['failed', 'consent_lapsed', null];
const sent = ['sent', null, null];

/** The texts of the advisor on a phone, without requests and confirmations, once everything that may go out has gone out. */
async function onPhone(phone: string): Promise<string[]> {
  await world.dispatcher.settled();
  const texts = (await handset(world, phone)).map(({ text }) => text);
  return texts.filter((text) => !/Reply (ACCEPT|HELP|START)/.test(text));
}

/** As the sandbox does it. */
async function pass(ms: number): Promise<void> {
  await world.clock.advance(ms);
  await world.dispatcher.settled();
}

async function codeOf(body: Record<string, unknown>): Promise<string> {
  const answer = await send(ann, body);
  assert.deepEqual([answer.status, answer.body.successes], [200, []]);
  return answer.body.failureDetails[0].code;
}

suite('a text to somebody who hasn’t consented', () => {
  test('waits, and they are asked', async () => {
    const phone = newPhone();
    const { status, body } = await sendWhenConsented(phone);
    assert.equal(status, 200);
    const [success] = body.successes;
    const { memberId } = await memberOf(world, ann, phone);
    assert.deepEqual(body, {
      successes: [{ messageId: success.messageId, memberId, phone, status: 'awaiting_consent' }],
      failures: [],
      failureDetails: [],
    });
    assert.deepEqual(await fateOf(success.messageId), awaiting);
    assert.equal((await lookUp(ann, phone)).body.state, 'pending');
    assert.deepEqual(await kindsSent(world, ann, phone), ['consent_request', 'text']);
    assert.deepEqual(await onPhone(phone), []);
    assert.match((await handset(world, phone))[0]?.text ?? '', /Reply ACCEPT/);
  });

  test('is in the list of messages, by its status', async () => {
    const phone = newPhone();
    const messageId = await waitingText(phone);
    const query = `?status=awaiting_consent&phone=${encodeURIComponent(phone)}`;
    const { body } = await ann.call('GET', `${messagesPath}${query}`);
    assert.deepEqual(
      body.data.map((each: { messageId: number; status: string }) => [each.messageId, each.status]),
      [[messageId, 'awaiting_consent']],
    );
  });

  test('goes out after ACCEPT, after the confirmation and in the order of the sends', async () => {
    const phone = newPhone();
    const ids = [];
    for (const text of ['One', 'Two', 'Three']) ids.push(await waitingText(phone, text));
    await say(world, ann, phone, 'ACCEPT');
    assert.deepEqual(await onPhone(phone), ['One', 'Two', 'Three']);
    const texts = (await handset(world, phone)).map(({ text }) => text);
    assert.match(texts[1] ?? '', /You have agreed/);
    for (const id of ids) assert.deepEqual(await fateOf(id), sent);
    await pass(2 * dayMs);
    assert.deepEqual(await onPhone(phone), ['One', 'Two', 'Three'], 'once');
  });

  test('goes out after START, and once the firm records their consent', async () => {
    const [one, other] = [newPhone(), newPhone()];
    const ids = [await waitingText(one), await waitingText(other)];
    await say(world, ann, one, 'START');
    await recordConsent(world.deps, { advisorId: ann.advisor.advisorId, phone: other, proof: 'Form 7', staff: sue });
    for (const phone of [one, other]) assert.deepEqual(await onPhone(phone), ['Hello']);
    for (const id of ids) assert.deepEqual(await fateOf(id), sent);
  });

  test('fails if they say STOP or NO, the carrier says so, or a reviewer finds that they meant it', async () => {
    const phones = [newPhone(), newPhone(), newPhone(), newPhone()] as const;
    const ids = [];
    for (const phone of phones) ids.push(await waitingText(phone));
    await say(world, ann, phones[0], 'STOP');
    await say(world, ann, phones[1], 'NO');
    await optOutByCarrier(world.deps, ann.advisor.advisorId, (await memberOf(world, ann, phones[2])).memberId);
    await say(world, ann, phones[3], 'Sorry, wrong number.');
    const reviews = await listReviews(world.deps, {
      firmId: ann.advisor.firmId,
      status: 'open',
      kind: 'possible_opt_out',
    });
    const review = reviews.find(({ phone }) => phone === phones[3]);
    assert.deepEqual(await fateOf(ids[3] ?? -1), awaiting, 'until the reviewer decides');
    await decideReview(world.deps, review?.reviewId ?? -1, { decision: 'rejected', staff: sue });
    for (const [index, phone] of phones.entries()) {
      assert.deepEqual(await fateOf(ids[index] ?? -1), optedOut);
      assert.deepEqual(await onPhone(phone), []);
    }
    await say(world, ann, phones[0], 'START');
    assert.deepEqual(await onPhone(phones[0]), [], 'START doesn’t bring it back');
  });

  test('does not go out after STOP, whatever was said before', async () => {
    const phone = newPhone();
    const first = await waitingText(phone, 'Waited');
    await say(world, ann, phone, 'ACCEPT');
    await say(world, ann, phone, 'STOP');
    assert.deepEqual(await onPhone(phone), []);
    assert.deepEqual(await fateOf(first), optedOut);
    assert.equal(await codeOf({ phone, text: 'Hello', whenConsented: true }), 'opted_out');
  });

  test('lapses after 24 hours, and an ACCEPT after that sends nothing', async () => {
    const phone = newPhone();
    const first = await waitingText(phone, 'First');
    await pass(hourMs);
    const second = await waitingText(phone, 'Second');
    await pass(dayMs - hourMs - 60_000);
    assert.deepEqual(await fateOf(first), awaiting);
    await pass(60_000);
    assert.deepEqual(await fateOf(first), lapsed);
    assert.deepEqual(await fateOf(second), awaiting);
    await say(world, ann, phone, 'ACCEPT');
    assert.deepEqual(await onPhone(phone), ['Second']);
    const outcomes = await entries(world, ann, phone, 'text_out');
    assert.deepEqual(
      outcomes.map(({ meta }) => [meta.kind, meta.awaitsConsent]),
      [
        ['consent_request', undefined],
        ['text', true],
        ['text', true],
        ['opt_in', undefined],
      ],
    );
  });

  test('lapses by the time of the answer, even if nobody has noticed yet', async () => {
    const phone = newPhone();
    const messageId = await waitingText(phone);
    await world.clock.advance(dayMs);
    await say(world, ann, phone, 'ACCEPT');
    assert.deepEqual(await fateOf(messageId), lapsed);
    assert.deepEqual(await onPhone(phone), []);
  });

  test('asks again only if no request went out in the last 24 hours', async () => {
    const phone = newPhone();
    await ask(world, ann, phone);
    await waitingText(phone, 'One');
    await pass(dayMs - 60_000);
    await waitingText(phone, 'Two');
    assert.deepEqual(await kindsSent(world, ann, phone), ['consent_request', 'text', 'text']);
    await pass(60_000);
    await waitingText(phone, 'Three');
    assert.deepEqual((await kindsSent(world, ann, phone)).slice(3), ['consent_request', 'text']);
    assert.equal((await memberOf(world, ann, phone)).consentRequests, 2);
  });

  test('is one of ten at most: the eleventh fails, until one of them ends', async () => {
    const phone = newPhone();
    const first = await waitingText(phone, 'Text 1');
    await pass(hourMs);
    for (let number = 2; number <= 10; number++) await waitingText(phone, `Text ${number}`);
    const { body } = await sendWhenConsented(phone, 'Text 11');
    assert.deepEqual(body.successes, []);
    const [{ code, retryable, message }] = body.failureDetails;
    assert.deepEqual([code, retryable], ['too_many_waiting', true]);
    assert.deepEqual(body.failures, [message]);
    await pass(dayMs - hourMs);
    assert.deepEqual(await fateOf(first), lapsed);
    await waitingText(phone, 'Text 11');
    await say(world, ann, phone, 'ACCEPT');
    assert.deepEqual(
      await onPhone(phone),
      [2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((number) => `Text ${number}`),
    );
  });

  test('is sent at once if they have consented, and refused if they opted out', async () => {
    const [accepted, stopped, waits] = [await acceptedPhone(world, ann), newPhone(), newPhone()];
    await setConsent(world, ann, stopped, 'opted_out');
    const phoneNumbers = [accepted, stopped, waits, '+15005550031'];
    const { body } = await send(ann, { phoneNumbers, text: 'Hello', whenConsented: true });
    assert.deepEqual(
      body.successes.map(({ phone, status }: { phone: string; status: string }) => [phone, status]),
      [
        [accepted, 'queued'],
        [waits, 'awaiting_consent'],
      ],
    );
    assert.deepEqual(
      body.failureDetails.map(({ phone, code }: { phone: string; code: string }) => [phone, code]),
      [
        [stopped, 'opted_out'],
        ['+15005550031', 'unreachable'],
      ],
    );
    assert.deepEqual(await onPhone(accepted), ['Hello']);
    assert.deepEqual(await kindsSent(world, ann, '+15005550031'), []);
    assert.deepEqual(await kindsSent(world, ann, accepted), ['text']);
  });

  test('spends its Idempotency-Key', async () => {
    const phone = newPhone();
    const key = { 'idempotency-key': randomUUID() };
    const [one, other] = [await sendWhenConsented(phone, 'Hello', key), await sendWhenConsented(phone, 'Hello', key)];
    assert.deepEqual(one.body, other.body);
    assert.equal(other.headers['idempotent-replayed'], 'true');
    await say(world, ann, phone, 'ACCEPT');
    assert.deepEqual(await onPhone(phone), ['Hello']);
  });

  test('asks once and waits in order, however many are sent at the same moment', async () => {
    const phone = newPhone();
    const texts = Array.from({ length: 12 }, (_, index) => `Text ${index}`);
    const answers = await Promise.all(
      texts.map((text, index) => sendWhenConsented(phone, text, index % 3 ? {} : { 'idempotency-key': randomUUID() })),
    );
    const ids = answers.flatMap(({ body }) => body.successes.map((each: { messageId: number }) => each.messageId));
    assert.equal(ids.length, 10);
    assert.deepEqual(
      (await kindsSent(world, ann, phone)).filter((kind) => kind !== 'text'),
      ['consent_request'],
    );
    await say(world, ann, phone, 'ACCEPT');
    assert.equal((await onPhone(phone)).length, 10);
  });
});

test('every status after awaiting_consent is an event', async () => {
  const phones = [newPhone(), newPhone(), newPhone(), newPhone()] as const;
  const ids = [];
  for (const phone of phones) ids.push(await waitingText(phone));
  await say(world, ann, phones[0], 'ACCEPT');
  await say(world, ann, phones[1], 'STOP');
  await say(world, ann, phones[2], 'Sorry, wrong number.');
  await say(world, ann, phones[2], 'ACCEPT');
  await pass(dayMs);
  const statuses = await Promise.all(ids.map(statusEvents));
  assert.deepEqual(statuses, [
    [
      ['queued', null],
      ['sent', null],
    ],
    [['failed', 'opted_out']],
    [['held', null]],
    [['failed', 'consent_lapsed']],
  ]);
});

async function statusEvents(messageId: number): Promise<(string | null)[][]> {
  const found: (string | null)[][] = [];
  for (let query = 'pageSize=200', more = true; more; ) {
    const { body } = await ann.call('GET', `/text/messaging/events?${query}`);
    for (const { type, data } of body.data)
      if (type === 'message.status' && data.messageId === messageId) found.push([data.status, data.failureCode]);
    query = `pageSize=200&cursor=${encodeURIComponent(body.cursor)}`;
    more = body.more;
  }
  return found;
}

suite('the answer and the send at the same moment', () => {
  test('send the text once or let it fail, but never leave it waiting', async () => {
    const phones = Array.from({ length: 24 }, newPhone);
    for (const phone of phones) await ask(world, ann, phone);
    const ids = await Promise.all(
      phones.map(async (phone, index) => {
        const [{ body }] = await Promise.all([
          sendWhenConsented(phone),
          say(world, ann, phone, index % 2 ? 'STOP' : 'ACCEPT'),
        ]);
        return body.successes[0]?.messageId ?? null;
      }),
    );
    for (const [index, phone] of phones.entries()) {
      const id = ids[index];
      assert.deepEqual(await onPhone(phone), index % 2 ? [] : ['Hello']);
      if (id !== null) assert.deepEqual(await fateOf(id), index % 2 ? optedOut : sent);
    }
  });
});

suite('the gates of a text that waited', () => {
  test('quiet hours defer it until the person’s morning, also if they have just agreed', async () => {
    const { advisorId } = ann.advisor;
    await setAdvisor(world.deps, advisorId, { quietHours: 'defer' });
    try {
      await toHourInNewYork(12);
      const [paper, answers] = [newPhone(), newPhone()];
      await waitingText(paper);
      await waitingText(answers);
      await toHourInNewYork(23);
      await recordConsent(world.deps, { advisorId, phone: paper, proof: 'Form 7', staff: sue });
      await say(world, ann, answers, 'ACCEPT');
      for (const phone of [paper, answers]) assert.deepEqual(await onPhone(phone), []);
      await toHourInNewYork(9);
      for (const phone of [paper, answers]) assert.deepEqual(await onPhone(phone), ['Hello']);
    } finally {
      await setAdvisor(world.deps, advisorId, { quietHours: 'off' });
    }
  });

  test('quiet hours that refuse it make it fail, and refuse the request to begin with', async () => {
    const { advisorId } = ann.advisor;
    await setAdvisor(world.deps, advisorId, { quietHours: 'refuse' });
    try {
      await toHourInNewYork(12);
      const [phone, late] = [newPhone(), newPhone()];
      const messageId = await waitingText(phone);
      await toHourInNewYork(23);
      assert.equal(await codeOf({ phone: late, text: 'Hello', whenConsented: true }), 'quiet_hours');
      assert.deepEqual([await stateOf(world, ann, late), await kindsSent(world, ann, late)], ['none', []]);
      await recordConsent(world.deps, { advisorId, phone, proof: 'Form 7', staff: sue });
      assert.deepEqual(await fateOf(messageId), ['failed', 'quiet_hours', null]);
    } finally {
      await setAdvisor(world.deps, advisorId, { quietHours: 'off' });
    }
  });

  test('the lexicon blocks it at once, or holds, flags or blocks it when it goes', async () => {
    const { firmId } = ann.advisor;
    const rule = (name: string, action: string) => ({ name, action, phrases: [name] });
    const [phone, blocked] = [newPhone(), newPhone()];
    const ids = [];
    for (const text of ['Falcon', 'Heron', 'Osprey', 'Plain']) ids.push(await waitingText(phone, text));
    const rules = [rule('falcon', 'hold'), rule('heron', 'flag'), rule('osprey', 'block')];
    await setLexicon(world.deps, firmId, JSON.stringify({ rules }));
    try {
      assert.equal(await codeOf({ phone: blocked, text: 'Osprey', whenConsented: true }), 'text_blocked');
      assert.deepEqual(await kindsSent(world, ann, blocked), [], 'nobody is asked for a text that can’t go');
      await say(world, ann, phone, 'ACCEPT');
      assert.deepEqual(await onPhone(phone), ['Heron', 'Plain']);
      assert.deepEqual(
        [await fateOf(ids[0] ?? -1), await fateOf(ids[2] ?? -1)],
        [
          ['held', null, 'supervision'],
          ['failed', 'text_blocked', null],
        ],
      );
      const reviews = await listReviews(world.deps, { firmId, status: 'open', kind: null });
      const theirs = reviews.filter((review) => review.phone === phone);
      assert.deepEqual(
        theirs.map(({ kind, rules, messageId }) => [kind, rules, messageId]),
        [
          ['held', ['falcon'], ids[0]],
          ['flagged', ['heron'], ids[1]],
          ['blocked', ['osprey'], ids[2]],
        ],
      );
      const [found] = await entries(world, ann, phone, 'review');
      assert.deepEqual(found?.meta.held.rules, ['falcon']);
      assert.equal(found?.meta.messageId, ids[0]);
      await decideReview(world.deps, theirs[0]?.reviewId ?? -1, { decision: 'approved', staff: sue });
      assert.deepEqual(await onPhone(phone), ['Heron', 'Plain', 'Falcon']);
    } finally {
      await setLexicon(world.deps, firmId, JSON.stringify({ rules: [] }));
    }
  });

  test('a reply that may mean stop holds it after ACCEPT, and START sends it', async () => {
    const phone = newPhone();
    const messageId = await waitingText(phone);
    await say(world, ann, phone, 'Sorry, wrong number.');
    await world.clock.advance(1_000);
    await say(world, ann, phone, 'ACCEPT');
    assert.deepEqual(await onPhone(phone), []);
    assert.deepEqual(await fateOf(messageId), ['held', null, 'possible_opt_out']);
    await world.clock.advance(1_000);
    await say(world, ann, phone, 'START');
    assert.deepEqual(await onPhone(phone), ['Hello']);
  });

  test('the first text to a person has the firm’s line, also if it waited', async () => {
    const { firmId } = ann.advisor;
    await setFirm(world.deps, firmId, { firstTextLine: true });
    try {
      const phone = newPhone();
      await waitingText(phone);
      await say(world, ann, phone, 'ACCEPT');
      await send(ann, { phone, text: 'And then' });
      await world.dispatcher.settled();
      const texts = (await handset(world, phone)).map(({ text }) => text);
      assert.match(texts[2] ?? '', /^Hello\nTest Wealth\. Reply STOP/);
      assert.equal(texts[3], 'And then');
    } finally {
      await setFirm(world.deps, firmId, { firstTextLine: false });
    }
  });

  test('each takes its turn in the pace of the texting number', async () => {
    const { advisorId } = ann.advisor;
    const phone = newPhone();
    const ids = [];
    for (const text of ['One', 'Two', 'Three']) ids.push(await waitingText(phone, text));
    await setAdvisor(world.deps, advisorId, { textingPace: 1 });
    try {
      await say(world, ann, phone, 'ACCEPT');
      const slots = await world.database.asOwner<{ at: Date }>(
        'select not_before as at from dispatches where message_id = any ($1) order by message_id',
        [ids],
      );
      const gaps = slots.slice(1).map(({ at }, index) => at.getTime() - (slots[index]?.at.getTime() ?? 0));
      assert.deepEqual(gaps, [1_000, 1_000]);
    } finally {
      await setAdvisor(world.deps, advisorId, { textingPace: null });
      await world.database.asOwner('update dispatches set not_before = now()');
    }
  });
});

suite('whenConsented', () => {
  test('with scheduleDelivery is a 400', async () => {
    const deliveryDate = world.clock.now().getTime() + hourMs;
    const scheduled = { phone: newPhone(), text: 'Hello', scheduleDelivery: true, deliveryDate };
    const { status, body } = await send(ann, { ...scheduled, whenConsented: true });
    assert.deepEqual([status, body.code, body.details[0].path], [400, 'invalid_request', '/whenConsented']);
    for (const whenConsented of [false, null])
      assert.equal((await send(ann, { ...scheduled, whenConsented })).body.failureDetails[0].code, 'not_consented');
    assert.equal((await send(ann, { phone: newPhone(), text: 'Hello', whenConsented: 'yes' })).status, 400);
  });

  test('changes nothing where no consent is required', async () => {
    await setAdvisor(world.deps, ann.advisor.advisorId, { consentRequired: false });
    try {
      const phone = newPhone();
      const { body } = await sendWhenConsented(phone);
      assert.equal(body.successes[0].status, 'queued');
      assert.deepEqual(await kindsSent(world, ann, phone), ['text']);
      assert.equal(await stateOf(world, ann, phone), 'none');
    } finally {
      await setAdvisor(world.deps, ann.advisor.advisorId, { consentRequired: true });
    }
  });

  test('is a 409 before any side effect where somebody would have to be asked and nobody can be', async () => {
    const asked = newPhone();
    await ask(world, ann, asked);
    const [accepted, unknown] = [await acceptedPhone(world, ann), newPhone()];
    await setAdvisor(world.deps, ann.advisor.advisorId, { consentCollection: false });
    try {
      const { status, body } = await send(ann, {
        phoneNumbers: [accepted, unknown],
        text: 'Hello',
        whenConsented: true,
      });
      assert.deepEqual([status, body.code], [409, 'conflict']);
      assert.match(body.detail, /not configured for consent collection/);
      assert.equal((await lookUp(ann, unknown)).status, 404, 'no contact was made');
      assert.deepEqual(await kindsSent(world, ann, accepted), []);
      const others = await send(ann, { phoneNumbers: [accepted, asked], text: 'Hello', whenConsented: true });
      assert.deepEqual(
        others.body.successes.map((each: { status: string }) => each.status),
        ['queued', 'awaiting_consent'],
        'nobody has to be asked',
      );
      const unable = '+15005550033';
      assert.equal(await codeOf({ phone: unable, text: 'Hello', whenConsented: true }), 'landline');
    } finally {
      await setAdvisor(world.deps, ann.advisor.advisorId, { consentCollection: true });
    }
  });
});

/** Moves the clock forward to a full hour in New York, where these numbers are. */
async function toHourInNewYork(hour: number): Promise<void> {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: 'America/New_York',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  });
  const [h = 0, m = 0, s = 0] = format.format(world.clock.now()).split(':').map(Number);
  const seconds = (hour * 3_600 - (h * 3_600 + m * 60 + s) + 86_400) % 86_400;
  await pass((seconds || 86_400) * 1_000);
}
