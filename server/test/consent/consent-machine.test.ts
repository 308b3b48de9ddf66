import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { optOutByCarrier } from '../../src/domain/consent/consents.ts';
import type { ConsentState } from '../../src/store/consent/consents.ts';
import { lockMembers } from '../../src/store/members/members.ts';
import { countWaiting } from '../support/database.ts';
import { ask, entries, kindsSent, memberOf, outbox, say, stateOf } from '../support/people.ts';
import { newPhone, setConsent } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { makeWorld } from '../support/world.ts';

const world = await makeWorld({ dispatch: false });
after(() => world.close());
const { ann } = world;

/** A phone that reached this state in the usual way. */
async function phoneIn(state: ConsentState): Promise<string> {
  const phone = newPhone();
  await setConsent(world, ann, phone, 'none');
  if (state === 'pending') await ask(world, ann, phone);
  if (state === 'accepted') await say(world, ann, phone, 'START');
  if (state === 'opted_out') await say(world, ann, phone, 'STOP');
  assert.equal(await stateOf(world, ann, phone), state);
  // So that the next text is a later one.
  await world.clock.advance(1_000);
  return phone;
}

const states: ConsentState[] = ['none', 'pending', 'accepted', 'opted_out'];

/** What each text does in each state: the state that follows, and the text that answers it. */
const transitions: [said: string, Record<ConsentState, [ConsentState, string | null]>][] = [
  ['STOP', stopping()],
  ['st\u200bop.', stopping()],
  ['Opt-Out', stopping()],
  ['please stop texting me', stopping()],
  ['START', starting()],
  ['unstop', starting()],
  ['ACCEPT', only('pending', 'accepted', 'opt_in')],
  ['yes!', only('pending', 'accepted', 'opt_in')],
  ['Y', only('pending', 'accepted', 'opt_in')],
  ['NO', only('pending', 'opted_out', 'opt_out')],
  ['who is this?', only('pending', 'pending', 'reminder')],
  ['stop by my office', only('pending', 'pending', 'reminder')],
  ['', only('pending', 'pending', 'reminder')],
  ['HELP', helping()],
  ['info', helping()],
];

function stopping(): Record<ConsentState, [ConsentState, string | null]> {
  const stop: [ConsentState, string] = ['opted_out', 'opt_out'];
  return { none: stop, pending: stop, accepted: stop, opted_out: ['opted_out', null] };
}

function starting(): Record<ConsentState, [ConsentState, string | null]> {
  const start: [ConsentState, string] = ['accepted', 'opt_in'];
  return { none: start, pending: start, accepted: start, opted_out: start };
}

function helping(): Record<ConsentState, [ConsentState, string | null]> {
  return {
    none: ['none', 'help'],
    pending: ['pending', 'help'],
    accepted: ['accepted', 'help'],
    opted_out: ['opted_out', 'help'],
  };
}

/** An effect in one state, and none in the others. */
function only(
  state: ConsentState,
  to: ConsentState,
  answer: string,
): Record<ConsentState, [ConsentState, string | null]> {
  return {
    none: ['none', null],
    pending: ['pending', null],
    accepted: ['accepted', null],
    opted_out: ['opted_out', null],
    [state]: [to, answer],
  };
}

suite('each reply in each state', () => {
  for (const [said, outcomes] of transitions)
    for (const from of states) {
      const [to, answer] = outcomes[from];
      test(`${JSON.stringify(said)} in ${from} leads to ${to}${answer ? `, with one ${answer}` : ''}`, async () => {
        const phone = await phoneIn(from);
        const [sentBefore, entriesBefore, before] = [
          await kindsSent(world, ann, phone),
          await entries(world, ann, phone, 'consent'),
          await memberOf(world, ann, phone),
        ];
        await say(world, ann, phone, said);

        const member = await memberOf(world, ann, phone);
        assert.equal(member.state, to);
        const sent = await kindsSent(world, ann, phone);
        assert.deepEqual(sent.slice(sentBefore.length), answer ? [answer] : []);
        const written = (await entries(world, ann, phone, 'consent')).slice(entriesBefore.length);
        assert.equal(written.length, from === to ? 0 : 1, 'one entry per change and no others');
        assert.equal(member.lastChanged.getTime() > before.lastChanged.getTime(), from !== to);
        const texts = await entries(world, ann, phone, 'text_in');
        assert.equal(texts.at(-1)?.body, said, 'every text is archived exactly as received');
      });
    }
});

