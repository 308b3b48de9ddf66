import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openCheckpointFolder } from '../../src/adapters/checkpoints/folder.ts';
import { checkpointCommand } from '../../src/adapters/commands/command.ts';
import { addAdvisor } from '../../src/domain/accounts/advisors.ts';
import { addFirm } from '../../src/domain/accounts/firms.ts';
import { byPerson } from '../../src/domain/archive/archive.ts';
import { ArchiveFault, growTree } from '../../src/domain/archive/archive-tree.ts';
import { copyCheckpoints } from '../../src/domain/archive/checkpoint-copies.ts';
import { checkpointDeliverer } from '../../src/domain/archive/checkpoint-deliveries.ts';
import { readCheckpoint } from '../../src/domain/examiner/notes.mjs';
import type { CheckpointFolder, KeptLeaf } from '../../src/domain/ports.ts';
import { insertEntries } from '../../src/store/archive/archive.ts';
import * as treeStore from '../../src/store/archive/archive-tree.ts';
import { makeDatabase } from '../support/database.ts';
import { until } from '../support/waiting.ts';
import { leavesFrom, noteOf } from './kept-leaves.ts';
import { archiveDepsOn, signer } from './small-archive.ts';

const database = await makeDatabase();
const plain = archiveDepsOn(database.pool);
const { firmId } = await addFirm(plain, 'Test Wealth');
const ann = await addAdvisor(plain, { firmId, name: 'ann', email: 'ann@test.example' });
const bob = await addAdvisor(plain, { firmId, name: 'bob', email: 'bob@test.example' });
const folders: string[] = [];
after(async () => {
  await database.drop();
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'assent-checkpoints-'));
  folders.push(folder);
  return folder;
}

/** Adds entries of both advisors to the tree, with a new checkpoint. */
async function grow(count: number): Promise<void> {
  const entries = Array.from({ length: count }, (_, at) => ({
    ...byPerson,
    advisorId: at % 3 ? ann.advisorId : bob.advisorId,
    kind: 'text_in' as const,
    memberId: null,
    meta: {},
    body: `Text ${at}`,
  }));
  await insertEntries(plain.db, entries, new Date());
  await growTree(plain);
}

async function newestNote(): Promise<string> {
  const checkpoint = await treeStore.findCheckpoint(plain.db);
  assert.ok(checkpoint);
  return checkpoint.note;
}

async function notesOf(folder: CheckpointFolder): Promise<string[]> {
  return Array.fromAsync(folder.notes());
}

test('the folder has every checkpoint and every leaf of the tree, as in the database', async () => {
  const path = makeFolder();
  const folder = openCheckpointFolder(path);
  const deps = { ...plain, checkpointFolder: folder };
  assert.equal(await folder.last(), null);
  assert.equal(await folder.leafCount(), 0);
  for (const count of [3, 300, 1]) {
    await grow(count);
    await copyCheckpoints(deps);
  }
  const rows = await treeStore.listCheckpointsAfter(plain.db, 0, 1_000);
  const { size, root } = await treeStore.findTree(plain.db);
  assert.equal(readFileSync(join(path, 'checkpoints'), 'utf8'), rows.map(({ note }) => `${note}\n`).join(''));
  assert.deepEqual(
    await notesOf(folder),
    rows.map(({ note }) => note),
  );
  assert.deepEqual(await folder.last(), { size, root, note: rows.at(-1)?.note });
  assert.equal(await folder.leafCount(), size);
  const leaves = await folder.leaves(0, size);
  const entries = await treeStore.listStoredLeaves(plain.db, 0, size);
  assert.deepEqual(
    leaves.map(({ leaf, advisorId, number }) => ({ leaf, advisorId, number })),
    entries.map(({ leaf, advisorId, number }) => ({ leaf, advisorId, number })),
  );
  const tiles = await treeStore.listTiles(plain.db, [
    { level: 0, tile: 0 },
    { level: 0, tile: 1 },
  ]);
  const hashes = Buffer.concat(tiles.sort((a, b) => a.tile - b.tile).map((tile) => tile.hashes));
  assert.deepEqual(Buffer.concat(leaves.map(({ hash }) => hash)), hashes.subarray(0, size * 32));
  for (const name of ['checkpoints', 'leaves']) assert.equal(statSync(join(path, name)).mode & 0o777, 0o600);
});

