import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { openCheckpointFolder } from '../../src/adapters/checkpoints/folder.ts';
import { openArchiveMemory } from '../../src/adapters/files/keys/archive-memory.ts';
import type { Deps } from '../../src/deps.ts';
import { addStaff } from '../../src/domain/accounts/staff.ts';
import { archive, byPerson } from '../../src/domain/archive/archive.ts';
import { checkpointIn } from '../../src/domain/archive/archive-memory.ts';
import { archiveStatus, verifyAgainstCopies } from '../../src/domain/archive/archive-status.ts';
import { ArchiveFault, growTree } from '../../src/domain/archive/archive-tree.ts';
import { copyAnew, copyCheckpoints } from '../../src/domain/archive/checkpoint-copies.ts';
import { ForgottenFault } from '../../src/domain/archive/continuity.ts';
import { CopiesFault } from '../../src/domain/archive/outside-copies.ts';
import { makeNoteSigner, makeSigningKey } from '../../src/domain/archive/signed-notes.ts';
import { signArchive } from '../../src/domain/archive/signing.ts';
import type { ArchiveMemoryState, CheckpointFolder } from '../../src/domain/ports.ts';
import { trustTree } from '../../src/domain/record-keeping/archive-trust.ts';
import { makeSignals } from '../../src/domain/shared/signals.ts';
import * as store from '../../src/store/archive/archive-tree.ts';
import { makeWorld } from '../support/world.ts';
import { signer } from './small-archive.ts';