/** What is up for review about a phone, oldest first. */
async function reviewedTexts(phone: string): Promise<string[]> {
  const rows = await world.database.asOwner<{ reviewed: string }>(
    `select r.kind || ' ' || convert_from(body, 'UTF8') as reviewed
     from reviews r
     join members m using (advisor_id, member_id)
     join archive_bodies b on b.advisor_id = r.advisor_id and b.number = r.archive_number
     where phone = $1
     order by review_id`,
    [phone],
  );
  return rows.map(({ reviewed }) => reviewed);
}

suite('evidence', () => {
  test('of a request: who asked, the number, the wording as shown with its version, and when', async () => {
    const phone = await phoneIn('none');
    await ask(world, ann, phone);
    const [entry] = await entries(world, ann, phone, 'consent');
    const [text] = await outbox(world, ann, phone);
    assert.ok(entry && text);
    assert.deepEqual(entry.meta, { from: 'none', to: 'pending', reason: 'requested', channel: 'text', phone });
    const { when, wording, ...rest } = JSON.parse(entry?.body ?? '');
    assert.deepEqual(rest, { who: 'operator', phone, channel: 'text' });
    assert.deepEqual(wording, { text: text?.text, version: 0, shown: when });
    assert.match(wording.text, /^ann of Test Wealth .*ACCEPT.*STOP/);
  });

  test('of an answer: the reply’s text, when it was sent, and the wording it answers', async () => {
    const phone = await phoneIn('pending');
    const sentAt = world.clock.now();
    await say(world, ann, phone, ' Accept. ', { sentAt });
    const [request, answer] = await entries(world, ann, phone, 'consent');
    const [text] = await entries(world, ann, phone, 'text_in');
    assert.equal(answer?.actor, 'person');
    assert.deepEqual(answer?.meta, { from: 'pending', to: 'accepted', reason: 'accepted', channel: 'text', phone });
    const evidence = JSON.parse(answer?.body ?? '');
    assert.deepEqual(evidence.wording, JSON.parse(request?.body ?? '').wording);
    assert.deepEqual(evidence.reply, { text: ' Accept. ', sent: sentAt.toISOString(), archiveNumber: text?.number });
    assert.deepEqual([evidence.who, evidence.phone], ['person', phone]);
  });

  test('of an answer that crossed a repeated request: the wording that the person had seen', async () => {
    const phone = await phoneIn('pending');
    const sentAt = world.clock.now();
    await world.clock.advance(1_000);
    await ask(world, ann, phone);
    await say(world, ann, phone, 'YES', { sentAt });
    const [first, , answer] = await entries(world, ann, phone, 'consent');
    assert.equal(answer?.meta.to, 'accepted');
    assert.deepEqual(JSON.parse(answer?.body ?? '').wording, JSON.parse(first?.body ?? '').wording);
  });

  test('includes the reason for every change', async () => {
    const reasons: [ConsentState, string, string][] = [
      ['accepted', 'STOP', 'opt_out'],
      ['accepted', 'please stop texting me', 'opt_out_wording'],
      ['opted_out', 'START', 'opt_in'],
      ['pending', 'NO', 'declined'],
    ];
    for (const [state, said, reason] of reasons) {
      const phone = await phoneIn(state);
      await say(world, ann, phone, said);
      assert.equal((await entries(world, ann, phone, 'consent')).at(-1)?.meta.reason, reason);
    }
  });

  test('a free-text opt-out is up for review once; a plain STOP is not', async () => {
    const reviewsOf = async (phone: string) =>
      world.database.asOwner<{ kind: string; status: string; text: string; firm: number }>(
        `select r.kind, r.status, convert_from(body, 'UTF8') as text, firm_id::integer as firm
         from reviews r
         join members m using (advisor_id, member_id)
         join archive_bodies b on b.advisor_id = r.advisor_id and b.number = r.archive_number
         where phone = $1`,
        [phone],
      );
    const text = 'don’t text me again';
    const [wordy, plain] = [await phoneIn('accepted'), await phoneIn('accepted')];
    await say(world, ann, wordy, text);
    await say(world, ann, wordy, text);
    await say(world, ann, plain, 'STOP');
    const { firmId } = ann.advisor;
    assert.deepEqual(await reviewsOf(wordy), [{ kind: 'opt_out_wording', status: 'open', text, firm: firmId }]);
    assert.deepEqual(await reviewsOf(plain), []);
  });
});

