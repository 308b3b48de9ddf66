import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { archive, byPerson } from '../../src/domain/archive/archive.ts';
import { ArchiveFault, growTree } from '../../src/domain/archive/archive-tree.ts';
import { readCheckpoint } from '../../src/domain/examiner/notes.mjs';
import type { CheckpointFolder } from '../../src/domain/ports.ts';
import * as store from '../../src/store/archive/archive-tree.ts';
import { makeWorld } from '../support/world.ts';
import { signer } from './small-archive.ts';

const world = await makeWorld();
const { ann, bob, database } = world;
const deps = { ...world.deps, signer, checkpointFolder: null };
after(() => world.close());

async function write(advisorId: number, count: number): Promise<void> {
  for (let each = 0; each < count; each += 1)
    await archive(deps, byPerson, { advisorId, kind: 'text_in', memberId: null, meta: {}, body: `Text ${each}` });
}

async function lastCheckpoint() {
  const row = await store.findCheckpoint(deps.db);
  const checkpoint = row && readCheckpoint(row.note, signer.verifier);
  assert.ok(checkpoint);
  return checkpoint;
}

test('committed entries are added to the tree, and the tree is signed', async () => {
  while ((await growTree(deps)) !== 0);
  const before = await lastCheckpoint();
  await write(ann.advisor.advisorId, 3);
  await write(bob.advisor.advisorId, 2);
  assert.equal(await growTree(deps), 5);
  const checkpoint = await lastCheckpoint();
  assert.equal(checkpoint.size, before.size + 5);
  assert.notDeepEqual(checkpoint.root, before.root);
  assert.equal(await growTree(deps), 0);
  assert.equal((await lastCheckpoint()).note, checkpoint.note, 'nothing new, nothing signed');
});

test('an idle tree is signed again after a while, so missing checkpoints are a sign of trouble', async () => {
  const before = await lastCheckpoint();
  await database.asOwner('alter table archive_checkpoints disable trigger user');
  await database.asOwner("update archive_checkpoints set date_time_created = now() - interval '6 minutes'");
  await database.asOwner('alter table archive_checkpoints enable trigger user');
  assert.equal(await growTree(deps), 0);
  const after = await lastCheckpoint();
  assert.equal(after.size, before.size);
  assert.deepEqual(after.root, before.root);
  assert.notEqual(after.note, before.note);
});

test('concurrent nodes add each entry once', async () => {
  const { size } = await store.findTree(deps.db);
  const writing = [ann, bob].map(({ advisor }) => write(advisor.advisorId, 40));
  let done = false;
  const grow = async () => {
    while (!done) await growTree(deps);
  };
  const growing = [grow(), grow(), grow()];
  await Promise.all(writing);
  done = true;
  await Promise.all(growing);
  while ((await growTree(deps)) !== 0);
  assert.equal((await store.findTree(deps.db)).size, size + 80);
});

test('a tree that is not the one that was signed is not signed again, and says why', async () => {
  await database.asOwner(
    'update archive_tiles set hashes = set_byte(hashes, 0, get_byte(hashes, 0) # 1) where level = 0',
  );
  await write(ann.advisor.advisorId, 1);
  await assert.rejects(growTree(deps), ArchiveFault);
  assert.match((await store.findTree(deps.db)).fault ?? '', /root of the tree/);
  await database.asOwner(
    'update archive_tiles set hashes = set_byte(hashes, 0, get_byte(hashes, 0) # 1) where level = 0',
  );
  assert.equal(await growTree(deps), 1);
  assert.equal((await store.findTree(deps.db)).fault, null);
});

test('an entry that was removed before it was signed is named', async () => {
  await write(bob.advisor.advisorId, 3);
  await database.asOwner('alter table archive_entries disable trigger user');
  const [row] = await database.asOwner<{ number: number }>(
    'delete from archive_entries where advisor_id = $1 and number = (select max(number) - 1 from archive_entries where advisor_id = $1) returning number::integer',
    [bob.advisor.advisorId],
  );
  await assert.rejects(
    growTree(deps),
    new RegExp(`Entry ${row?.number} of advisor ${bob.advisor.advisorId} is missing`),
  );
});

test('a copied checkpoint with which the tree doesn’t begin stops the signing', async () => {
  const own = await makeWorld({ dispatch: false });
  const there = { ...own.deps, signer };
  await archive(there, byPerson, {
    advisorId: own.ann.advisor.advisorId,
    kind: 'text_in',
    memberId: null,
    meta: {},
    body: 'x',
  });
  const { size, root } = { size: 1_000, root: Buffer.alloc(32) };
  await assert.rejects(
    growTree({ ...there, checkpointFolder: endingIn({ size, root }) }),
    /a checkpoint of 1000 entries/,
  );
  assert.ok(((await growTree({ ...there, checkpointFolder: null })) ?? 0) > 0);
  await assert.rejects(growTree({ ...there, checkpointFolder: endingIn({ size: 1, root }) }), /doesn’t begin with/);
  await own.close();
});

/** A folder of copies, as far as the tree looks at it. */
function endingIn(last: { size: number; root: Buffer }): CheckpointFolder {
  return { last: async () => ({ ...last, note: '' }) } as unknown as CheckpointFolder;
}
