import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { addStaff } from '../../src/domain/accounts/staff.ts';
import { receiveReply } from '../../src/domain/consent/replies.ts';
import { bySandbox } from '../support/carriers.ts';
import { commandsWith } from '../support/commands.ts';
import { entries } from '../support/people.ts';
import { acceptedPhone, handset, messagesPath, send } from '../support/texting.ts';
import { makeWorld, type World } from '../support/world.ts';

suite('assent for supervision', () => {
  let world: World;
  let folder: string;
  before(async () => {
    world = await makeWorld({ dispatch: false });
    folder = mkdtempSync(join(tmpdir(), 'assent-cli-'));
    await addStaff(world.deps, { firmId: world.ann.advisor.firmId, name: 'Sue', email: 'sue@test.example' });
  });
  after(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const env = () => ({ DATABASE_URL: world.database.url, ASSENT_DATA_DIR: folder });
  const { run, records, refused } = commandsWith(env);

  /** The output of a verb; the verb must succeed. */
  async function said(...args: string[]): Promise<string> {
    const { status, stdout, stderr } = await run(args);
    assert.equal(status, 0, stderr);
    return stdout;
  }
  const firm = () => String(world.ann.advisor.firmId);

  test('a lexicon is shown, edited in a file, set as a version on record, and tested', async () => {
    const ours = JSON.parse(await said('lexicons', 'show', firm()));
    assert.deepEqual(
      ours.rules.map(({ action, detector }: Record<string, string>) => [detector, action]),
      [
        ['card_number', 'block'],
        ['social_security_number', 'block'],
        ['promise_of_returns', 'hold'],
        ['off_channel', 'hold'],
      ],
    );
    const file = join(folder, 'lexicon.json');
    ours.rules.push({ name: 'Falcon', action: 'flag', phrases: ['Project Falcon'] });
    writeFileSync(file, JSON.stringify(ours));
    assert.deepEqual(await records(['lexicons', 'set', firm(), file]), [{ version: 1, rules: 5 }]);
    const tries = ['project  FALCON has guaranteed returns', 'Hello'].map((text) =>
      said('lexicons', 'test', firm(), text),
    );
    const [shown, held, harmless] = await Promise.all([records(['lexicons', 'show', firm()]), ...tries]);
    assert.deepEqual(shown, [{ version: 1, ...ours }]);
    assert.match(held ?? '', /^The text would be held for review\.\n(?:.*\n)+Falcon +flag +project falcon\n$/);
    assert.equal(harmless, 'The text would go out.\n');

    writeFileSync(file, '{"rules": [{"name": "Falcon"}]}');
    await refused(1, [
      [['lexicons', 'set', firm(), file], /an action, one of flag, hold, block; rule 1 doesn’t/],
      [['lexicons', 'show', '999'], /no firm 999/],
    ]);
    await refused(2, [[['lexicons', 'set', firm(), join(folder, 'none.json')], /There is no file/]]);
    const entries = await world.database.asOwner<{ actor: string; meta: string; body: string }>(
      `select actor, meta, convert_from(body, 'UTF8') as body
       from archive_entries
       join archive_bodies using (advisor_id, number)
       where advisor_id = 0 and kind = 'setting' and meta like '%lexicon%'`,
    );
    assert.equal(entries.length, 1);
    const [{ actor = '', meta = '{}', body = '' } = {}] = entries;
    assert.deepEqual(
      [actor, JSON.parse(meta)],
      ['operator', { what: 'lexicon set', firmId: Number(firm()), version: 1 }],
    );
    assert.deepEqual(JSON.parse(body), ours);
  });

  test('reviews are listed, shown and decided by a named person', async () => {
    const { ann } = world;
    const phone = await acceptedPhone(world, ann);
    const text = 'A guaranteed return\n\u2066of 9%';
    const { body } = await send(ann, { phone, text });
    const [{ messageId }] = body.successes;
    const [[review], table] = await Promise.all([
      records(['reviews', 'list', '--firm', firm(), '--kind', 'held']),
      said('reviews', 'list'),
    ]);
    assert.deepEqual([review.phone, review.messageId, review.status], [phone, messageId, 'open']);
    const id = String(review.reviewId);
    assert.match(table, new RegExp(`${id} .* held +ann +\\${phone} +Promise of returns`));
    const decided = await records([
      'reviews',
      'approve',
      id,
      '--by',
      'sue@test.example',
      '--note',
      'From the brochure',
    ]);
    assert.deepEqual(decided, [{ reviewId: review.reviewId, status: 'approved', decidedBy: 'Sue', outcome: 'queued' }]);
    await world.dispatcher.settled();
    assert.equal((await handset(world, phone))[0]?.text, text);
    assert.equal((await ann.call('GET', `${messagesPath}/${messageId}`)).body.status, 'sent');

    const { status, stdout: shown, stderr } = await run(['reviews', 'show', id]);
    assert.deepEqual([status, stderr], [0, '']);
    assert.match(shown, /^Review \d+, held, approved: Promise of returns \(lexicon version \d+\)\n/);
    assert.match(shown, /A guaranteed return⏎.*of 9%\n.*approved \(queued\) by staff:\d+, by command: From/);
    assert.ok(!shown.includes('\u2066'), 'a text can’t control a terminal');
    const written = await entries(world, ann, phone, 'review');
    assert.deepEqual(
      written.map(({ meta, traceId }) => [meta.via, traceId]),
      [['command', null]],
      'Sue need not have run the command',
    );
    const [read, ...more] = await entries(world, ann, phone, 'text_read');
    assert.deepEqual(
      [read?.actor, read?.meta, JSON.parse(read?.body ?? ''), more],
      ['operator', { what: 'review read', reviewId: review.reviewId }, {}, []],
    );
    await refused(1, [
      [['reviews', 'reject', id, '--by', 'sue@test.example'], /was already approved by Sue/],
      [['reviews', 'approve', id, '--by', 'nobody@test.example'], /There is no staff member nobody@/],
    ]);
    await refused(2, [[['reviews', 'list', '--status', 'shut'], /--status must be one of open, approved, rejected/]]);
    const [left, sample] = await Promise.all([
      records(['reviews', 'list', '--kind', 'held']),
      records(['reviews', 'sample', firm(), '2.5']),
    ]);
    assert.deepEqual(left, []);
    assert.deepEqual(sample, [{ firmId: Number(firm()), reviewSamplePercent: 2.5 }]);
  });

  test('a reviewer sees that parts of a reply never came', async () => {
    const from = await acceptedPhone(world, world.ann);
    const reply = { carrierMessageId: 'part', from, to: world.ann.advisor.textingNumber ?? '', sentAt: new Date() };
    const text = 'that’s enough';
    await receiveReply(world.deps, bySandbox, { ...reply, text, incomplete: { received: 2, of: 3 } });
    const open = await records(['reviews', 'list', '--kind', 'possible_opt_out']);
    const shown = await said('reviews', 'show', String(open.at(-1).reviewId));
    assert.match(shown, /that’s enough\n {2}\(1 of its 3 parts never came\)/);
  });
});