test('a folder that is up to date is not written to, and the folder of a node that takes over catches up', async () => {
  const [first, second] = [makeFolder(), makeFolder()];
  await copyCheckpoints({ ...plain, checkpointFolder: openCheckpointFolder(first) });
  const before = statSync(join(first, 'leaves')).mtimeMs + statSync(join(first, 'checkpoints')).mtimeMs;
  await copyCheckpoints({ ...plain, checkpointFolder: openCheckpointFolder(first) });
  assert.equal(statSync(join(first, 'leaves')).mtimeMs + statSync(join(first, 'checkpoints')).mtimeMs, before);
  await grow(2);
  for (const path of [first, second]) await copyCheckpoints({ ...plain, checkpointFolder: openCheckpointFolder(path) });
  for (const name of ['leaves', 'checkpoints'])
    assert.equal(readFileSync(join(second, name), 'utf8'), readFileSync(join(first, name), 'utf8'));
});

test('wherever a write was cut short, the next copy completes the folder without touching what is there', async () => {
  const source = makeFolder();
  await copyCheckpoints({ ...plain, checkpointFolder: openCheckpointFolder(source) });
  const whole = {
    leaves: readFileSync(join(source, 'leaves')),
    checkpoints: readFileSync(join(source, 'checkpoints')),
  };
  const { size } = await treeStore.findTree(plain.db);
  const expected = await openCheckpointFolder(source).leaves(0, size);
  const notes = await notesOf(openCheckpointFolder(source));
  const lastNote = `${notes.at(-1)}\n`;
  // At and next to each end of a line, and at some places in between.
  const cuts = [
    ...cutsOf(lastNote).map((bytes) => ({ leaves: 0, checkpoints: bytes })),
    ...[1, 2, 30, 61, 62, 63, 100].map((bytes) => ({ leaves: bytes, checkpoints: Buffer.byteLength(lastNote) })),
    { leaves: whole.leaves.length, checkpoints: whole.checkpoints.length },
  ];
  const path = makeFolder();
  for (const cut of cuts) {
    for (const name of ['leaves', 'checkpoints'] as const) {
      rmSync(join(path, name), { force: true });
      appendFileSync(join(path, name), whole[name]);
      truncateSync(join(path, name), whole[name].length - cut[name]);
    }
    const torn = readFileSync(join(path, 'checkpoints'));
    const folder = openCheckpointFolder(path);
    await copyCheckpoints({ ...plain, checkpointFolder: folder });
    assert.deepEqual(await folder.leaves(0, size), expected, JSON.stringify(cut));
    assert.deepEqual([...new Set(await notesOf(folder))], notes, JSON.stringify(cut));
    assert.equal((await folder.last())?.note, notes.at(-1));
    assert.equal(await folder.leafCount(), size);
    assert.deepEqual(readFileSync(join(path, 'checkpoints')).subarray(0, torn.length), torn);
  }
});

test('leaves that are missing under a checkpoint are not written again', async () => {
  const path = makeFolder();
  const deps = { ...plain, checkpointFolder: openCheckpointFolder(path) };
  await copyCheckpoints(deps);
  truncateSync(join(path, 'leaves'), 100);
  await grow(1);
  await assert.rejects(copyCheckpoints(deps), /leaves: it has 1 of \d+ leaves/);
  assert.equal(statSync(join(path, 'leaves')).size, 100);
});

