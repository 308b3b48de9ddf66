import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Deps } from '../../src/deps.ts';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { addStaff } from '../../src/domain/accounts/staff.ts';
import { archive, byOperator, byPerson } from '../../src/domain/archive/archive.ts';
import { growTree } from '../../src/domain/archive/archive-tree.ts';
import { makeNoteSigner, makeSigningKey } from '../../src/domain/archive/signed-notes.ts';
import { receiveReply } from '../../src/domain/consent/replies.ts';
import { type Report, verdicts, verifyPackage } from '../../src/domain/examiner/package.mjs';
import { Problem } from '../../src/domain/problems.ts';
import { exportArchive } from '../../src/domain/record-keeping/archive-export.ts';
import { addHold } from '../../src/domain/record-keeping/holds.ts';
import { dispose } from '../../src/domain/record-keeping/retention.ts';
import { findCheckpoint, listCheckpointsAfter } from '../../src/store/archive/archive-tree.ts';
import { passRealTime, setEarlier, yearsMs } from '../archive/passing-years.ts';
import { signer } from '../archive/small-archive.ts';
import { bySandbox } from '../support/carriers.ts';
import { runCommand } from '../support/commands.ts';
import { isWhole, rounds } from '../support/rounds.ts';
import { consentRequestsPath, newPhone, received, reply, send, setConsent, statusOf } from '../support/texting.ts';
import { makeWorld } from '../support/world.ts';
import {
  disposalTamperings,
  emailTamperings,
  entryTamperings,
  fileTamperings,
  fitManifest,
  type Tampering,
} from './archive-export-tampering.ts';
import { changesAt, signAgain } from './archive-export-tampering-more.ts';
import { always, exportTo, makeDesk, readEmail, readLines, unzip, writeLines } from './archive-exports.ts';

const verifyProgram = fileURLToPath(new URL('../../verify.mjs', import.meta.url));
const advisorName = 'Zoë “Ann” Łukaszewicz-Όμηρος of a firm with a name that is long enough for two encoded words';

const world = await makeWorld();
const { ann, bob } = world;
const deps: Deps = { ...world.deps, signer, checkpointFolder: null };
const desk = makeDesk(signer.publicKey);
after(async () => {
  await world.close();
  desk.remove();
});

const annId = ann.advisor.advisorId;
const annNumber = String(ann.advisor.textingNumber);

/** A history with every kind of e-mail, next to another advisor's, with checkpoints in between. */
await setAdvisor(deps, annId, { name: advisorName });
const phone = newPhone();
const personName = 'Dana Müller';
const contact = { firstName: 'Dana', lastName: 'Müller', phone };
const { id: contactId } = (await ann.call('POST', '/core/contact/contacts', contact)).body;
await setConsent(world, ann, phone, 'accepted');
const sent: number[] = [];
for (const text of ['Hello', 'Zoë 🎉\r\nsecond line', ' \ttab']) {
  const { successes } = (await send(ann, { phone, text })).body;
  sent.push(successes[0].messageId);
  await send(bob, { phone, text });
  await write(bob.advisor.advisorId, 3);
  await growTree(deps);
}
await received(world, phone, 3);
for (const messageId of sent) await statusOf(ann, messageId, 'delivered');
await receiveReply(deps, bySandbox, {
  carrierMessageId: 'two-of-three',
  from: phone,
  to: annNumber,
  text: 'the beginning, and the end',
  sentAt: world.clock.now(),
  incomplete: { received: 2, of: 3 },
});
await reply(world, phone, annNumber, 'STOP');
await growTree(deps);
await ann.call('POST', consentRequestsPath, { phoneNumbers: [newPhone(), newPhone()] });
await write(annId, 4);

const whole = await exportTo(deps, desk.path('whole'), annId);
const bare = await exportTo(deps, desk.path('bare'), annId, { format: 'ndjson' });

async function write(advisorId: number, count: number, on = deps): Promise<void> {
  for (let each = 0; each < count; each += 1)
    await archive(on, byPerson, { advisorId, kind: 'sign_in', memberId: null, meta: {}, body: `Text ${each}` });
}

