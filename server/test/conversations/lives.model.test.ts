import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import fc from 'fast-check';
import { inOrder, type Life, lifeWords } from '../../../web/src/words/lives.ts';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { addStaff, type Staff } from '../../src/domain/accounts/staff.ts';
import { decideReview } from '../../src/domain/consent/reviews.ts';
import { type Item, listItems, listItemsAround } from '../../src/domain/conversations/conversation-items.ts';
import { receiveReceipt } from '../../src/domain/delivery/receipts.ts';
import { indexArchive } from '../../src/domain/record-keeping/archive-index.ts';
import { getEntry } from '../../src/domain/record-keeping/archive-search.ts';
import { setLexicon } from '../../src/domain/supervision/lexicons.ts';
import { listReviews } from '../../src/domain/supervision/reviews.ts';
import { sandboxCarrierId } from '../../src/store/carriers/carriers.ts';
import { LedgerCarrier } from '../delivery/ledger-carrier.ts';
import { memberOf, say } from '../support/people.ts';
import { rounds } from '../support/rounds.ts';
import { newPhone, send } from '../support/texting.ts';
import { textsUnlikeEntries } from '../support/texts-and-entries.ts';
import { makeWorld, type World } from '../support/world.ts';

/**
 * What a random life shows, on every page that shows it. One carrier takes the texts of all, some of them at a second try, and its receipts come
 * late, twice or never; the ledger is the order in which the phone got them.
 */
const minuteMs = 60_000;
const steps = [
  ...['text', 'text', 'text when they consent', 'text when they consent', 'text that is held'],
  ...['ACCEPT', 'ACCEPT', 'STOP', 'START', 'that’s enough', 'approve', 'approve', 'reject'],
  ...['receipts', 'a busy carrier', 'an answer that is lost', 'a minute', 'an hour', 'nine hours', 'nine hours'],
] as const;

/** At whatever hour it begins. */
const approved: (typeof steps)[number][] = [
  ...([
    'text when they consent',
    'ACCEPT',
    'nine hours',
    'nine hours',
    'text that is held',
    'an hour',
    'approve',
  ] as const),
  ...(['receipts', 'nine hours', 'nine hours'] as const),
];