test('anything but leaves and notes is skipped, and the later of two lines for a leaf counts', async () => {
  const path = makeFolder();
  const folder = openCheckpointFolder(path);
  const [wrong, ...right] = leavesFrom(0, 5) as [KeptLeaf, ...KeptLeaf[]];
  await folder.append([{ ...wrong, advisorId: 8 }], [noteOf(1)]);
  appendFileSync(join(path, 'leaves'), Buffer.concat([randomBytes(500), Buffer.from('\n3 1/2 short\n')]));
  appendFileSync(join(path, 'checkpoints'), Buffer.concat([randomBytes(9_000), Buffer.from('\nx\n5\n')]));
  assert.equal((await folder.last())?.size, 1);
  assert.equal(await folder.leafCount(), 1);
  await folder.append([wrong, ...right], [noteOf(5)]);
  assert.deepEqual(await folder.leaves(0, 9), [wrong, ...right]);
  assert.deepEqual(await folder.leaves(2, 4), right.slice(1, 3));
  assert.equal((await notesOf(folder)).length, 2);
  assert.equal((await folder.last())?.size, 5);
});

test('nodes that append to one folder at the same time never write into each other’s lines', async () => {
  const path = makeFolder();
  const rounds = 20;
  const each = 500;
  const node = async () => {
    const folder = openCheckpointFolder(path);
    for (let round = 0; round < rounds; round += 1)
      await folder.append(leavesFrom(round * each, each), [noteOf((round + 1) * each)]);
  };
  await Promise.all([node(), node(), node()]);
  // A node may see half of a line that another is writing, and then starts a new line: empty lines are possible.
  const lines = readFileSync(join(path, 'leaves'), 'utf8').match(/.+/g) ?? [];
  assert.equal(lines.length, 3 * rounds * each);
  assert.ok(lines.every((line) => /^\d+ 7\/\d+ [A-Za-z0-9+/]{43}=$/.test(line)));
  const folder = openCheckpointFolder(path);
  const notes = await notesOf(folder);
  assert.equal(notes.length, 3 * rounds);
  assert.ok(notes.every((note) => readCheckpoint(note, signer.verifier)));
  assert.deepEqual(await folder.leaves(0, rounds * each), leavesFrom(0, rounds * each));
});

test('leaves in a large file are found, also those that were added later', async () => {
  const folder = openCheckpointFolder(makeFolder());
  const all = leavesFrom(0, 30_000);
  await folder.append(all.slice(0, 20_000), []);
  assert.deepEqual(await folder.leaves(7_777, 9_999), all.slice(7_777, 9_999));
  await folder.append(all.slice(20_000), []);
  assert.deepEqual(await folder.leaves(19_990, 20_010), all.slice(19_990, 20_010));
  assert.deepEqual(await folder.leaves(29_999, 40_000), all.slice(29_999));
  assert.equal(await folder.leafCount(), 30_000);
});

test('a folder with a different tree is refused and left as it is', async () => {
  const { size, root } = await treeStore.findTree(plain.db);
  const other = (at: number, hash: Buffer) =>
    signer.sign(`${signer.verifier.name}\n${at}\n${hash.toString('base64')}\ntime ${new Date().toISOString()}\n`);
  for (const note of [other(size + 1, root), other(size, randomBytes(32)), other(5, root)]) {
    const path = makeFolder();
    const folder = openCheckpointFolder(path);
    await folder.append(leavesFrom(0, size + 1), [note]);
    await assert.rejects(copyCheckpoints({ ...plain, checkpointFolder: folder }), ArchiveFault);
    assert.equal(readFileSync(join(path, 'checkpoints'), 'utf8'), `${note}\n`);
  }
});

test('a missing folder is an error, so nothing is written if its disk is not mounted', async () => {
  const folder = openCheckpointFolder(join(makeFolder(), 'not-mounted'));
  const calls = [folder.last(), folder.leafCount(), notesOf(folder), folder.append([], [noteOf(1)])];
  await Promise.all(calls.map((each) => assert.rejects(each, { code: 'ENOENT' })));
});

test('a checkpoint in the database that the key hasn’t signed is not copied', async () => {
  const folder = openCheckpointFolder(makeFolder());
  const { size } = await treeStore.findTree(plain.db);
  const note = noteOf(size).replace(/^time .*$/m, 'time 2001-01-01T00:00:00.000Z');
  await treeStore.insertCheckpoint(plain.db, { size, note, now: new Date(0) });
  await copyCheckpoints({ ...plain, checkpointFolder: folder });
  assert.ok(!(await notesOf(folder)).includes(note));
  assert.equal(await folder.leafCount(), size);
});