suite('archive export', () => {
  test('writes an intact package in each format, which only its owner can read', async () => {
    for (const { folder, checkpoint, entries } of [whole, bare]) {
      const report = desk.verify(folder, checkpoint);
      assert.deepEqual([report.code, report.verdict, report.entries], [0, 'intact', entries], report.message);
      assert.match(
        report.message,
        new RegExp(`^${entries} entries of advisor ${annId} \\(Zoë .*\\), 1 to ${entries}, are`),
      );
      assert.equal(statSync(folder).mode & 0o777, 0o700);
      assert.equal(statSync(join(folder, 'entries.ndjson')).mode & 0o777, 0o600);
    }
    assert.ok(statSync(join(whole.folder, 'messages.zip')).isFile());
    assert.ok(!statSync(join(bare.folder, 'messages.zip'), { throwIfNoEntry: false }));
  });

  test('has every entry of the advisor and none of anyone else’s, and is itself an entry', () => {
    const lines = readLines(bare.folder);
    assert.deepEqual(
      lines.map(({ entry }) => [entry.advisorId, entry.number]),
      lines.map((_, index) => [annId, index + 1]),
    );
    const kinds = new Set(lines.map(({ entry }) => entry.kind));
    for (const kind of ['text_out', 'text_in', 'outcome', 'consent', 'sign_in', 'export'])
      assert.ok(kinds.has(kind), kind);
    const last = lines.at(-1);
    assert.equal(last?.entry.kind, 'export');
    const { what, format } = JSON.parse(last?.entry.meta ?? '');
    assert.deepEqual([what, format, last?.entry.actor], ['archive', 'ndjson', 'operator']);
  });

  test('has an e-mail for each text and change of consent, with the archived bytes and who, when and where', () => {
    const lines = readLines(whole.folder).filter(({ entry }) => /^(text_out|text_in|consent)$/.test(entry.kind));
    const files = unzip(join(whole.folder, 'messages.zip'));
    assert.equal(files.size, lines.length + 1);
    assert.deepEqual([...files.keys()], [...files.keys()].sort());
    for (const { entry, leaf, body, phone: number, name, outcome } of lines) {
      const ending = { text_out: 'out', text_in: 'in', consent: 'consent' }[entry.kind];
      const email = readEmail(files.get(`${String(entry.number).padStart(6, '0')}-${ending}.eml`) ?? Buffer.alloc(0));
      assert.deepEqual(email.body.toString('base64'), body);
      const header = (name: string) => email.headers.get(name) ?? '';
      assert.deepEqual(
        ['Entry', 'Leaf', 'Kind', 'Advisor'].map((name) => header(`X-Assent-${name}`)),
        [entry.number, leaf, entry.kind, annId].map(String),
      );
      assert.equal(header('X-Assent-Trace-Id'), entry.traceId ?? '');
      const isIncomplete = JSON.parse(entry.meta).carrierMessageId === 'two-of-three';
      assert.equal(header('X-Assent-Incomplete'), isIncomplete ? '2 of 3 parts' : '');
      const moment = outcome?.handedOver ?? entry.dateTime;
      assert.equal(Date.parse(header('Date')), Math.floor(Date.parse(moment) / 1000) * 1000);
      const [person, advisor] =
        entry.kind === 'text_out' ? [header('To'), header('From')] : [header('From'), header('To')];
      assert.ok(person.endsWith(` <${number}@sms.invalid>`));
      assert.equal(decodedName(person), number === phone ? personName : '');
      assert.equal(name, number === phone ? personName : null);
      const thread = `<conversation.${entry.memberId}.${annId}@assent.invalid>`;
      assert.deepEqual([header('In-Reply-To'), header('References')], [thread, thread]);
      assert.equal(decodedName(advisor), advisorName);
      assert.ok(header('Subject').includes(String(number)));
    }
    assert.equal(files.get('manifest.csv')?.toString().split('\r\n').length, lines.length + 2);
  });

  test('shows next to a text, and in its e-mail, what became of it', () => {
    const lines = readLines(whole.folder);
    const files = unzip(join(whole.folder, 'messages.zip'));
    for (const messageId of sent) {
      const about = lines.filter(({ entry }) => entry.messageId === messageId);
      const [text, outcome] = about;
      assert.deepEqual([about.length, text?.entry.kind, outcome?.entry.kind], [2, 'text_out', 'outcome']);
      assert.deepEqual([outcome?.body, outcome?.salt, outcome?.text, outcome?.name], [null, null, null, null]);
      const { number, dateTime } = outcome?.entry ?? {};
      const { handedOver } = JSON.parse(outcome?.entry.meta ?? '{}');
      assert.ok(handedOver > (text?.entry.dateTime ?? '') && handedOver <= (dateTime ?? ''));
      const said = { number, outcome: 'delivered', reason: null, dateTime, carrier: 'sandbox', handedOver };
      assert.deepEqual(text?.outcome, said);
      const email = readEmail(files.get(`${String(text?.entry.number).padStart(6, '0')}-out.eml`) ?? Buffer.alloc(0));
      assert.deepEqual(
        ['', '-Reason', '-Time', '-Entry'].map((fact) => email.headers.get(`X-Assent-Outcome${fact}`)),
        ['delivered', undefined, dateTime, String(number)],
      );
    }
  });

  test('that ends before a text’s outcome shows none, and the text’s e-mail has the same id', async () => {
    const lines = readLines(whole.folder);
    const text = lines.find(({ entry }) => entry.messageId === sent[0]);
    const begin = new Date(text?.entry.dateTime ?? '');
    const part = await exportTo(deps, desk.path('early'), annId, { from: begin, to: new Date(begin.getTime() + 1) });
    const [only] = readLines(part.folder);
    assert.deepEqual([only?.entry.number, only?.outcome], [text?.entry.number, null]);
    assert.equal(desk.verify(part.folder, part.checkpoint).code, 0);
    const idIn = ({ folder }: { folder: string }) => {
      const name = `${String(text?.entry.number).padStart(6, '0')}-out.eml`;
      return readEmail(unzip(join(folder, 'messages.zip')).get(name) ?? Buffer.alloc(0)).headers.get('Message-ID');
    };
    assert.equal(idIn(part), idIn(whole));
  });

  test('names a person as the address book did when the text was sent', async () => {
    await ann.call('PUT', `/core/contact/contacts/${contactId}`, { ...contact, lastName: 'Meyer' });
    const later = await exportTo(deps, desk.path('renamed'), annId);
    const names = readLines(later.folder).flatMap(({ entry, name }) => (entry.kind === 'text_out' && name ? name : []));
    assert.deepEqual([...new Set(names)], [personName]);
  });

  test('has every number from the first to the last in the period', async () => {
    const lines = readLines(whole.folder);
    const [first, last] = [lines[3], lines[6]];
    const period = {
      from: new Date(first?.entry.dateTime ?? ''),
      to: new Date(Date.parse(last?.entry.dateTime ?? '') + 1),
    };
    const part = await exportTo(deps, desk.path('part'), annId, { ...period, format: 'eml' });
    const numbers = readLines(part.folder).map(({ entry }) => entry.number);
    assert.equal(numbers[0], first?.entry.number);
    assert.ok(numbers.includes(last?.entry.number ?? -1));
    assert.equal(desk.verify(part.folder, part.checkpoint).code, 0);
    const none = await exportTo(deps, desk.path('none'), annId, { from: new Date(0), to: new Date(1), format: 'eml' });
    assert.deepEqual([none.entries, desk.verify(none.folder, none.checkpoint).code], [0, 0]);
  });

  test('dates the e-mail of a text that waited by when it went, and says when it was written', async () => {
    const phone = newPhone();
    const { successes } = (await send(bob, { phone, text: 'Once you agree', whenConsented: true })).body;
    await world.clock.advance(60_000);
    await reply(world, phone, String(bob.advisor.textingNumber), 'ACCEPT');
    await statusOf(bob, successes[0].messageId, 'delivered');
    const { folder, checkpoint } = await exportTo(deps, desk.path('waited'), bob.advisor.advisorId, { format: 'eml' });
    assert.equal(desk.verify(folder, checkpoint).code, 0);
    const lines = readLines(folder);
    const text = lines.find(({ entry }) => entry.messageId === successes[0].messageId && entry.kind === 'text_out');
    const consent = lines.findLast(({ entry }) => entry.kind === 'consent');
    const emails = unzip(join(folder, 'messages.zip'));
    const { headers } = readEmail(
      emails.get(`${String(text?.entry.number).padStart(6, '0')}-out.eml`) ?? Buffer.alloc(0),
    );
    const seconds = (time: string | null | undefined) => Math.floor(Date.parse(time ?? '') / 1000);
    assert.equal(seconds(headers.get('Date')), seconds(text?.outcome?.handedOver));
    assert.equal(seconds(headers.get('X-Assent-Written')), seconds(text?.entry.dateTime));
    assert.ok(String(text?.outcome?.handedOver) > String(consent?.entry.dateTime), 'after the consent that let it go');
  });

  test('of the deployment’s own entries needs no advisor', async () => {
    const own = await exportTo(deps, desk.path('own'), 0);
    assert.ok(own.entries > 0);
    assert.equal(desk.verify(own.folder, own.checkpoint).code, 0);
  });

  test('is a command, with days in the advisor’s time zone', async () => {
    const folder = desk.path('cli');
    const env = { DATABASE_URL: world.database.url, ASSENT_DATA_DIR: desk.path('data') };
    const args = ['archive', 'export', '--advisor', 'ann@test.example', '--from', '2020-01-01'];
    const [done, ...wrong] = await Promise.all([
      runCommand([...args, '--to', '2120-12-31', '--format', 'eml', '--out', folder], env),
      runCommand([...args, '--to', '2120-12-31', '--format', 'pst', '--out', folder], env),
      runCommand([...args, '--to', '2120-02-30', '--format', 'eml', '--out', folder], env),
    ]);
    assert.equal(done.status, 0, done.stderr);
    assert.match(done.stderr, /^Exported \d+ entries to /m);
    assert.deepEqual(
      wrong.map(({ status }) => status),
      [2, 2],
    );
    const { from, to } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    assert.deepEqual([from, to], ['2020-01-01T05:00:00.000Z', '2121-01-01T05:00:00.000Z']);
    const pubkey = join(folder, 'public-key');
    const report = desk.verify(folder, readFileSync(join(folder, 'checkpoint'), 'utf8'), pubkey);
    assert.equal(report.code, 0, report.message);
  });

  test('is refused without a key, into a folder that is not empty, and if the archive is not what was signed', async () => {
    const refused = (work: Promise<unknown>, code: string, says: RegExp) =>
      assert.rejects(work, (error) => error instanceof Problem && error.code === code && says.test(error.message));
    await refused(
      exportArchive({ ...deps, signer: null }, String(annId), { ...always, format: 'eml' }),
      'conflict',
      /ARCHIVE_KEY_FILE/,
    );
    await refused(exportTo(deps, whole.folder, annId), 'invalid_request', /not empty/);
    const last = async () => ({ size: 1, root: Buffer.alloc(32), note: '' });
    const checkpointFolder = { last } as unknown as Deps['checkpointFolder'];
    await refused(
      exportArchive({ ...deps, checkpointFolder }, String(annId), { ...always, format: 'eml' }),
      'conflict',
      /archive verify/,
    );
  });
});