const world = await makeWorld({ dispatch: false });
const folders: string[] = [];
after(async () => {
  await world.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

type Node = Deps & { path: string; file: string };

/** A node with its own key file and its own folder for copies. It also reads the copies of others. */
function makeNode(path = mkdtempSync(join(tmpdir(), 'assent-node-')), others: CheckpointFolder[] = []): Node {
  folders.push(path);
  mkdirSync(join(path, 'outside'), { recursive: true });
  const file = join(path, 'archive.key.signed');
  const checkpointFolder = openCheckpointFolder(join(path, 'outside'));
  return {
    ...world.deps,
    signals: makeSignals(),
    signer,
    checkpointFolder,
    archiveMemory: openArchiveMemory(file, [checkpointFolder, ...others]),
    path,
    file,
  };
}

/** Somebody who copies everything, and from whose copies new nodes learn what was signed. */
const keeper = { ...makeNode(), archiveMemory: null };

async function joiningNode(): Promise<Node> {
  await copyCheckpoints(keeper);
  return makeNode(undefined, [keeper.checkpointFolder as CheckpointFolder]);
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
const verify = (deps: Deps) =>
  verifyAgainstCopies(deps, { verifiers: [signer.verifier], notes: null, progress: () => {} });

test('a crash before the first checkpoint is remembered is not taken for a memory that was lost', async () => {
  const node = makeNode();
  const { archiveMemory } = node;
  assert.ok(archiveMemory);
  const crashing = {
    ...archiveMemory,
    write: (each: ArchiveMemoryState) =>
      checkpointIn(each.note).size > 0 ? Promise.reject(new Error('crashed')) : archiveMemory.write(each),
  };
  await write();
  assert.ok(((await growTree({ ...node, archiveMemory: crashing })) ?? 0) > 0);
  assert.equal(sizeIn(node.file), 0);
  await write();
  const restarted = makeNode(node.path);
  assert.equal(await growTree(restarted), 1);
  assert.equal(sizeIn(node.file), await sizeNow());
});

test('a node remembers the largest tree beside its key, and an unchanged tree costs no write', async () => {
  const node = await joiningNode();
  await write();
  await signArchive(node);
  assert.equal(sizeIn(node.file), await sizeNow());
  assert.equal(statSync(node.file).mode & 0o777, 0o600);
  const { mtimeMs, ino } = statSync(node.file);
  await signArchive(node);
  assert.deepEqual([statSync(node.file).mtimeMs, statSync(node.file).ino], [mtimeMs, ino]);
});

test('a memory that is behind, after a crash or because other nodes signed, is brought up to date', async () => {
  const node = await joiningNode();
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
  await growTree(await joiningNode());
  await growTree(restarted);
  assert.equal(sizeIn(node.file), await sizeNow());
});

test('a memory of a different tree stops the signing', async () => {
  const node = await joiningNode();
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

test('a memory that somebody wrote into stops the signing, and the status names its file', async () => {
  const node = await joiningNode();
  await write();
  await growTree(node);
  writeFileSync(node.file, '{"since": ');
  const restarted = makeNode(node.path);
  await write();
  await assert.rejects(growTree(restarted), ArchiveFault);
  assert.equal((await archiveStatus(restarted)).memoryFault, `${node.file}: it is not as this node wrote it.`);
});

test('a new node of an existing deployment takes what was signed from the copies of others, and signs', async () => {
  const before = await sizeNow();
  const node = await joiningNode();
  await write();
  await growTree(node);
  assert.equal(node.signals.archive.rememberedSince, before);
  assert.equal(JSON.parse(readFileSync(node.file, 'utf8')).since, before);
});

test('a file that can’t be written doesn’t stop the signing, is reported, and is written once it can be', async () => {
  const node = await joiningNode();
  const elsewhere = join(node.path, 'missing', 'archive.key.signed');
  const deps = { ...node, archiveMemory: openArchiveMemory(elsewhere, node.archiveMemory?.copies ?? []) };
  await write();
  assert.ok(((await growTree(deps)) ?? 0) > 0);
  assert.match(deps.signals.archive.memory ?? '', /archive\.key\.signed can’t be written: ENOENT/);
  mkdirSync(join(node.path, 'missing'));
  await growTree(deps);
  assert.equal(deps.signals.archive.memory, null);
  assert.equal(sizeIn(elsewhere), await sizeNow());
});

test('a tile that is missing is a fault, not an error to retry', async () => {
  const node = await joiningNode();
  await write();
  await growTree(node);
  await write();
  await growTree(await joiningNode());
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
    const node = await joiningNode();
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
  const node = await joiningNode();
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
  const { keptOutside, copiesFault } = await archiveStatus(node);
  assert.equal(keptOutside, null);
  assert.match(copiesFault ?? '', /outside can’t be read: ENOENT/);
});

suite('a node whose memory is gone', () => {
  /** It has signed and copied, and then it starts again without its file. */
  async function forgetfulNode(damage: (node: Node) => void = () => {}): Promise<Node> {
    const node = await joiningNode();
    await write();
    await signArchive(node);
    rmSync(node.file);
    damage(node);
    // Copies that come later would have come by now.
    await world.database.asOwner(
      `alter table archive_checkpoints disable trigger append_only;
       update archive_checkpoints set date_time_created = date_time_created - interval '1 minute';
       alter table archive_checkpoints enable always trigger append_only`,
    );
    return makeNode(node.path);
  }
  const copyOf = ({ path }: Node, file: string) => join(path, 'outside', file);
  const noCopies = (node: Node) => rmSync(copyOf(node, 'checkpoints'));

  test('takes it from copies that reach the tree, and verification names it until then', async () => {
    const node = await forgetfulNode();
    const { verdict, faults } = await verify(node);
    assert.equal(verdict, 'incomplete');
    assert.deepEqual(
      faults.map(({ entry }) => entry),
      [node.file],
    );
    await write();
    await signArchive(node);
    assert.equal(node.signals.archive.signing, null);
    assert.equal(sizeIn(node.file), await sizeNow());
    assert.equal((await verify(node)).verdict, 'intact');
  });

  const ways: [string, (node: Node) => void][] = [
    ['there are none', noCopies],
    [
      'they end before the tree does',
      (node) => {
        const notes = readFileSync(copyOf(node, 'checkpoints'), 'utf8').split(/(?<==\n)\n/);
        writeFileSync(copyOf(node, 'checkpoints'), notes.slice(0, -2).join('\n'));
      },
    ],
  ];
  for (const [how, damage] of ways)
    test(`can’t tell what was signed if ${how}: it signs and copies nothing, and says so`, async () => {
      const node = await forgetfulNode(damage);
      const before = await sizeNow();
      await write();
      await assert.rejects(growTree(node), ForgottenFault);
      await assert.rejects(copyCheckpoints(node), ForgottenFault);
      await signArchive(node);
      assert.match(node.signals.archive.signing ?? '', /they can’t tell what was signed/);
      assert.equal(await sizeNow(), before);
      assert.equal((await store.findTree(world.deps.db)).fault, null, 'nodes that know may go on');
      assert.match((await archiveStatus(node)).memoryFault ?? '', /they can’t tell what was signed/);
      const { verdict, faults } = await verify(node);
      assert.equal(verdict, 'unknown');
      assert.ok(faults.some(({ entry, what }) => entry === node.file && /can’t tell what was signed/.test(what)));
      assert.ok(((await growTree(await joiningNode())) ?? 0) > 0, 'a node that can tell signs');
    });

  test('can’t tell either if a checkpoint that was delivered is not among the copies', async () => {
    const node = await forgetfulNode();
    await world.database.asOwner(
      `set session_replication_role = replica;
       insert into archive_deliveries values (999999, now());
       set session_replication_role = origin`,
    );
    await assert.rejects(growTree(node), ForgottenFault);
    await world.database.asOwner(
      `alter table archive_deliveries disable trigger append_only;
       delete from archive_deliveries where checkpoint_id = 999999;
       alter table archive_deliveries enable always trigger append_only`,
    );
    assert.equal(await growTree(node), 0);
  });

  test('waits for a copy that another node is about to make', async () => {
    const node = await joiningNode();
    await write();
    await growTree(await joiningNode());
    const growing = growTree(node);
    await copyCheckpoints(keeper);
    assert.equal(await growing, 0);
    assert.equal(sizeIn(node.file), await sizeNow());
  });

  test('signs again once somebody confirms the tree, which is archived with who, why, size and root', async () => {
    const { firmId } = world.ann.advisor;
    const staff = await addStaff(world.deps, { firmId, name: 'Dana', email: 'dana@example.com' });
    const node = await forgetfulNode(noCopies);
    const { size, root } = await store.findTree(world.deps.db);
    await assert.rejects(trustTree(node, { reason: ' ', staff }), /A reason is needed/);
    await trustTree(node, { reason: 'The disk was replaced.', staff });
    const [entry] = await world.database.asOwner<{ actor: string; meta: string; body: string }>(
      `select actor, meta, convert_from(body, 'UTF8') as body
       from archive_entries join archive_bodies using (advisor_id, number)
       where meta like '%archive trusted%'`,
    );
    assert.equal(entry?.actor, `staff:${staff.staffId}`);
    const of = { size, root: root.toString('base64'), via: 'command' };
    assert.deepEqual(JSON.parse(entry?.meta ?? ''), { what: 'archive trusted', ...of });
    assert.equal(JSON.parse(entry?.body ?? '').reason, 'The disk was replaced.');
    await signArchive(node);
    assert.deepEqual([node.signals.archive.signing, node.signals.archive.copies], [null, null]);
    assert.equal(sizeIn(node.file), await sizeNow());
    assert.equal((await verify(node)).verdict, 'intact');
    await assert.rejects(trustTree(node, { reason: 'Again.', staff }), /there is nothing to confirm/);
  });

  test('is not overruled where copies have another tree', async () => {
    const staff = await addStaff(world.deps, {
      firmId: world.ann.advisor.firmId,
      name: 'Eve',
      email: 'eve@example.com',
    });
    const note = signer.sign(`${signer.verifier.name}\n2\n${randomBytes(32).toString('base64')}\n`);
    const node = await forgetfulNode((each) => writeFileSync(copyOf(each, 'checkpoints'), `${note}\n`));
    const trusting = trustTree(node, { reason: 'I am sure.', staff });
    await assert.rejects(trusting, /doesn’t begin with the 2 entries of the copied checkpoint/);
  });
});

test('a node with a different key or name signs nothing, with a memory or without, until somebody confirms it', async () => {
  const config = { ...world.deps.config, environment: 'production' as const };
  const own = { ...(await joiningNode()), config };
  await write();
  await signArchive(own);
  const strangers = [
    makeNoteSigner(signer.verifier.name, makeSigningKey()),
    makeNoteSigner('renamed.example/archive', makeSigningKey()),
  ];
  for (const stranger of strangers) {
    const renewed = { ...makeNode(own.path), config, signer: stranger };
    for (const node of [renewed, { ...(await joiningNode()), config, signer: stranger }]) {
      const before = await sizeNow();
      await write();
      await signArchive(node);
      assert.match(
        node.signals.archive.signing ?? '',
        /signed as test\.example\/archive, with a different key or name/,
      );
      assert.equal(await sizeNow(), before);
      assert.match((await archiveStatus(node)).memoryFault ?? '', /Give it the same ARCHIVE_KEY_FILE and ARCHIVE_NAME/);
      assert.ok(((await growTree(own)) ?? 0) > 0, 'the node with the key goes on');
      await copyCheckpoints(keeper);
    }
  }
  const { firmId } = world.ann.advisor;
  const staff = await addStaff(world.deps, { firmId, name: 'Kim', email: 'kim@example.com' });
  const [successor] = strangers;
  assert.ok(successor);
  const heir = { ...(await joiningNode()), config, signer: successor };
  await trustTree(heir, { reason: 'The key was lost.', staff });
  assert.ok(((await growTree(heir)) ?? 0) > 0);
});
