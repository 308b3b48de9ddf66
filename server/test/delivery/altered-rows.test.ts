import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { listItems, listItemsAround } from '../../src/domain/conversations/conversation-items.ts';
import { listConversations } from '../../src/domain/conversations/conversations.ts';
import { receiveReceipt } from '../../src/domain/delivery/receipts.ts';
import { findConditions } from '../../src/domain/operations/alerts.ts';
import { writeTraffic } from '../../src/domain/operations/traffic.ts';
import { indexArchive } from '../../src/domain/record-keeping/archive-index.ts';
import { getEntry, searchArchive } from '../../src/domain/record-keeping/archive-search.ts';
import { reportTampering } from '../../src/domain/shared/signals.ts';
import { makeLog } from '../../src/log.ts';
import { sandboxCarrierId } from '../../src/store/carriers/carriers.ts';
import { moved } from '../support/database.ts';
import { memberOf } from '../support/people.ts';
import { acceptedPhone, messagesPath, send } from '../support/texting.ts';
import { textsUnlikeEntries } from '../support/texts-and-entries.ts';
import { makeWorld, type World } from '../support/world.ts';
import { LedgerCarrier } from './ledger-carrier.ts';

/** A text, its person, and its place in the archive. */
type QueuedText = { phone: string; memberId: number; messageId: number; number: number };