function decodedName(address: string): string {
  const words = [...address.matchAll(/=\?utf-8\?B\?([^?]+)\?=/g)];
  return words.map(([, word = '']) => Buffer.from(word, 'base64').toString()).join('');
}

suite('archive verify --package', () => {
  const assertReport = (report: Report, { code, names, what }: Tampering) => {
    assert.equal(report.code, code, report.message);
    assert.equal(report.verdict, verdicts[code]);
    if (names instanceof RegExp) assert.match(report.message, names);
    else assert.ok(report.message.startsWith(`entry ${names} of advisor ${annId}: `), report.message);
    if (what) assert.match(report.message, what);
  };

  for (const tampering of [...entryTamperings, ...fileTamperings, ...emailTamperings])
    test(`names what is wrong: ${tampering.name}`, async () => {
      const folder = desk.copy(whole.folder);
      await tampering.apply(folder);
      assertReport(desk.verify(folder, whole.checkpoint), tampering);
    });

  test('names the entry even if the manifest was made to fit', async () => {
    for (const tampering of entryTamperings) {
      const folder = desk.copy(bare.folder);
      await tampering.apply(folder);
      fitManifest(folder);
      assertReport(desk.verify(folder, bare.checkpoint), tampering);
    }
  });

  suite('that was signed again, so that no sum of a file gives a change away,', () => {
    const lines = readLines(whole.folder);
    const text = lines.findIndex(({ outcome }) => outcome !== null);
    const outcome = (lines[text]?.outcome?.number ?? 0) - 1;
    const other = lines.findIndex(({ entry }) => entry.kind === 'sign_in');
    const places = [
      ['a text', whole, text],
      ['an outcome', whole, outcome],
      ['the last entry', whole, lines.length - 1],
      ['a text, without e-mails', bare, text],
      ['another entry, without e-mails', bare, other],
    ] as const;
    for (const [name, from, place] of isWhole ? places : places.slice(0, 1))
      test(`names ${name}`, async () => {
        for (const { number, what, apply } of changesAt(from.folder, place)) {
          const folder = desk.copy(from.folder);
          await apply(folder);
          signAgain(folder);
          const { faults } = desk.verify(folder, from.checkpoint);
          const wanted = number === null ? what : `entry ${number} of advisor ${annId}: ${what}`;
          assert.ok(faults.includes(wanted), `${wanted}, and not ${faults}`);
        }
      });
  });

  test('another advisor’s entry was inserted, even if it is proven', async () => {
    const bobs = await exportTo(deps, desk.path('bobs'), bob.advisor.advisorId, { format: 'ndjson' });
    const folder = desk.copy(bobs.folder);
    const lines = readLines(folder);
    // As if both were exported at the same time: the same tree, with proofs in it.
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    manifest.advisor.id = annId;
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
    const report = desk.verify(folder, bobs.checkpoint);
    const first = lines[0]?.entry;
    assert.equal(report.code, 1);
    assert.ok(report.message.startsWith(`entry ${first?.number} of advisor ${first?.advisorId}: it was inserted`));
  });

  test('every changed byte in a package is noticed', async () => {
    const files = [
      'checkpoint',
      'consistency.ndjson',
      'earlier-checkpoints',
      'entries.ndjson',
      'manifest.json',
      'manifest.note',
      'messages.zip',
      'public-key',
    ];
    const folder = desk.copy(whole.folder);
    for (let run = 0; run < rounds(24); run += 1) {
      const file = join(folder, files[run % files.length] ?? '');
      const bytes = readFileSync(file);
      const at = Math.floor(Math.random() * bytes.length);
      const bit = 1 << Math.floor(Math.random() * 8);
      writeFileSync(file, bytes.with(at, (bytes[at] ?? 0) ^ bit));
      const { code, message } = desk.verify(folder, whole.checkpoint);
      assert.notEqual(code, 0, `${file}, byte ${at}, bit ${bit}: ${message}`);
      writeFileSync(file, bytes);
    }
    assert.equal(desk.verify(folder, whole.checkpoint).code, 0);
  });

  test('an endless line doesn’t fill the memory', async () => {
    const folder = desk.copy(bare.folder);
    writeFileSync(join(folder, 'entries.ndjson'), Buffer.alloc(10 * 1024 * 1024, '['));
    const { code, message } = desk.verify(folder, bare.checkpoint);
    assert.equal(code, 3);
    assert.match(message, /longer than any entry/);
  });

  test('can’t tell without a key, with a different key, without a checkpoint or without a package', async () => {
    const other = makeNoteSigner('test.example/archive', makeSigningKey());
    const unknown = async (
      says: RegExp,
      { folder = whole.folder, checkpoint = whole.checkpoint, pubkey = desk.pubkeyFile },
    ) => {
      const { code, message } = desk.verify(folder, checkpoint, pubkey);
      assert.equal(code, 3, message);
      assert.match(message, says);
    };
    await unknown(/is not a public key/, { pubkey: desk.path('nothing') });
    await unknown(/is not a public key/, { pubkey: desk.file('no key\n') });
    await unknown(/nothing in the package is signed by the key/, { pubkey: desk.file(other.publicKey) });
    await unknown(/has no checkpoint/, { checkpoint: '' });
    await unknown(/has no checkpoint/, { checkpoint: 'Dear examiner,\n\nplease believe us.\n' });
    await unknown(/no checkpoint in .* is signed by the key/, {
      checkpoint: other.sign(`${whole.checkpoint.split('\n\n')[0]}\n`),
    });
    await unknown(/is not a package/, { folder: desk.path('nowhere') });
    const report = verifyPackage({
      packageDir: whole.folder,
      checkpointFile: desk.path('nothing'),
      pubkeyFile: desk.pubkeyFile,
    });
    assert.equal(report.code, 3);
  });

  test('an archive whose key has changed has one more line of keys', async () => {
    const other = makeNoteSigner('test.example/archive', makeSigningKey());
    const both = desk.file(`${other.publicKey}\n${signer.publicKey}\n`);
    assert.equal(desk.verify(whole.folder, whole.checkpoint, both).code, 0);
  });

  test('continues from an older checkpoint that the examiner has, and from a file of all of them', async () => {
    const notes = (await listCheckpointsAfter(deps.db, 0, 1_000)).map(({ note }) => note);
    const { earlier } = whole.exported;
    assert.ok(earlier.length >= 3);
    const { code, message } = desk.verify(whole.folder, earlier[1]?.note ?? '');
    assert.equal(code, 0, message);
    assert.match(message, /; \d+ of them are newer than the checkpoint given$/);
    for (const file of [notes.join('\n'), `cut short\n\n— by a crash\n\n${notes.join('\n')}\n`])
      assert.doesNotMatch(desk.verify(whole.folder, file).message, /newer/);
  });

  test('can’t tell if no proof leads from the checkpoint to the package', async () => {
    const [oldest] = await listCheckpointsAfter(deps.db, 0, 1);
    const { from, to } = always;
    const lines = readLines(bare.folder);
    const late = await exportTo(deps, desk.path('late'), annId, {
      from: new Date(lines.at(-1)?.entry.dateTime ?? from),
      to,
    });
    const older = desk.verify(late.folder, oldest?.note ?? '');
    assert.deepEqual([older.code, /no proof in the package leads/.test(older.message)], [3, true], older.message);
    const newer = desk.verify(whole.folder, late.checkpoint);
    assert.deepEqual([newer.code, /is newer than the package’s/.test(newer.message)], [3, true], newer.message);
  });

  test('finds a fork, two trees signed with the real key, and where it begins', async () => {
    const folder = desk.path('fork');
    const undone = new Error('rolled back');
    const before = await findCheckpoint(deps.db);
    const forked = deps.db.transaction(async (db) => {
      await write(annId, 2, { ...deps, db });
      await exportTo({ ...deps, db }, folder, annId, { format: 'ndjson' });
      throw undone;
    });
    await assert.rejects(forked, undone);
    await write(annId, 3);
    await growTree(deps);
    const after = await findCheckpoint(deps.db);
    const { code, message } = desk.verify(folder, `${before?.note}\n${after?.note}`);
    assert.equal(code, 1, message);
    const first = readLines(folder).find(({ leaf }) => leaf >= (before?.size ?? 0))?.entry;
    assert.ok(
      message.startsWith(`entry ${first?.number} of advisor ${annId}, or one after it: the tree of ${after?.size}`),
      message,
    );
  });

  suite('of bodies that are gone', () => {
    const { database, clock } = world;
    const texts = readLines(whole.folder).flatMap(({ entry }) => (/^text/.test(entry.kind) ? entry.number : []));
    const [first = 0] = texts;
    const until = new Date(Date.parse(readLines(whole.folder).at(-1)?.entry.dateTime ?? '') + 1);
    const exported = () => exportTo(deps, desk.path('disposed'), annId, { from: always.from, to: until });
    const verified = async () => {
      const { folder, checkpoint } = await exported();
      return desk.verify(folder, checkpoint);
    };
    /** As the owner, who is not held up by a trigger. */
    const deleteBodies = async (numbers: number[]) => {
      await database.asOwner('alter table archive_bodies disable trigger user');
      await database.asOwner('delete from archive_bodies where advisor_id = $1 and number = any ($2)', [
        annId,
        numbers,
      ]);
      await database.asOwner('alter table archive_bodies enable trigger user');
    };
    const forgeDisposal = (numbers: number[]) =>
      database.asOwner(`select write_disposal_entry($1, $2, 'operator')`, [annId, numbers]);

    test('reports those that no disposal names, and those that were too young for it', async () => {
      await deleteBodies([first]);
      const unexplained = await verified();
      assert.equal(unexplained.code, 2, unexplained.message);
      const name = `entry ${first} of advisor ${annId}: its body was removed`;
      assert.ok(unexplained.message.startsWith(`${name}, and no disposal says so`), unexplained.message);
      await forgeDisposal([first]);
      const young = await verified();
      assert.equal(young.code, 2, young.message);
      assert.ok(young.message.startsWith(`${name} by the disposal in entry `), young.message);
      assert.match(young.message, /no checkpoints prove that it had been kept for 7 years/);
      await passRealTime(database, deps, yearsMs(8));
      assert.equal((await verified()).code, 2, 'time that passes after a disposal proves nothing about it');
    });

    test('tells which were due, and proves it', async () => {
      await forgeDisposal([first]);
      await clock.advance(yearsMs(8));
      await setEarlier(database, ann.advisor.firmId, 6);
      await dispose(deps, { by: byOperator, dryRun: false });
      const due = await exported();
      const report = desk.verify(due.folder, due.checkpoint);
      assert.equal(report.code, 0, report.message);
      assert.match(report.message, /; the bodies of .* were disposed of, and were due$/);
      const gone = readLines(due.folder).filter(
        ({ about, entry, body }) => about === undefined && entry.kind !== 'outcome' && body === null,
      );
      assert.deepEqual(
        report.disposed.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => from + at)),
        gone.map(({ entry }) => entry.number),
      );
      assert.ok(gone.length > 5);
      assert.ok(
        gone.every(({ salt, name }) => salt === null && name === null),
        'the name is gone with the body',
      );
      for (const tampering of disposalTamperings) {
        const folder = desk.copy(due.folder);
        await tampering.apply(folder);
        assertReport(desk.verify(folder, due.checkpoint), tampering);
      }
    });

    test('reports those that a hold should have kept, though the hold’s row is gone', async () => {
      const { firmId } = ann.advisor;
      const sue = await addStaff(deps, { firmId, name: 'Sue', email: 'sue@test.example' });
      const { holdId } = await addHold(deps, { advisorId: annId }, { reason: 'Smith v. Jones', staff: sue });
      await write(annId, 1);
      await passRealTime(database, deps, yearsMs(8));
      await database.asOwner('alter table holds disable trigger user');
      await database.asOwner('delete from holds');
      await clock.advance(yearsMs(8));
      await dispose(deps, { by: byOperator, dryRun: false });
      const held = await exportTo(deps, desk.path('held'), annId);
      const { code, message } = desk.verify(held.folder, held.checkpoint);
      assert.equal(code, 2, message);
      assert.match(message, new RegExp(`although hold ${holdId} was in force`));
      assert.ok(readLines(held.folder).every(({ about, body }) => about !== 'rule' || body === null));
    });
  });

  for (const [name, says] of [
    ['texts', /^intact: 23 entries of advisor 1001 .* are as they were signed at 2026-11-17T08:32:48\.723Z\n$/],
    ['disposals', /^intact: 23 entries .*; the bodies of 3 to 4, .*, 19 to 23 were disposed of, and were due\n$/],
    ['waits', /^intact: 15 entries of advisor 1001 \(Zoë Advisor\), 1 to 15, are as they were signed at /],
  ] as const)
    test(`still checks a package that was exported in the first format: ${name}`, () => {
      const folder = fileURLToPath(new URL(`exported-before/${name}`, import.meta.url));
      const [checkpoint, pubkey] = [join(folder, 'checkpoint'), join(folder, 'public-key')];
      const args = [verifyProgram, '--package', folder, '--checkpoint', checkpoint, '--pubkey', pubkey];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { env: {}, encoding: 'utf8' });
      assert.deepEqual([status, stderr], [0, '']);
      assert.match(stdout, says);
      const altered = desk.copy(folder);
      const lines = readLines(altered);
      writeLines(altered, [...lines.slice(0, -1), { ...lines.at(-1), text: 'Another text' }]);
      assert.equal(desk.verify(altered, readFileSync(checkpoint, 'utf8'), pubkey).code, 1);
    });

  test('runs from a folder with nothing else in it', () => {
    const folder = desk.path('examiner');
    mkdirSync(folder);
    copyFileSync(verifyProgram, join(folder, 'verify.mjs'));
    writeFileSync(join(folder, 'checkpoint'), whole.checkpoint);
    const tampered = desk.copy(whole.folder);
    writeLines(tampered, readLines(tampered).slice(0, -1));
    const run = (...args: string[]) =>
      spawnSync(process.execPath, ['verify.mjs', ...args], { cwd: folder, env: {}, encoding: 'utf8' });
    const check = (packageDir: string, pubkey = desk.pubkeyFile) =>
      run('--package', packageDir, '--checkpoint', 'checkpoint', '--pubkey', pubkey);
    const intact = check(whole.folder);
    assert.deepEqual([intact.status, intact.stderr], [0, '']);
    assert.match(intact.stdout, /^intact: \d+ entries of advisor .*\n$/);
    const incomplete = check(tampered);
    assert.equal(incomplete.status, 2);
    assert.match(incomplete.stdout, /^incomplete: entry \d+ of advisor \d+: it was removed; \d+ entries checked\n$/);
    assert.equal(check(whole.folder, 'nothing').status, 3);
    const wrong = run('--package', whole.folder);
    assert.equal(wrong.status, 3);
    assert.match(wrong.stderr, /^usage: /);
  });
});
