import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, suite, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sandboxCarrier } from '../../src/adapters/carriers/sandbox/sandbox-carrier.ts';
import type { Deps } from '../../src/deps.ts';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { addStaff } from '../../src/domain/accounts/staff.ts';
import { archive, byOperator, byPerson, byStaff } from '../../src/domain/archive/archive.ts';
import { growTree } from '../../src/domain/archive/archive-tree.ts';
import { verifyArchive } from '../../src/domain/archive/archive-verification.ts';
import { explainTimes } from '../../src/domain/archive/explanations.ts';
import { fetchDueMedia } from '../../src/domain/consent/reply-media.ts';
import { commitmentOf, entryBytes, entryHash, type Line } from '../../src/domain/examiner/entries.mjs';
import { keyIdOf, readCheckpoint, readVerifier } from '../../src/domain/examiner/notes.mjs';
import { verdicts } from '../../src/domain/examiner/package.mjs';
import { explanationLine } from '../../src/domain/examiner/times.mjs';
import { Inclusion, nodeHash } from '../../src/domain/examiner/tree.mjs';
import { type IncomingMedia, MediaRefused } from '../../src/domain/ports.ts';
import { addHold, liftHold, listHolds } from '../../src/domain/record-keeping/holds.ts';
import { dispose, setRetention } from '../../src/domain/record-keeping/retention.ts';
import { dayMs } from '../../src/domain/shared/time.ts';
import { insertNumberedEntries } from '../../src/store/archive/archive.ts';
import { passRealTime, setEarlier, yearsMs } from '../archive/passing-years.ts';
import { signer } from '../archive/small-archive.ts';
import { fixedCarriers } from '../support/carriers.ts';
import { say } from '../support/people.ts';
import { newPhone, reply, send, setConsent, statusOf } from '../support/texting.ts';
import { makeWorld } from '../support/world.ts';
import { atAnyTime } from '../support/wrong-clock.ts';
import { disposalTamperings, emailTamperings, entryTamperings, fileTamperings } from './archive-export-tampering.ts';
import {
  type Change,
  mediaBytes,
  mediaChanges,
  otherChanges,
  otherEmailChanges,
  signAgain,
  signedAgain,
  signedChanges,
} from './archive-export-tampering-more.ts';
import { exportTo, makeDesk, readLines, writeLines } from './archive-exports.ts';

const program = fileURLToPath(new URL('second_verifier.py', import.meta.url));
const page = readFileSync(new URL('../../../docs/reference/archive-format.md', import.meta.url), 'utf8');
const hasPython = spawnSync('python3', ['--version']).status === 0;

suite('the format on the page', () => {
  const blocks = Array.from(page.matchAll(/```(?:json|text)\n([\s\S]*?)```/g), ([, block = '']) => block);
  const lines: Line[] = (blocks[0] ?? '')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const [first, second] = lines as [Line, Line];
  const named = (name: string) => new RegExp(`^${name} +([0-9a-f]+)$`, 'm').exec(page)?.[1];

  test('has an example whose every byte the code agrees with', () => {
    const [salt, body] = ['salt', 'body'].map((name) => Buffer.from(named(name) ?? '', 'hex')) as [Buffer, Buffer];
    assert.equal(salt.toString('base64'), first.salt);
    assert.equal(body.toString('base64'), first.body);
    assert.equal(named('commitment'), commitmentOf(salt, body));
    assert.equal(first.entry.commitment, commitmentOf(salt, body));
    assert.equal(blocks[2]?.replaceAll('\n', ''), entryBytes(first.entry).toString('hex'));
    assert.match(page, new RegExp(`Its ${entryBytes(first.entry).length} bytes`));
    const hashes = lines.map(({ entry }) => entryHash(entry)) as [Buffer, Buffer];
    assert.deepEqual(
      hashes.map((hash) => hash.toString('hex')),
      [named('leaf 0'), named('leaf 1')],
    );
    assert.equal(nodeHash(...hashes).toString('hex'), named('root'));
    for (const [index, { leaf, proof }] of lines.entries()) {
      const tree = new Inclusion({ size: 2, root: Buffer.from(named('root') ?? '', 'hex') });
      assert.ok(tree.has(hashes[index] as Buffer, leaf, proof));
    }
    assert.equal(
      commitmentOf(Buffer.from(second.salt ?? '', 'base64'), Buffer.from(second.body ?? '', 'base64')),
      second.entry.commitment,
    );
  });

  test('has a key, a checkpoint and leaves that the code agrees with', () => {
    const key = readVerifier(blocks[4] ?? '');
    assert.ok(key);
    assert.equal(keyIdOf(key.name, key.key).toString('hex'), key.id.toString('hex'));
    const checkpoint = readCheckpoint(blocks[5] ?? '', key);
    assert.deepEqual([checkpoint?.size, checkpoint?.root.toString('hex')], [2, named('root')]);
    const kept = lines.map(
      ({ entry, leaf }) => `${leaf} ${entry.advisorId}/${entry.number} ${entryHash(entry).toString('base64')}\n`,
    );
    assert.equal(blocks[6], kept.join(''));
  });
});