test('the command gets the newest checkpoint on stdin once, and nothing of ours in its environment', async () => {
  const path = makeFolder();
  process.env.ASSENT_CANARY = 'a secret';
  const deliverCheckpoint = checkpointCommand(`cat >> ${path}/taken; env > ${path}/env`);
  const deliver = checkpointDeliverer({ ...plain, deliverCheckpoint });
  await grow(1);
  await grow(1);
  assert.equal(await deliver(), null);
  assert.equal(await deliver(), null);
  assert.equal(readFileSync(join(path, 'taken'), 'utf8'), await newestNote());
  const names = readFileSync(join(path, 'env'), 'utf8').match(/^\w+(?==)/gm) ?? [];
  assert.deepEqual(names.filter((name) => !['PWD', 'SHLVL', '_'].includes(name)).sort(), ['CHECKPOINT_SIZE', 'PATH']);
  const { size } = await treeStore.findTree(plain.db);
  assert.match(readFileSync(join(path, 'env'), 'utf8'), new RegExp(`^CHECKPOINT_SIZE=${size}$`, 'm'));
  await grow(1);
  // Another node, or this one after a restart, knows from the database what was delivered.
  assert.equal(await checkpointDeliverer({ ...plain, deliverCheckpoint })(), null);
  assert.equal(await deliver(), null);
  assert.equal((await notesIn(join(path, 'taken'))).length, 2);
});

test('a failing command is reported with its last line, blocks nothing, and gets the next checkpoint', async () => {
  const path = makeFolder();
  const deliverCheckpoint = checkpointCommand(
    `test -e ${path}/fixed && cat > ${path}/taken || { echo 'no space'; echo >&2; exit 3; }`,
  );
  const deliver = checkpointDeliverer({ ...plain, deliverCheckpoint });
  await grow(1);
  const { size } = await treeStore.findTree(plain.db);
  assert.deepEqual(await deliver(), { size, what: 'The command ended with 3: no space' });
  appendFileSync(join(path, 'fixed'), '');
  assert.equal(await deliver(), null, 'the same checkpoint is not delivered again');
  await grow(1);
  assert.equal(await deliver(), null);
  assert.equal(readFileSync(join(path, 'taken'), 'utf8'), await newestNote());
});

test('a command that takes too long is killed with everything it started', async () => {
  const path = makeFolder();
  // On a busy machine the time may be over before a shell has begun: then it gets more.
  let timeoutMs = 250;
  const endsWaiting = async () => {
    timeoutMs *= 2;
    const command = checkpointCommand(`sleep 60 & echo $! > ${path}/pid; echo waiting; sleep 60`, { timeoutMs });
    const { message } = await command('note', 1).then(
      () => assert.fail('It was done.'),
      (error: Error) => error,
    );
    assert.match(message, /^The command was not done in time/);
    return message.endsWith(': waiting');
  };
  await until('it had begun', endsWaiting);
  const pid = Number(readFileSync(join(path, 'pid'), 'utf8'));
  await until('the background process is gone', () => hasEnded(pid));
});

test('a command that reads nothing, prints a lot, or leaves a process running is done when it exits', async () => {
  await checkpointCommand('exit 0')('note'.repeat(100_000), 1);
  await checkpointCommand('sleep 5 & exit 0')('note', 1);
  await assert.rejects(
    checkpointCommand('head -c 3000000 /dev/zero | tr "\\0" x; exit 1')('note', 1),
    ({ message }: Error) => message.length < 300,
  );
});

/** Numbers of bytes that are cut off the note. */
function cutsOf(note: string): number[] {
  const bytes = Buffer.from(note);
  return [...bytes.keys()]
    .filter((at) => at % 17 === 0 || bytes.subarray(Math.max(0, at - 1), at + 2).includes('\n'))
    .map((at) => bytes.length - at);
}

async function notesIn(path: string): Promise<string[]> {
  return readFileSync(path, 'utf8').match(/^time .*$/gm) ?? [];
}

/** Zombies have ended too. */
function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return true;
  }
}