suite('requests', () => {
  test('a repeated request stays pending since the first one, is counted, and appears in the history', async () => {
    const phone = await phoneIn('pending');
    const first = await memberOf(world, ann, phone);
    await world.clock.advance(1_000);
    assert.deepEqual(await ask(world, ann, phone), {
      successes: [{ phone, memberId: first.memberId, consentState: 'pending' }],
      failures: [],
    });
    const second = await memberOf(world, ann, phone);
    assert.deepEqual([second.state, second.consentRequests], ['pending', 2]);
    assert.deepEqual(second.lastChanged, first.lastChanged);
    assert.ok((second.requestedAt ?? 0) > (first.requestedAt ?? 0));
    const events = await entries(world, ann, phone, 'consent');
    assert.deepEqual(events.at(-1)?.meta, {
      from: 'pending',
      to: 'pending',
      reason: 'requested',
      channel: 'text',
      phone,
    });
    assert.deepEqual(await kindsSent(world, ann, phone), ['consent_request', 'consent_request']);
  });

  test('one reminder per request, however many texts arrive', async () => {
    const phone = await phoneIn('pending');
    for (const text of ['what?', 'huh', 'who are you']) await say(world, ann, phone, text);
    assert.deepEqual(await kindsSent(world, ann, phone), ['consent_request', 'reminder']);
    await ask(world, ann, phone);
    for (const text of ['what?', 'huh']) await say(world, ann, phone, text);
    const again = ['consent_request', 'reminder'];
    assert.deepEqual(await kindsSent(world, ann, phone), [...again, ...again]);
  });

  test('an answer counts however late it arrives', async () => {
    const phone = await phoneIn('pending');
    await world.clock.advance(400 * 24 * 60 * 60 * 1000);
    await say(world, ann, phone, 'YES');
    assert.equal(await stateOf(world, ann, phone), 'accepted');
  });

  test('a text written before the request doesn’t answer it', async () => {
    const phone = await phoneIn('none');
    const sentAt = world.clock.now();
    await world.clock.advance(1_000);
    await ask(world, ann, phone);
    for (const text of ['YES', 'hello?']) await say(world, ann, phone, text, { sentAt });
    assert.equal(await stateOf(world, ann, phone), 'pending');
    assert.deepEqual(await kindsSent(world, ann, phone), ['consent_request']);
  });

  test('a person who opted out is not asked', async () => {
    const phone = await phoneIn('opted_out');
    const { successes, failures } = await ask(world, ann, phone);
    assert.deepEqual([successes, failures.map(({ code }) => code)], [[], ['opted_out']]);
    assert.deepEqual(await kindsSent(world, ann, phone), ['opt_out']);
  });

  test('an ACCEPT between the check and the request is not missed', async () => {
    const phone = await phoneIn('pending');
    const [asked] = await Promise.allSettled([ask(world, ann, phone), say(world, ann, phone, 'YES')]);
    const { state, consentRequests } = await memberOf(world, ann, phone);
    assert.equal(state, 'accepted');
    assert.equal(consentRequests, asked.status === 'fulfilled' ? 2 : 1);
  });

  test('an ACCEPT that is written after the first check of a request makes it a 400', async () => {
    const phone = await phoneIn('pending');
    const wait = (count: number) =>
      until(`${count} wait for the person`, async () => (await countWaiting(world.database)) === count);
    let both: Promise<unknown> | undefined;
    await world.deps.db.transaction(async (db) => {
      await lockMembers(db, ann.advisor.advisorId, [phone]);
      const accepted = say(world, ann, phone, 'ACCEPT');
      await wait(1);
      const refused = assert.rejects(ask(world, ann, phone), { status: 400 });
      both = Promise.all([accepted, refused]);
      await wait(2);
    });
    await both;
    assert.equal(await stateOf(world, ann, phone), 'accepted');
  });
});