suite('a text in its thread', async () => {
  let world: World;
  let sue: Staff;
  const carrier = new LedgerCarrier('lives');
  before(async () => {
    world = await makeWorld({ dispatch: false, carrier });
    const { advisor } = world.ann;
    sue = await addStaff(world.deps, { firmId: advisor.firmId, name: 'Sue', email: 'sue@test.example' });
    const rules = [{ name: 'Promise', action: 'hold', phrases: ['guaranteed'] }];
    await setLexicon(world.deps, advisor.firmId, JSON.stringify({ rules }));
    await setAdvisor(world.deps, advisor.advisorId, { quietHours: 'defer' });
  });
  after(async () => {
    try {
      assert.deepEqual(await textsUnlikeEntries(world), []);
    } finally {
      await world.close();
    }
  });

  async function act(step: (typeof steps)[number], phone: string, text: string): Promise<void> {
    const { deps, ann, clock } = world;
    const pass = { 'a minute': minuteMs, 'an hour': 60 * minuteMs, 'nine hours': 540 * minuteMs }[step as string];
    if (pass) await clock.advance(pass);
    else if (step === 'text') await send(ann, { phone, text });
    else if (step === 'text when they consent') await send(ann, { phone, text, whenConsented: true });
    else if (step === 'text that is held') await send(ann, { phone, text: `${text}, guaranteed`, whenConsented: true });
    else if (step === 'a busy carrier') carrier.next.push('does not take it', 'takes it');
    else if (step === 'an answer that is lost') carrier.next.push('takes it and throws');
    else if (step === 'receipts') {
      for (const { id, to } of carrier.ledger.slice(-5))
        if (to === phone) await receiveReceipt(deps, sandboxCarrierId, { carrierMessageId: id, status: 'delivered' });
    } else if (step === 'approve' || step === 'reject') {
      const open = await listReviews(deps, { firmId: ann.advisor.firmId, status: 'open', kind: null });
      const decision = step === 'approve' ? 'approved' : 'rejected';
      for (const review of open)
        if (review.phone === phone) await decideReview(deps, review.reviewId, { decision, staff: sue });
    } else await say(world, ann, phone, step);
    await world.dispatcher.settled();
  }

  async function threadOf(memberId: number) {
    const parts = [];
    for (let before: string | undefined; ; ) {
      const { data, cursor } = await listItems(world.deps, world.ann.advisor.advisorId, memberId, { before });
      parts.unshift(...data);
      if (!cursor) return parts;
      before = cursor;
    }
  }

  const ms = (time: Date | null) => time?.getTime() ?? null;
  /** Of one in doubt nobody knows, but the ledger does. */
  const hasLeft = (item: Item) => item.type === 'text' && (item.handedOver !== null || item.status === 'in_doubt');

  test('stands where the phone got it, below what let it go, on every page', async () => {
    const { deps, ann } = world;
    const { advisorId, firmId } = ann.advisor;
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...steps), { minLength: 6, maxLength: 24 }), async (life) => {
        const phone = newPhone();
        for (const [index, step] of life.entries()) await act(step, phone, `Text ${index} to ${phone}`);
        if (carrier.ledger.every(({ to }) => to !== phone)) return;
        const { memberId } = await memberOf(world, ann, phone);
        const items = await threadOf(memberId);
        const got = carrier.ledger.flatMap(({ to, reference }) => (to === phone ? [reference] : []));
        const went = items.flatMap((item) => (item.type === 'text' && hasLeft(item) ? [item.messageId] : []));
        assert.deepEqual(went, got, 'the thread');

        const lifeOf = (item: (typeof items)[number]): Life | null =>
          item.type === 'text'
            ? {
                ...item,
                dateTime: item.dateTime.getTime(),
                handedOver: ms(item.handedOver),
                ended: ms(item.ended),
                deliverAfter: ms(item.deliverAfter),
              }
            : null;
        const ids = (some: { id: string }[]) => some.map(({ id }) => id);
        assert.deepEqual(ids(inOrder(items, lifeOf, ({ dateTime }) => dateTime.getTime())), ids(items));

        const entry = await deps.db.one<{ number: number }>(
          'select number from archive_entries where advisor_id = $1 and member_id = $2 order by number limit 1',
          [advisorId, memberId],
        );
        await indexArchive(deps);
        const { entries } = await getEntry(deps, firmId, { advisorId, number: entry.number });
        const inArchive = inOrder(
          entries,
          ({ kind, status, dateTime, handedOver, ended, waitedFor }) =>
            kind === 'text_out' && status
              ? { status, dateTime: dateTime.getTime(), handedOver: ms(handedOver), ended: ms(ended), waitedFor }
              : null,
          ({ dateTime }) => dateTime.getTime(),
        );
        const shown = new Set(entries.map(({ messageId }) => messageId));
        assert.deepEqual(
          inArchive.flatMap(({ kind, handedOver, status, messageId }) =>
            kind === 'text_out' && (handedOver !== null || status === 'in_doubt') ? [messageId] : [],
          ),
          got.filter((messageId) => shown.has(messageId ?? 0)),
          'the archive’s thread',
        );

        const numbers = new Map(
          entries.map(({ number, messageId, kind }) => [kind === 'text_out' ? messageId : null, number]),
        );
        for (const [place, item] of items.entries()) {
          if (item.type !== 'text') continue;
          const said = lifeOf(item) as Life;
          seen.add(`${hasLeft(item) ? 'went' : item.status} after waiting for ${item.waitedFor}`);
          if (said.handedOver !== null && said.handedOver - said.dateTime >= minuteMs)
            assert.match(lifeWords(said, 'Sent', { now: Date.now() }), /^Written .+ · waited \d.+ · sent /);
          if (said.handedOver === null && said.ended === null)
            assert.match(lifeWords(said, 'Here', { now: said.dateTime + minuteMs }), /^Here .*· written \d/);
          if (item.waitedFor === 'consent' && item.handedOver) {
            const above = items.slice(0, place).filter((each) => each.dateTime >= item.dateTime);
            assert.ok(
              above.some((each) => each.type === 'consent' && each.state === 'accepted'),
              `${item.text} is below the consent that let it go`,
            );
          }
          const number = numbers.get(item.messageId);
          if (number === undefined) continue;
          const approvals = entries.filter(
            ({ kind, facts }) =>
              kind === 'review' &&
              'decision' in facts &&
              (facts as { archiveNumber?: number }).archiveNumber === number,
          );
          for (const { dateTime } of approvals)
            if (item.handedOver) assert.ok(item.handedOver >= dateTime, `${item.text} is below its approval`);
          const around = await listItemsAround(deps, advisorId, memberId, {
            dateTime: item.dateTime,
            archiveNumber: number,
          });
          const window = ids(around.data);
          assert.ok(window.includes(item.id));
          assert.deepEqual(
            window,
            ids(items).filter((id) => window.includes(id)),
            'the review’s thread',
          );
        }
      }),
      { numRuns: rounds(60), seed: 19, examples: [[approved]] },
    );
    for (const waited of ['consent', 'decision', 'hours', 'null'])
      assert.ok(seen.has(`went after waiting for ${waited}`), [...seen].sort().join(', '));
  });
});
