import type { Deps } from '../../deps.ts';
import * as treeStore from '../../store/archive/archive-tree.ts';
import { findCheckpointId } from '../../store/archive/checkpoint-deliveries.ts';
import { readCheckpoint } from '../examiner/notes.mjs';
import type { CheckpointFolder, KeptLeaf, NoteSigner } from '../ports.ts';
import { requireRunning } from '../shared/signals.ts';
import { ArchiveFault, rememberCopied } from './archive-memory.ts';
import { readLeafHashes } from './archive-tree.ts';
import { checkContinues, checkRemembered, recall } from './continuity.ts';
import { checkCopies, rememberedCopies } from './outside-copies.ts';

type CopyContext = Deps & { signer: NoteSigner; folder: CheckpointFolder };

const leavesMax = 20_000;
const notesMax = 100;

/**
 * Brings the folder up to date. The folder itself says how far it is, so it doesn't matter which node wrote to it last, or
 * whether that write was cut short. A folder that has a different tree, or less than this node left in it, is left as it
 * is: it is evidence.
 */
export async function copyCheckpoints(deps: Deps): Promise<void> {
  const { signer, checkpointFolder: folder } = deps;
  if (!signer || !folder) return;
  await recall(deps);
  await checkCopies(deps);
  const last = await folder.last();
  const newest = await treeStore.findCheckpoint(deps.db);
  deps.signals.archive.copied = last?.size ?? 0;
  if (newest?.note === last?.note) {
    // Another node copied it, or the node was stopped before it could remember.
    if (last && (await rememberedCopies(deps))?.note !== last.note) await rememberFolder(deps, folder);
    return;
  }
  // The tree is read after the folder: everything in the folder was committed by then.
  if (last) await checkContinues(deps, await treeStore.findTree(deps.db), last);
  // Leaves after the last checkpoint are from an interrupted copy: they are written again.
  const from = { size: last?.size ?? 0, checkpointId: last ? await findCheckpointId(deps.db, last) : 0 };
  await appendCheckpoints({ ...deps, signer, folder }, from);
  await rememberFolder(deps, folder);
}

/** Adds everything to the folder again, after what is left there. For an operator who has looked into what happened. */
export async function copyAnew(deps: Deps & { signer: NoteSigner; folder: CheckpointFolder }): Promise<number> {
  // Copies of a tree that this node can't know would vouch for it.
  await recall(deps);
  const tree = await treeStore.findTree(deps.db);
  const remembered = await deps.archiveMemory?.read();
  if (remembered) await checkRemembered(deps, tree, remembered);
  const last = await deps.folder.last();
  if (last) await checkContinues(deps, tree, last);
  await appendCheckpoints(deps, { size: 0, checkpointId: 0 });
  return rememberFolder(deps, deps.folder);
}

async function rememberFolder(deps: Deps, folder: CheckpointFolder): Promise<number> {
  const last = await folder.last();
  if (!last) return 0;
  const { checkpoints, leaves } = await folder.lengths();
  const lengths = { checkpointsBytes: checkpoints ?? 0, leavesBytes: leaves ?? 0 };
  await rememberCopied(deps, { folder: folder.path, note: last.note, ...lengths });
  deps.signals.archive.copied = last.size;
  return last.size;
}

type CopyFrom = { size: number; checkpointId: number };

async function appendCheckpoints(deps: CopyContext, { size, checkpointId }: CopyFrom): Promise<void> {
  for (let [from, after, more] = [size, checkpointId, true]; more; ) {
    requireRunning(deps);
    const rows = await treeStore.listCheckpointsAfter(deps.db, after, notesMax);
    // A checkpoint that this key hasn't signed proves nothing in the folder either; verification reports it.
    const signed = rows.filter((row) => readCheckpoint(row.note, deps.signer.verifier)?.size === row.size);
    const newest = signed.at(-1);
    if (newest) {
      await appendLeaves(deps, { from, to: newest.size });
      await deps.folder.append(
        [],
        signed.map(({ note }) => note),
      );
      from = newest.size;
    }
    after = rows.at(-1)?.checkpointId ?? after;
    more = rows.length === notesMax;
  }
}

type Range = { from: number; to: number };

async function appendLeaves(deps: CopyContext, { from, to }: Range): Promise<void> {
  for (let at = from; at < to; at += leavesMax) {
    requireRunning(deps);
    await deps.folder.append(await leavesOf(deps, { from: at, to: Math.min(to, at + leavesMax) }), []);
  }
}

/** Which entry each leaf is, and its hash, as they were signed: from the runs and tiles, not from the entries. */
async function leavesOf({ db }: Deps, { from, to }: Range): Promise<KeptLeaf[]> {
  const hashOf = await readLeafHashes({ db }, { from, to });
  const leaves: KeptLeaf[] = [];
  // A run has at least one leaf.
  for (const { firstLeaf, advisorId, firstNumber, entries } of await treeStore.listRuns(db, from, to - from))
    for (let leaf = Math.max(from, firstLeaf); leaf < Math.min(to, firstLeaf + entries); leaf += 1) {
      const hash = hashOf(leaf);
      if (!hash) throw new ArchiveFault(`The tree has no hash for leaf ${leaf}.`);
      leaves.push({ leaf, advisorId, number: firstNumber + leaf - firstLeaf, hash });
    }
  if (leaves.length !== to - from) throw new ArchiveFault(`Not all leaves from ${from} to ${to} belong to an entry.`);
  return leaves;
}