const mediaCarrier = {
  ...sandboxCarrier({ db: undefined as never, clock: undefined as never }),
  async fetchMedia({ url, contentType }: IncomingMedia) {
    if (url.endsWith('gone')) throw new MediaRefused('It is “gone”.');
    return { bytes: mediaBytes, contentType: url.endsWith('gif') ? contentType : 'image/svg+xml; charset=utf-8' };
  },
};

suite('packages of the first format', { skip: hasPython ? false : 'python3 is not installed' }, () => {
  for (const name of ['texts', 'waits'])
    test(`are intact by the second verifier too: ${name}`, () => {
      const folder = fileURLToPath(new URL(`exported-before/${name}`, import.meta.url));
      const args = [program, `${folder}/checkpoint`, `${folder}/public-key`, folder];
      assert.equal(spawnSync('python3', args, { encoding: 'utf8' }).stdout, '0 intact\n');
    });
});

suite('a second verifier, in Python by that page', {
  skip: hasPython ? false : 'python3 is not installed',
}, async () => {
  if (!hasPython) return;
  const world = await makeWorld();
  const { ann, bob, database, clock } = world;
  const deps: Deps = { ...world.deps, signer, checkpointFolder: null };
  const desk = makeDesk(signer.publicKey);
  after(async () => {
    await world.close();
    desk.remove();
  });
  const annId = ann.advisor.advisorId;

  await setAdvisor(deps, annId, { name: 'Zoë "Ann" Łukaszewicz of a firm with a name for two encoded words' });
  const phone = newPhone();
  await ann.call('POST', '/core/contact/contacts', { firstName: 'Dana', lastName: 'Müller', phone });
  await setConsent(world, ann, phone, 'accepted');
  for (const text of ['Hello', 'Zoë 🎉\r\nsecond line', ' \ttab']) {
    const { successes } = (await send(ann, { phone, text })).body;
    await send(bob, { phone, text });
    await statusOf(ann, successes[0].messageId, 'delivered');
    await growTree(deps);
  }
  await reply(world, phone, String(ann.advisor.textingNumber), 'STOP');
  const media = ['gif', 'svg%20', 'gone'].map((name) => ({
    url: `https://media.example/${name}`,
    contentType: 'image/gif',
  }));
  await say(world, ann, phone, '', { media });
  await say(world, ann, '<script>', 'From nobody', { media: media.slice(0, 1) });
  await fetchDueMedia({ ...deps, carriers: fixedCarriers(mediaCarrier) }, () => {});
  for (const body of ['{}', 'Ünïcode \u0001 "quoted" \\ \u007f'])
    await archive(deps, byPerson, { advisorId: annId, kind: 'sign_in', memberId: null, meta: { body }, body });
  // Every kind of value, as text: JavaScript would write some of them in another way.
  const values = '"null":null,"yes":true,"no":false,"half":0.5,"whole":1.0,"tiny":1e-7,"small":0.000001,"minus":-0';
  const large = '"exact":9007199254740991,"rounded":12345678901234567890,"huge":1e21,"below":123e18,"odd":-1.5e300';
  const lists = '"list":[null,true,1.50,"a",[2,null],{"b":1}],"none":[],"inner":{"deep":{"x":null}},"lines":"a\\nb"';
  await archive(deps, byPerson, {
    advisorId: annId,
    kind: 'consent',
    memberId: null,
    meta: { from: 'none', to: null, flag: true, ratio: 0.1 },
    body: `{"phone":"${phone}",${values},${large},${lists}}`,
  });
  const whole = await exportTo(deps, desk.path('whole'), annId);
  const bare = await exportTo(deps, desk.path('bare'), annId, { format: 'ndjson' });

  /** Both exit codes for each package. */
  async function judge(checkpoint: string, ...folders: string[]): Promise<[number, number][]> {
    const args = [program, desk.file(checkpoint), desk.pubkeyFile, ...folders];
    const { status, stdout, stderr } = spawnSync('python3', args, { encoding: 'utf8' });
    const second = stdout.split('\n').slice(0, -1).map(Number.parseFloat);
    assert.equal(second.length, folders.length, stderr);
    assert.equal(status, Math.max(...second));
    const codes: [number, number][] = [];
    for (const [index, folder] of folders.entries())
      codes.push([desk.verify(folder, checkpoint).code, second[index] as number]);
    return codes;
  }

  async function compare({ folder, checkpoint }: typeof whole, changes: Change[], t: TestContext): Promise<void> {
    const changed = changes.map(() => desk.copy(folder));
    for (const [index, { apply }] of changes.entries()) await apply(changed[index] as string);
    const codes = await judge(checkpoint, ...changed);
    const table = changes.map(({ name, code }, index) => ({ name, wanted: [code, code], said: codes[index] }));
    for (const { name, said } of table)
      t.diagnostic(`${(said ?? []).map((code) => verdicts[code]?.padEnd(10)).join(' ')} ${name}`);
    assert.deepEqual(
      table.filter(({ wanted, said }) => String(wanted) !== String(said)),
      [],
    );
  }

  test('agrees that good packages are intact', async () => {
    const lines = readLines(whole.folder);
    assert.ok(lines.some(({ name, outcome }) => name !== null && outcome !== null));
    const own = await exportTo(deps, desk.path('own'), 0);
    const none = await exportTo(deps, desk.path('none'), annId, { from: new Date(0), to: new Date(1) });
    for (const { folder, checkpoint } of [whole, bare, own, none])
      assert.deepEqual(await judge(checkpoint, folder), [[0, 0]]);
    const unnamed = desk.copy(whole.folder);
    assert.ok(lines.some(({ outcome }) => outcome?.carrier === 'sandbox'));
    writeLines(
      unnamed,
      lines.map((line) => (line.outcome ? { ...line, outcome: { ...line.outcome, carrier: undefined } } : line)),
    );
    signAgain(unnamed);
    assert.deepEqual(await judge(whole.checkpoint, unnamed), [[0, 0]], 'older packages don’t name carriers');
    const older = whole.exported.earlier[0]?.note ?? '';
    assert.deepEqual(await judge(older, whole.folder), [[0, 0]]);
  });

  test('agrees about every kind of tampering', async (t) => {
    const changes = [...entryTamperings, ...fileTamperings, ...emailTamperings, ...otherChanges, ...otherEmailChanges];
    assert.ok(changes.length >= 40);
    await compare(whole, changes, t);
  });

  test('agrees about media', async (t) => {
    const kept = readLines(whole.folder).filter(({ entry }) => entry.kind === 'media_in');
    assert.deepEqual(kept.map(({ body }) => body).sort(), ['', ...Array(3).fill(mediaBytes.toString('base64'))]);
    await compare(whole, [...mediaChanges, ...mediaChanges.map(signedAgain)], t);
  });

  test('agrees even if the manifest is made to fit and signed again', async (t) => {
    const changes = [
      ...entryTamperings,
      ...emailTamperings.slice(0, -1),
      ...otherEmailChanges.slice(0, -1),
      ...signedChanges,
    ];
    await compare(whole, changes.map(signedAgain), t);
  });

  test('agrees about a second tree, and about checkpoints that lead nowhere', async () => {
    const forged = signer.sign(
      whole.checkpoint
        .slice(0, whole.checkpoint.indexOf('\n\n') + 1)
        .replace(/\n[^\n]{44}\n/, `\n${Buffer.alloc(32).toString('base64')}\n`),
    );
    assert.deepEqual(await judge(forged, whole.folder), [[1, 1]]);
    for (const nothing of ['', 'Dear examiner,\n\nplease believe us.\n', bare.checkpoint])
      assert.deepEqual(await judge(nothing, whole.folder), [[3, 3]]);
  });

  test('agrees about times, as the verification of the archive does', async () => {
    const { advisorId } = bob.advisor;
    const production: Deps = { ...deps, config: { ...deps.config, environment: 'production' } };
    const kept = { notes: () => [], leaves: async () => [] };
    let exports = 0;
    /** Both exit codes, how many times the archive’s own verification finds wrong, and what is explained. */
    async function judged(env: Deps, change?: (folder: string) => void, period = {}): Promise<(number | string)[]> {
      const { folder, checkpoint } = await exportTo(env, desk.path(`times-${++exports}`), advisorId, period);
      change?.(folder);
      signAgain(folder);
      const [codes = []] = await judge(checkpoint, folder);
      const { faults } = await verifyArchive(env, { verifiers: [signer.verifier], kept, progress: () => {} });
      const untimely = faults.filter(({ what }) => what.startsWith('its time'));
      return [...codes, untimely.length, ...desk.verify(folder, checkpoint).explained.map(explanationLine)];
    }
    async function add(ms: number): Promise<number> {
      const of = { advisorId, kind: 'sign_in', memberId: null, actor: 'person', traceId: null } as const;
      const at = new Date(Date.now() + ms);
      const [number = 0] = await insertNumberedEntries(deps.db, [{ ...of, meta: {}, body: 'Hello' }], at);
      await growTree(deps);
      return number;
    }
    for (const each of [deps, production]) assert.deepEqual(await judged(each), [0, 0, 0]);
    await database.asOwner(atAnyTime);

    const early = await add(-3_600_000);
    for (const each of [deps, production]) assert.deepEqual(await judged(each), [1, 1, 1]);
    const saysNothing = (folder: string) => {
      const { clockMoves, ...rest } = JSON.parse(readFileSync(`${folder}/manifest.json`, 'utf8'));
      assert.equal(clockMoves, false);
      writeFileSync(`${folder}/manifest.json`, JSON.stringify(rest));
    };
    assert.deepEqual(await judged(production, saysNothing), [0, 0, 1], 'packages from before');

    const because = { advisorId, from: early, to: early, reason: 'The clock was wrong' };
    const { number } = await explainTimes(deps, because, byStaff(1));
    const what = 'its time is before that of the entry before it';
    const told = `entry ${number} of advisor 0 explains 1 times; the first: entry ${early} of advisor ${advisorId}: ${what}`;
    for (const each of [deps, production]) assert.deepEqual(await judged(each), [0, 0, 0, told]);
    const unexplained = (folder: string) =>
      writeLines(
        folder,
        readLines(folder).filter(({ entry }) => !entry.meta.includes('times explained')),
      );
    assert.deepEqual(await judged(deps, unexplained), [1, 1, 0]);

    const late = await add(3_600_000);
    const alone = { from: new Date(Date.now() + 1_800_000) };
    assert.deepEqual(await judged(deps, undefined, alone), [0, 0, 1], 'a sandbox’s clock runs ahead');
    assert.deepEqual(await judged(production, undefined, alone), [1, 1, 3], 'and what follows is before it');
    const { reason } = because;
    await explainTimes(deps, { advisorId, from: late, to: await add(0), reason }, byStaff(1));
    const meta = { what: 'clock step accepted', from: '', to: '' };
    const accepted = { advisorId: 0, kind: 'setting', memberId: null, meta, body: '{}' } as const;
    const step = await archive(deps, byStaff(1), accepted);
    assert.deepEqual((await judged(production)).slice(0, 3), [1, 1, 1], 'what comes later is not explained');
    await explainTimes(deps, { advisorId: 0, from: step, to: step, reason }, byStaff(1));
    assert.deepEqual((await judged(production)).slice(0, 3), [0, 0, 0], 'unless it follows a step that is');
    const stepLast = (folder: string) => {
      const lines = readLines(folder);
      const steps = lines.filter(({ entry }) => entry.meta.includes('clock step accepted'));
      const others = lines.filter((line) => !steps.includes(line));
      writeLines(folder, [...others.slice(0, -1), ...steps, ...others.slice(-1)]);
    };
    assert.deepEqual((await judged(production, stepLast)).slice(0, 3), [1, 1, 0], 'and that came before it');
    await database.asOwner('alter table archive_entries enable trigger timely');
  });

  test('agrees about bodies that are gone', async (t) => {
    const until = new Date(Date.parse(readLines(whole.folder).at(-1)?.entry.dateTime ?? '') + 1);
    await passRealTime(database, deps, yearsMs(8));
    await clock.advance(yearsMs(8));
    await setEarlier(database, ann.advisor.firmId, 6);
    await dispose(deps, { by: byOperator, dryRun: false });
    const due = await exportTo(deps, desk.path('due'), annId, { to: until });
    for (const kind of ['text_in', 'media_in'])
      assert.ok(readLines(due.folder).some(({ entry, body }) => entry.kind === kind && body === null));
    assert.deepEqual(await judge(due.checkpoint, due.folder), [[0, 0]]);
    await compare(due, disposalTamperings, t);
    const again = disposalTamperings.filter(({ name }) => !/retention is removed/.test(name)).map(signedAgain);
    await compare(due, again, t);
  });

  test('agrees from when fewer years and a lift count: at once without a time, else not before it', async () => {
    const { firmId } = ann.advisor;
    const act = { reason: 'Settled', staff: await addStaff(deps, { firmId, name: 'Sue', email: 'sue@test.example' }) };
    const free = (table: string) =>
      database.asOwner(`alter table ${table} disable trigger user; update ${table} set counts_from = '-infinity'`);
    const lift = async () => {
      const [hold] = await listHolds(deps);
      await liftHold(deps, hold?.holdId ?? 0, act);
      await free('hold_lifts');
    };
    const frees: [number, number, () => Promise<unknown>][] = [
      [3, 0, () => setEarlier(database, firmId, 3, true)],
      [2, 2, () => setRetention(deps, firmId, 2).then(() => free('retentions'))],
      [6, 2, lift],
    ];
    for (const [years, code, freeAll] of frees) {
      const from = clock.now();
      await say(world, ann, newPhone(), 'Kept for a while');
      if (freeAll === lift) await addHold(deps, { advisorId: annId }, act);
      const to = new Date(from.getTime() + dayMs);
      await passRealTime(database, deps, yearsMs(years));
      await clock.advance(yearsMs(years));
      await freeAll();
      await dispose(deps, { by: byOperator, dryRun: false });
      const went = await exportTo(deps, desk.path(`went-${years}`), annId, { from, to });
      assert.ok(readLines(went.folder).some(({ entry, body }) => entry.kind === 'text_in' && body === null));
      assert.deepEqual(await judge(went.checkpoint, went.folder), [[code, code]], `${years} years`);
    }
  });
});