suite('order of arrival', () => {
  /** Instants of the last half second, however long the test takes; no text is stamped later than it arrives. */
  const moments = () => {
    const startMs = world.clock.now().getTime() - 500;
    return (ms: number) => new Date(startMs + ms);
  };

  for (const [first, second] of [
    ['STOP', 'START'],
    ['START', 'STOP'],
  ] as const)
    test(`${first}, then ${second} in the same millisecond: opted out`, async () => {
      for (const from of states) {
        const phone = await phoneIn(from);
        const sentAt = world.clock.now();
        await say(world, ann, phone, first, { sentAt });
        await say(world, ann, phone, second, { sentAt });
        assert.equal(await stateOf(world, ann, phone), 'opted_out', from);
      }
    });

  test('STOP and START in the same millisecond, delivered concurrently: opted out', async () => {
    for (let round = 0; round < 5; round++) {
      const phone = await phoneIn('accepted');
      const sentAt = world.clock.now();
      await Promise.all(['STOP', 'START', 'START', 'STOP'].map((text) => say(world, ann, phone, text, { sentAt })));
      assert.equal(await stateOf(world, ann, phone), 'opted_out');
    }
  });

  test('a START stamped before a STOP doesn’t undo it; it is archived and up for review', async () => {
    const phone = await phoneIn('pending');
    const at = moments();
    await say(world, ann, phone, 'STOP', { sentAt: at(10) });
    for (const ms of [5, 10]) await say(world, ann, phone, 'START', { sentAt: at(ms) });
    assert.equal(await stateOf(world, ann, phone), 'opted_out');
    assert.equal((await entries(world, ann, phone, 'text_in')).length, 3);
    assert.deepEqual(await kindsSent(world, ann, phone), ['consent_request', 'opt_out']);
    assert.deepEqual(await reviewedTexts(phone), ['out_of_order START', 'out_of_order START']);
  });

  test('a STOP that arrives opts out, even if it is stamped before the START in force, and is up for review', async () => {
    for (const [text, reviews] of [
      ['STOP', ['out_of_order STOP']],
      ['don’t text me again', ['opt_out_wording don’t text me again', 'out_of_order don’t text me again']],
    ] as const) {
      const phone = await phoneIn('pending');
      const at = moments();
      await say(world, ann, phone, 'START', { sentAt: at(10) });
      await say(world, ann, phone, text, { sentAt: at(5) });
      assert.equal(await stateOf(world, ann, phone), 'opted_out');
      assert.deepEqual(await kindsSent(world, ann, phone), ['consent_request', 'opt_in', 'opt_out']);
      assert.deepEqual(await reviewedTexts(phone), reviews);
      // Stamped after every STOP: it counts.
      await say(world, ann, phone, 'START', { sentAt: at(7) });
      assert.equal(await stateOf(world, ann, phone), 'accepted');
    }
  });

  test('a START counts only if it is stamped after every STOP, in whatever order they arrived', async () => {
    const phone = await phoneIn('accepted');
    const at = moments();
    for (const ms of [9, 3]) await say(world, ann, phone, 'STOP', { sentAt: at(ms) });
    await say(world, ann, phone, 'START', { sentAt: at(6) });
    assert.equal(await stateOf(world, ann, phone), 'opted_out');
    await say(world, ann, phone, 'START', { sentAt: at(10) });
    assert.equal(await stateOf(world, ann, phone), 'accepted');
    // Known to be older than a STOP: it is not even confirmed.
    await say(world, ann, phone, 'START', { sentAt: at(8) });
    assert.deepEqual(await kindsSent(world, ann, phone), ['opt_in', 'opt_out', 'opt_in']);
  });

  test('replies in order are not up for review', async () => {
    const phone = await phoneIn('pending');
    const at = moments();
    for (const [index, text] of ['ACCEPT', 'STOP', 'START', 'STOP', 'STOP', 'START'].entries())
      await say(world, ann, phone, text, { sentAt: at(index) });
    assert.equal(await stateOf(world, ann, phone), 'accepted');
    assert.deepEqual(await reviewedTexts(phone), []);
  });

  test('a NO to an open request opts out, even if it is stamped before the request, and is up for review', async () => {
    const phone = await phoneIn('none');
    const sentAt = world.clock.now();
    await world.clock.advance(1_000);
    await ask(world, ann, phone);
    await say(world, ann, phone, 'NO', { sentAt });
    assert.equal(await stateOf(world, ann, phone), 'opted_out');
    assert.deepEqual(await reviewedTexts(phone), ['out_of_order NO']);
  });

  test('a YES to an open request that is stamped before it changes nothing, and is up for review', async () => {
    const phone = await phoneIn('none');
    const sentAt = world.clock.now();
    await world.clock.advance(1_000);
    await ask(world, ann, phone);
    await say(world, ann, phone, 'YES', { sentAt });
    assert.equal(await stateOf(world, ann, phone), 'pending');
    assert.deepEqual(await reviewedTexts(phone), ['out_of_order YES']);
  });

  test('no stamp is later than its arrival', async () => {
    const phone = await phoneIn('accepted');
    const at = moments();
    await say(world, ann, phone, 'STOP', { sentAt: at(60_000) });
    const { stoppedAt, lastReplyAt } = await memberOf(world, ann, phone);
    assert.ok(stoppedAt && stoppedAt <= world.clock.now());
    assert.deepEqual(lastReplyAt, stoppedAt);
    await world.clock.advance(1_000);
    await say(world, ann, phone, 'START');
    assert.equal(await stateOf(world, ann, phone), 'accepted', 'a START a second later counts');
    // A clock that is ahead can't make a START outrank the next STOP.
    await say(world, ann, phone, 'START', { sentAt: at(3_600_000) });
    await say(world, ann, phone, 'STOP');
    assert.equal(await stateOf(world, ann, phone), 'opted_out');
  });

  test('after an opt-out with the carrier, a START from before it doesn’t count', async () => {
    const phone = await phoneIn('accepted');
    const { advisorId } = ann.advisor;
    const { memberId } = await memberOf(world, ann, phone);
    const sentAt = world.clock.now();
    await world.clock.advance(1_000);
    await optOutByCarrier(world.deps, advisorId, memberId);
    await say(world, ann, phone, 'START', { sentAt });
    assert.equal(await stateOf(world, ann, phone), 'opted_out');
    assert.deepEqual(await reviewedTexts(phone), ['out_of_order START']);
    await world.clock.advance(1_000);
    await say(world, ann, phone, 'START');
    assert.equal(await stateOf(world, ann, phone), 'accepted');
  });

  test('a second STOP, though unanswered, outranks a START that was sent before it', async () => {
    const phone = await phoneIn('accepted');
    const at = moments();
    await say(world, ann, phone, 'STOP', { sentAt: at(1) });
    await say(world, ann, phone, 'STOP', { sentAt: at(3) });
    await say(world, ann, phone, 'START', { sentAt: at(2) });
    assert.equal(await stateOf(world, ann, phone), 'opted_out');
    await say(world, ann, phone, 'START', { sentAt: at(4) });
    assert.equal(await stateOf(world, ann, phone), 'accepted');
  });

  test('a STOP sent before an ACCEPT counts even if it arrives after it', async () => {
    for (const [first, second] of [
      [1, 2],
      [2, 1],
    ] as const) {
      const phone = await phoneIn('pending');
      const at = moments();
      const said = [
        { text: 'STOP', sentAt: at(1), position: first },
        { text: 'ACCEPT', sentAt: at(2), position: second },
      ].sort((a, b) => a.position - b.position);
      for (const { text, sentAt } of said) await say(world, ann, phone, text, { sentAt });
      assert.equal(await stateOf(world, ann, phone), 'opted_out');
    }
  });

  test('a carrier’s clock that is far ahead doesn’t block later texts', async () => {
    const phone = await phoneIn('accepted');
    await say(world, ann, phone, 'STOP', { sentAt: moments()(365 * 24 * 60 * 60 * 1000) });
    assert.equal(await stateOf(world, ann, phone), 'opted_out');
    await world.clock.advance(1_000);
    await say(world, ann, phone, 'START');
    assert.equal(await stateOf(world, ann, phone), 'accepted');
  });
});
