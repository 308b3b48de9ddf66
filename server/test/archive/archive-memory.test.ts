import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openCheckpointFolder } from '../../src/checkpoint-copies/folder.ts';
import { archive, byPerson } from '../../src/domain/archive/archive.ts';
import { checkpointIn } from '../../src/domain/archive/archive-memory.ts';
import { verifyAgainstCopies } from '../../src/domain/archive/archive-status.ts';
import { ArchiveFault, growTree } from '../../src/domain/archive/archive-tree.ts';
import { type CopyDeps, copyAnew, copyCheckpoints } from '../../src/domain/archive/checkpoint-copies.ts';
import { CopiesFault } from '../../src/domain/archive/outside-copies.ts';
import { signArchive } from '../../src/domain/archive/signing.ts';
import { makeSignals } from '../../src/domain/shared/signals.ts';
import { openArchiveMemory } from '../../src/key-files/archive-memory.ts';
import * as store from '../../src/store/archive/archive-tree.ts';
import { makeWorld } from '../support/world.ts';
import { signer } from './small-archive.ts';

const world = await makeWorld({ dispatch: false });
const folders: string[] = [];
after(async () => {
  await world.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A node with its own key file and its own folder for copies. */
function makeNode(path = mkdtempSync(join(tmpdir(), 'assent-node-'))): CopyDeps & { path: string; file: string } {
  folders.push(path);
  mkdirSync(join(path, 'outside'), { recursive: true });
  const file = join(path, 'archive.key.signed');
  const checkpointFolder = openCheckpointFolder(join(path, 'outside'));
  return {
    ...world.deps,
    signals: makeSignals(),
    signer,
    checkpointFolder,
    archiveMemory: openArchiveMemory(file),
    path,
    file,
  };
}

async function write(count = 1): Promise<void> {
  for (let each = 0; each < count; each += 1)
    await archive(world.deps, byPerson, {
      advisorId: world.ann.advisor.advisorId,
      kind: 'text_in',
      memberId: null,
      meta: {},
      body: `Text ${each}`,
    });
}

const sizeNow = async () => (await store.findTree(world.deps.db)).size;
const sizeIn = (file: string) => checkpointIn(JSON.parse(readFileSync(file, 'utf8')).note).size;
const verify = (deps: CopyDeps) =>
  verifyAgainstCopies(deps, { verifiers: [signer.verifier], notes: null, progress: () => {} });

test('a node remembers the largest tree beside its key, and an unchanged tree costs no write', async () => {
  const node = makeNode();
  await write();
  await signArchive(node);
  assert.equal(sizeIn(node.file), await sizeNow());
  assert.equal(statSync(node.file).mode & 0o777, 0o600);
  const { mtimeMs, ino } = statSync(node.file);
  await signArchive(node);
  assert.deepEqual([statSync(node.file).mtimeMs, statSync(node.file).ino], [mtimeMs, ino]);
});

test('a memory that is behind, after a crash or because other nodes signed, is brought up to date', async () => {
  const node = makeNode();
  await write();
  await growTree(node);
  const old = readFileSync(node.file);
  await write();
  await growTree(node);
  writeFileSync(node.file, old);
  const restarted = makeNode(node.path);
  assert.equal(await growTree(restarted), 0);
  assert.equal(sizeIn(node.file), await sizeNow());
  await write();
  await growTree(makeNode());
  await growTree(restarted);
  assert.equal(sizeIn(node.file), await sizeNow());
});

test('a memory of a different tree stops the signing', async () => {
  const node = makeNode();
  await write();
  await growTree(node);
  const size = (await sizeNow()) - 1;
  const note = (at: number) => signer.sign(`${signer.verifier.name}\n${at}\n${randomBytes(32).toString('base64')}\n`);
  for (const [at, why] of [
    [size, /doesn’t begin with the \d+ entries that this node remembers/],
    [size + 9, /remembers a signed tree of \d+ entries, but the tree has \d+/],
  ] as const) {
    const other = makeNode();
    await other.archiveMemory?.write({ since: 0, note: note(at), copied: null });
    await write();
    await assert.rejects(growTree(other), (error: Error) => error instanceof ArchiveFault && why.test(error.message));
    assert.match((await store.findTree(world.deps.db)).fault ?? '', why);
  }
  assert.ok(((await growTree(node)) ?? 0) > 0);
});

test('a new node of an existing deployment signs, and says from where on it remembers', async () => {
  const before = await sizeNow();
  const node = makeNode();
  await write();
  await growTree(node);
  assert.equal(node.signals.archive.rememberedSince, before);
  assert.equal(JSON.parse(readFileSync(node.file, 'utf8')).since, before);
});

test('a file that can’t be written doesn’t stop the signing, is reported, and is written once it can be', async () => {
  const node = makeNode();
  const elsewhere = join(node.path, 'missing', 'archive.key.signed');
  const deps = { ...node, archiveMemory: openArchiveMemory(elsewhere) };
  await write();
  assert.ok(((await growTree(deps)) ?? 0) > 0);
  assert.match(deps.signals.archive.memory ?? '', /archive\.key\.signed can’t be written: ENOENT/);
  mkdirSync(join(node.path, 'missing'));
  await growTree(deps);
  assert.equal(deps.signals.archive.memory, null);
  assert.equal(sizeIn(elsewhere), await sizeNow());
});

test('a tile that is missing is a fault, not an error to retry', async () => {
  const node = makeNode();
  await write();
  await growTree(node);
  await write();
  await growTree(makeNode());
  const [tile] = await world.database.asOwner<{ hashes: Buffer }>(
    `select hashes from archive_tiles where level = 0 and tile = 0`,
  );
  assert.ok(tile);
  await world.database.asOwner('delete from archive_tiles where level = 0 and tile = 0');
  await signArchive(node);
  assert.ok(node.signals.archive.signing);
  await world.database.asOwner('insert into archive_tiles values (0, 0, $1)', [tile.hashes]);
  await signArchive(node);
  assert.equal(node.signals.archive.signing, null);
});

test('lost copies stay lost until an operator copies anew, which the running server notices', async () => {
  for (const file of ['checkpoints', 'leaves']) {
    const node = makeNode();
    await write();
    await signArchive(node);
    truncateSync(join(node.path, 'outside', file));
    await write();
    await signArchive(node);
    assert.match(node.signals.archive.copies ?? '', new RegExp(`outside/${file}: it is empty`));
    assert.equal(statSync(join(node.path, 'outside', file)).size, 0);
    assert.equal(sizeIn(node.file), await sizeNow(), 'what is signed is still remembered');
    await assert.rejects(copyCheckpoints(node), CopiesFault);
    const command = makeNode(node.path);
    assert.ok(command.signer && command.checkpointFolder);
    await copyAnew({ ...command, signer: command.signer, folder: command.checkpointFolder });
    await write();
    await signArchive(node);
    assert.equal(node.signals.archive.copies, null);
    assert.equal(node.signals.archive.copied, await sizeNow());
    const { verdict, faults } = await verify(node);
    assert.deepEqual({ verdict, faults }, { verdict: 'intact', faults: [] });
  }
});

test('a folder elsewhere is a new one and is filled; a folder that is gone is a fault', async () => {
  const node = makeNode();
  await write();
  await signArchive(node);
  const moved = { ...node, checkpointFolder: openCheckpointFolder(join(makeNode().path, 'outside')) };
  await signArchive(moved);
  assert.equal(moved.signals.archive.copies, null);
  assert.equal((await verify(moved)).verdict, 'intact');
  rmSync(join(node.path, 'outside'), { recursive: true });
  await signArchive(node);
  assert.match(node.signals.archive.copies ?? '', /ENOENT/);
  const { verdict, faults } = await verify(node);
  assert.equal(verdict, 'incomplete');
  assert.ok(
    faults.some(({ entry, what }) => entry === join(node.path, 'outside') && /can’t be read: ENOENT/.test(what)),
  );
});
