import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { addContact } from '../address-book/address-book.ts';
import { commandsWith } from '../support/commands.ts';
import { ask, entries, memberOf, say, stateOf } from '../support/people.ts';
import { newPhone } from '../support/texting.ts';
import { makeWorld, type World } from '../support/world.ts';

suite('assent for texting', () => {
  let world: World;
  let folder: string;
  before(async () => {
    world = await makeWorld({ dispatch: false });
    folder = mkdtempSync(join(tmpdir(), 'assent-cli-'));
  });
  after(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const env = () => ({ DATABASE_URL: world.database.url, ASSENT_DATA_DIR: folder });
  const { run, records, refused } = commandsWith(env);
  const firm = () => String(world.ann.advisor.firmId);

  test('staff are added, listed and disabled, and each email is unique', async () => {
    const [sue] = await records(['staff', 'add', firm(), '--name', 'Sue', '--email', 'sue@test.example']);
    assert.deepEqual([sue.name, sue.firmId, sue.disabled], ['Sue', world.ann.advisor.firmId, false]);
    const [disabled] = await records(['staff', 'set', 'SUE@test.example', '--disabled', 'yes']);
    assert.equal(disabled.disabled, true);
    assert.match((await run(['staff', 'list'])).stdout, /Sue +sue@test\.example +compliance_officer +yes/);
    await refused(1, [
      [['staff', 'add', firm(), '--name', 'Twin', '--email', 'Sue@test.example'], /has that email/],
      [['staff', 'add', '999', '--name', 'X', '--email', 'x@test.example'], /no firm 999/],
      [['staff', 'add', firm(), '--name', ' ', '--email', 'x@test.example'], /needs a name/],
      [['staff', 'add', firm(), '--name', 'X', '--email', 'nowhere'], /not an email address/],
      [['staff', 'set', 'nobody@test.example', '--disabled', 'yes'], /There is no staff member nobody@/],
    ]);
    await refused(2, [[['staff', 'add', 'x', '--name', 'X', '--email', 'x@test.example'], /FIRM must be a whole/]]);
  });

  test('consent given on paper is recorded by the firm’s staff, with proof', async () => {
    const phone = newPhone();
    const [pat] = await records(['staff', 'add', firm(), '--name', 'Pat', '--email', 'pat@test.example']);
    const record = (by: string, number = phone, proof = 'Form of 5 May, cabinet 3') => [
      'consents',
      'record',
      number,
      '--advisor',
      'ann@test.example',
      '--proof',
      proof,
      '--by',
      by,
    ];
    const [recorded] = await records(record('pat@test.example'));
    assert.equal(recorded.state, 'accepted');
    assert.equal(await stateOf(world, world.ann, phone), 'accepted');

    const said = ['--advisor', 'ann@test.example', '--proof', 'Said so on the phone', '--by', 'pat@test.example'];
    const [optedOut] = await records(['consents', 'opt-out', phone, '--yes', ...said]);
    assert.equal(optedOut.state, 'opted_out');
    assert.deepEqual(
      await records(['consents', 'opt-out', phone, '--yes', ...said]),
      [optedOut],
      'a second one changes nothing',
    );
    assert.equal(await stateOf(world, world.ann, phone), 'opted_out');
    await refused(1, [[record('pat@test.example'), /has opted out .*START/]]);
    const [history] = await records(['consents', 'show', phone, '--advisor', 'ann@test.example']);
    assert.equal(history.events.at(-1).evidence.proof, 'Said so on the phone');
    const ways = (await entries(world, world.ann, phone, 'consent')).map(({ meta }) => meta.via);
    assert.deepEqual(ways.slice(-2), ['command', 'command']);

    const [other] = await records(['firms', 'add', 'Other Firm']);
    await records(['staff', 'add', String(other.firmId), '--name', 'Olaf', '--email', 'olaf@other.example']);
    const stopped = newPhone();
    await say(world, world.ann, stopped, 'STOP');
    await refused(1, [
      [record('pat@test.example', stopped), /has opted out .*START/],
      [record('olaf@other.example'), /Olaf can’t record consent for ann/],
      [
        ['consents', 'opt-out', newPhone(), '--yes', ...said.slice(0, -1), 'olaf@other.example'],
        /Olaf can’t record an opt-out for ann/,
      ],
      [record('pat@test.example', '5551234'), /not a phone number in E\.164/],
      [record('pat@test.example', phone, ' '), /Proof is needed/],
      [record('nobody@test.example'), /There is no staff member nobody@/],
    ]);
    await records(['staff', 'set', String(pat.staffId), '--disabled', 'yes']);
    await refused(1, [[record(String(pat.staffId)), /Pat can’t record/]]);
  });

  test('consents show prints the whole history with its evidence, for one advisor or all', async () => {
    const phone = newPhone();
    const wordy = 'please stop texting me\n\u001b[31m';
    await ask(world, world.ann, phone);
    await ask(world, world.ann, phone);
    await say(world, world.ann, phone, 'Yes');
    await say(world, world.ann, phone, wordy);
    await addContact(world.bob, { phone });
    const { memberId } = await memberOf(world, world.ann, phone);

    const { status, stdout, stderr } = await run(['consents', 'show', phone]);
    assert.deepEqual([status, stderr], [0, '']);
    const escaped = phone.replace('+', '\\+');
    assert.match(stdout, new RegExp(`^${escaped}, member ${memberId} of ann: opted_out since .*, asked 2 times\n`));
    assert.match(
      stdout,
      /none → pending {2}requested by operator, text, archive entry \d+\n {4}shown .* \(version 0\): ann of/,
    );
    assert.match(stdout, /pending → accepted {2}accepted by person.*\n.*shown.*\n {4}wrote .*: Yes\n/);
    assert.match(stdout, new RegExp(`\n\n${escaped}, member \\d+ of bob: none since .*, asked 0 times\n$`));
    assert.ok(!stdout.includes('\u001b'), 'a text can’t control a terminal');
    for (const person of [world.ann, world.bob]) {
      const read = (await entries(world, person, phone, 'text_read')).map(({ actor, meta }) => [actor, meta.what]);
      assert.deepEqual(read, [['operator', 'consent read']]);
    }

    const one = await records(['consents', 'show', phone, '--advisor', 'ann@test.example']);
    assert.deepEqual([one.length, one[0].advisor, one[0].events.length], [1, 'ann', 4]);
    assert.equal(one[0].events[3].evidence.reply.text, wordy);
    assert.equal((await records(['consents', 'show', phone])).length, 2);
    await refused(1, [
      [['consents', 'show', newPhone()], /No advisor knows the number \+1/],
      [['consents', 'show', newPhone(), '--advisor', 'ann@test.example'], /No advisor knows the number \+1/],
    ]);
  });

  test('wordings are listed, set as versions, and checked', async () => {
    const kinds = ['consent_request', 'reminder', 'opt_in', 'opt_out', 'help', 'first_text'];
    const listed = await records(['wordings', 'list', firm()]);
    assert.deepEqual(
      listed.map(({ kind, version }: { kind: string; version: number }) => [kind, version]),
      kinds.map((kind) => [kind, 0]),
    );
    const set = (kind: string, text: string) => ['wordings', 'set', firm(), kind, text];
    const texts = ['{firm}: reply STOP.', '{firm}, {advisor}: STOP ends it.'];
    for (const [index, text] of texts.entries())
      assert.deepEqual(await records(set('help', text)), [{ kind: 'help', version: index + 1, text }]);
    const now = await records(['wordings', 'list', firm()]);
    assert.deepEqual(now[4], { kind: 'help', version: 2, text: texts[1] });
    await refused(1, [
      [set('helf', '{firm} STOP'), /KIND must be one of consent_request, /],
      [set('help', ' \u200b '), /must be text without control characters/],
      [set('help', `{firm} STOP${'x'.repeat(1_600)}`), /at most 1600 characters/],
      [set('help', '{firm} STOP {phone}'), /must not contain \{phone\}/],
      [set('help', '{firm} is here.'), /how to opt out: STOP/],
      [set('help', 'STOP ends it.'), /name the firm/],
      [set('consent_request', '{firm}: reply ACCEPT.'), /how to opt out: STOP/],
      [set('consent_request', '{firm}: reply STOP.'), /how to agree/],
      [set('opt_out', '{firm}: bye. See https://example.com/offers'), /have no link/],
      [['wordings', 'list', '999'], /no firm 999/],
      [['wordings', 'set', '999', 'help', 'x'], /no firm 999/],
    ]);
  });

  test('a firm’s first-text line is set', async () => {
    const [changed] = await records(['firms', 'set', firm(), '--first-text-line', 'yes']);
    assert.equal(changed.firstTextLine, true);
    assert.equal((await records(['firms', 'list']))[0].firstTextLine, true);
    assert.equal((await records(['firms', 'set', firm(), '--first-text-line', 'no']))[0].firstTextLine, false);
    await refused(1, [[['firms', 'set', '999', '--first-text-line', 'yes'], /no firm 999/]]);
    await refused(2, [[['firms', 'set', firm(), '--first-text-line', 'maybe'], /must be yes or no/]]);
    assert.equal(changed.optOutScope, 'advisor');
    const [scoped] = await records(['firms', 'set', firm(), '--opt-out-scope', 'firm']);
    assert.deepEqual([scoped.optOutScope, scoped.firstTextLine], ['firm', false]);
    assert.equal((await records(['firms', 'set', firm(), '--opt-out-scope', 'advisor']))[0].optOutScope, 'advisor');
    await refused(2, [
      [['firms', 'set', firm(), '--opt-out-scope', 'all'], /must be advisor or firm/],
      [['firms', 'set', firm()], /at least one setting/],
    ]);
  });

  test('an advisor’s quiet hours and pace are set, and checked', async () => {
    const set = (...args: string[]) => ['advisors', 'set', 'bob@test.example', ...args];
    const setting = (all: { setting: string; value: unknown }[], name: string) =>
      all.find((each) => each.setting === name)?.value;
    const changed = await records(set('--quiet-hours', 'defer', '--texting-pace', '3'));
    assert.deepEqual([setting(changed, 'quietHours'), setting(changed, 'textingPace')], ['defer', 3]);
    const unlimited = await records(set('--texting-pace', 'unlimited'));
    assert.deepEqual([setting(unlimited, 'quietHours'), setting(unlimited, 'textingPace')], ['defer', null]);
    await refused(1, [
      [set('--quiet-hours', 'sometimes'), /one of off, defer, refuse/],
      [set('--texting-pace', '0'), /1 to 1000/],
    ]);
    await refused(2, [[set('--texting-pace', 'fast'), /--texting-pace must be a whole number/]]);
  });

  test('an export of contacts is on record', async () => {
    await addContact(world.bob);
    assert.equal(
      (await run(['contacts', 'export', join(folder, 'out.csv'), '--advisor', 'bob@test.example'])).status,
      0,
    );
    const rows = await world.database.asOwner<{ actor: string; body: string }>(
      `select actor, convert_from(body, 'UTF8') as body
       from archive_entries
       join archive_bodies using (advisor_id, number)
       where advisor_id = $1 and kind = 'export'`,
      [world.bob.advisor.advisorId],
    );
    assert.deepEqual(rows, [{ actor: 'operator', body: '{"what":"contacts"}' }]);
  });
});