/** What somebody can do to the tables who owns the database: no entry of theirs is touched, so the archive stays intact. */
suite('a row that the owner of the database altered', () => {
  const carrier = new LedgerCarrier('altered');
  let world: World;
  let advisorId: number;
  before(async () => {
    world = await makeWorld({ dispatch: false, carrier });
    ({ advisorId } = world.ann.advisor);
  });
  after(() => world.close());

  async function queued(text: string): Promise<QueuedText> {
    const phone = await acceptedPhone(world, world.ann);
    const { memberId } = await memberOf(world, world.ann, phone);
    const { body } = await send(world.ann, { phone, text });
    const { messageId } = body.successes[0];
    const [entry] = await world.database.asOwner<{ number: string }>(
      `select number from archive_entries where advisor_id = $1 and message_id = $2 and kind = 'text_out'`,
      [advisorId, messageId],
    );
    return { phone, memberId, messageId, number: Number(entry?.number) };
  }

  const alter = ({ messageId }: QueuedText, change: string, value: number) =>
    world.database.asOwner(`update messages set ${change} where advisor_id = $1 and message_id = $2`, [
      advisorId,
      messageId,
      value,
    ]);

  const got = ({ phone }: QueuedText) => carrier.ledger.flatMap(({ to, text }) => (to === phone ? [text] : []));

  async function outcomeOf({ messageId }: QueuedText) {
    const [outcome] = await world.database.asOwner<{ memberId: string; meta: string }>(
      `select member_id as "memberId", meta from archive_entries where advisor_id = $1 and message_id = $2 and kind = 'outcome'`,
      [advisorId, messageId],
    );
    const { outcome: status, reason, text, altered } = JSON.parse(outcome?.meta ?? '{}');
    return { memberId: Number(outcome?.memberId), status, reason, text, altered };
  }

  /** It was refused with this in its row: a line of the log, an alert, an outcome, and one more in the counts. */
  async function assertRefused(
    text: QueuedText,
    altered: { memberId: number | null; archiveNumber: number },
    count: number,
  ) {
    const { body } = await world.ann.call('GET', `${messagesPath}/${text.messageId}`);
    assert.deepEqual(
      [body.status, body.failureCode, body.memberId, body.dateTimeSent],
      ['failed', 'internal_error', text.memberId, null],
    );
    const said = { status: 'failed', reason: 'internal_error', text: text.number, altered };
    assert.deepEqual(await outcomeOf(text), { memberId: text.memberId, ...said });
    assert.deepEqual(await textsUnlikeEntries(world), [], 'the row is what its entry says again');
    const lines: string[] = [];
    reportTampering(world.deps, makeLog('error', { write: (line) => lines.push(line) }));
    const { level: _level, time: _time, msg, ...fields } = JSON.parse(lines[0] ?? '{}');
    assert.equal(lines.length, 1);
    assert.match(msg, /is not what its entry says; it was not handed over/);
    assert.deepEqual(fields, { advisorId, messageId: text.messageId, ...altered });
    await writeTraffic(world.deps);
    const alerts = (await findConditions(world.deps)).filter(({ about }) => about === 'archive');
    assert.deepEqual(
      alerts.map(({ says }) => says),
      [`${count} texts of the last day were refused: their rows are not what their entries say.`],
    );
  }

  test('with another `member_id`, a text goes to nobody, is reported and counted, and the rest of its batch goes', async () => {
    const [text, other, next] = [await queued('For one'), await queued('For another'), await queued('For a third')];
    await alter(text, 'member_id = $3', other.memberId);
    await world.dispatcher.settled();
    assert.deepEqual([got(text), got(other), got(next)], [[], ['For another'], ['For a third']]);
    await assertRefused(text, { memberId: other.memberId, archiveNumber: text.number }, 1);
  });

  test('with another `archive_number`, a text goes to nobody, is reported and counted, and the rest of its batch goes', async () => {
    const [text, other] = [await queued('For one'), await queued('For another')];
    await alter(text, 'archive_number = $3', other.number);
    await world.dispatcher.settled();
    assert.deepEqual([got(text), got(other)], [[], ['For another']]);
    await assertRefused(text, { memberId: text.memberId, archiveNumber: other.number }, 2);
  });

  test('so are a kind, a number and a body that the entry doesn’t have, and a row that is gone blocks nobody', async () => {
    const [kind, phone, body, lost, next] = [
      ...[await queued('An answer?'), await queued('Whose?'), await queued('For one')],
      ...[await queued('Gone'), await queued('Fine')],
    ];
    const { asOwner } = world.database;
    await asOwner(`update messages set kind = 'help' where message_id = $1`, [kind?.messageId]);
    await asOwner('alter table archive_bodies disable trigger user');
    await asOwner(`update archive_bodies set body = 'Forged' where advisor_id = $1 and number = $2`, [
      advisorId,
      body?.number,
    ]);
    await asOwner('alter table archive_bodies enable trigger user');
    await asOwner('alter table members disable trigger user');
    await asOwner(`update members set phone = '+15125550199' where member_id = $1`, [phone?.memberId]);
    await asOwner('alter table members enable trigger user');
    await asOwner('delete from messages where message_id = $1', [lost?.messageId]);
    const before = carrier.ledger.length;
    await world.dispatcher.settled();
    assert.deepEqual(
      carrier.ledger.slice(before).map(({ text }) => text),
      ['Fine'],
    );
    const refused = world.deps.signals.alteredTexts.take().map(({ messageId }) => messageId);
    assert.deepEqual(refused.sort(), [kind, phone, body].map((each) => each?.messageId).sort());
    assert.deepEqual(await asOwner('select from dispatches'), [], 'none is tried again');
    assert.ok(next);
  });

  test('with another `date_time_sent` or status, nothing changes of what an officer sees or prints', async () => {
    const [text, other] = [await queued('Delivered'), await queued('For another')];
    await world.dispatcher.settled();
    const carrierMessageId = carrier.ledger.find(({ to }) => to === text.phone)?.id ?? '';
    await receiveReceipt(world.deps, sandboxCarrierId, { carrierMessageId, status: 'delivered' });
    await indexArchive(world.deps);
    const { firmId } = world.ann.advisor;
    const shown = async () => ({
      thread: await listItems(world.deps, advisorId, text.memberId, {}),
      review: await listItemsAround(world.deps, advisorId, text.memberId, {
        dateTime: new Date(0),
        archiveNumber: text.number,
      }),
      entry: await getEntry(world.deps, firmId, { advisorId, number: text.number }),
      found: await searchArchive(world.deps, firmId, { memberId: text.memberId }),
    });
    const before = await shown();
    const { entries } = before.entry;
    assert.deepEqual(
      entries.flatMap(({ kind, status }) => (kind === 'text_out' ? [status] : [])),
      ['delivered'],
    );
    for (const by of [`interval '-3 hours'`, `interval '9 hours'`]) {
      await alter(text, `date_time_sent = ${moved('date_time_sent', by)}, attempt = $3`, 1);
      assert.deepEqual(await shown(), before);
    }
    await alter(text, `status = 'failed', failure_code = 'opted_out', date_time_sent = null, attempt = $3`, 4);
    assert.deepEqual(await shown(), before);

    await alter(text, 'archive_number = $3', other.number);
    const { thread, found } = await shown();
    assert.deepEqual(
      thread.data.map(({ type }) => type),
      ['consent'],
      'a text to somebody else is not shown in its place',
    );
    assert.deepEqual(found, before.found, 'and the search has what the entries say');
    const { data } = await listConversations(world.deps, advisorId, { view: 'inbox' });
    assert.equal(data.find(({ memberId }) => memberId === text.memberId)?.last?.text ?? null, null);
  });
});
