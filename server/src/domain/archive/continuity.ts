import { setTimeout as pause } from 'node:timers/promises';
import type { Deps } from '../../deps.ts';
import type { TreeRow } from '../../store/archive/archive-tree.ts';
import * as store from '../../store/archive/archive-tree.ts';
import { findLastDelivery } from '../../store/archive/checkpoint-deliveries.ts';
import { readCheckpoint } from '../examiner/notes.mjs';
import type { ArchiveMemory, ArchiveMemoryState, KeptCheckpoint, NoteSigner } from '../ports.ts';
import { requireRunning } from '../shared/signals.ts';
import { ArchiveFault, checkpointIn, remember } from './archive-memory.ts';
import { hashesOf, rootOf, tileName, tilesNeeded } from './merkle.ts';

/** This node doesn't know what was signed. The tree may be right, and nodes that know may sign it. */
export class ForgottenFault extends ArchiveFault {}

/** Another node copies each checkpoint right after it is committed. */
const copiesFollowMs = 3_000;
const pollMs = 100;

/**
 * A node that has no memory takes it from the copies outside, if they reach the tree's size and agree with it. Otherwise
 * nothing says that this tree is the largest that was signed: somebody may have put an earlier one in its place, and removed
 * the memory so that it doesn't show.
 */
export async function recall(deps: Deps): Promise<void> {
  const recalled = await findRecalled(deps);
  if (recalled) await remember(deps, recalled);
}

/** Why this node can't know what was signed; null if it does, or could take it from the copies. */
export async function findForgotten(deps: Deps): Promise<string | null> {
  try {
    await findRecalled(deps);
  } catch (error) {
    if (error instanceof ForgottenFault) return error.message;
    // Copies that contradict the tree are reported as that.
    if (!(error instanceof ArchiveFault)) throw error;
  }
  return null;
}

/** What a node without a memory can take for it; null if it has one, or signs nothing. */
async function findRecalled(deps: Deps): Promise<ArchiveMemoryState | null> {
  const { archiveMemory: memory, signer } = deps;
  if (!memory || !signer) return null;
  const remembered = await memory.read();
  if (remembered) {
    requireOwnKey(deps, signer, remembered);
    return null;
  }
  // Written before the first checkpoint: after a crash in between, it is not taken for a memory that was lost.
  if (await isNew(deps, signer)) return memoryOf(signer, { size: 0, root: rootOf([]) });
  await checkReached(deps, memory);
  const largest = await checkCopies(deps);
  if (!largest)
    throw new ForgottenFault(
      `This node’s memory of what was signed is missing, and so are the copies outside. ${once}`,
    );
  requireOwnKey(deps, signer, largest);
  return { since: largest.size, note: largest.note, copied: null };
}

/**
 * Throws if the archive was signed with a different key, or under a different name: who verifies it with one public key would find
 * what the other has signed altered, and no checkpoint can be taken back. A sandbox may get a new key and a new address.
 */
function requireOwnKey({ config }: Deps, { verifier, publicKey }: NoteSigner, { note }: { note: string }): void {
  if (config.environment === 'sandbox' || readCheckpoint(note, verifier)) return;
  const [name] = note.split('\n', 1);
  throw new ForgottenFault(
    `The archive was signed as ${name}, with a different key or name than this node’s, ${publicKey}: it signs nothing. Give it the same ARCHIVE_KEY_FILE and ARCHIVE_NAME. If that key is lost for good, assent archive trust lets it sign with its own.`,
  );
}

/** Nothing was ever signed; or it is a sandbox with a new key, whose folder was removed while its database was not. */
async function isNew({ db, config }: Deps, { verifier }: NoteSigner): Promise<boolean> {
  const newest = await store.findCheckpoint(db);
  if (!newest) return (await findLastDelivery(db)) === null;
  return config.environment === 'sandbox' && !readCheckpoint(newest.note, verifier);
}

/** A memory that begins with this tree. It says no time: nobody knows when the tree was signed. */
export function memoryOf(
  { verifier, sign }: NoteSigner,
  { size, root }: Pick<TreeRow, 'size' | 'root'>,
): ArchiveMemoryState {
  return { since: size, note: sign(`${verifier.name}\n${size}\n${root.toString('base64')}\n`), copied: null };
}

/** Throws unless some copies have the tree's size. They are read before the tree: everything in them was committed by then. */
async function checkReached(deps: Deps, { copies }: ArchiveMemory): Promise<void> {
  for (;;) {
    requireRunning(deps);
    const lasts = await Promise.all(copies.map(({ last }) => last().catch(() => null)));
    const reached = Math.max(0, ...lasts.map((last) => last?.size ?? 0));
    const { size } = await store.findTree(deps.db);
    const newest = await store.findCheckpoint(deps.db);
    const delivered = await findLastDelivery(deps.db);
    const isCopied = !delivered || (delivered.size !== null && delivered.size <= reached);
    if (reached >= size && isCopied) return;
    const signedMs = newest?.dateTimeCreated.getTime() ?? 0;
    if (copies.length === 0 || signedMs <= deps.databaseClock.now().getTime() - copiesFollowMs)
      throw new ForgottenFault(
        `This node’s memory is missing, and the copies outside cover ${reached} entries of ${size}: they can’t tell what was signed. ${once}`,
      );
    await pause(pollMs);
  }
}

const once = 'Once you know why, assent archive trust lets this node sign again.';

/**
 * The largest checkpoint among all copies; null if there is none. Throws unless the tree begins with it. All are read, since
 * somebody who can only append may have added an earlier one at the end.
 */
export async function checkCopies(deps: Deps): Promise<KeptCheckpoint | null> {
  let largest: KeptCheckpoint | null = null;
  for (const copies of deps.archiveMemory?.copies ?? []) {
    const found = await largestOf(copies.notes()).catch(() => null);
    if (!found) continue;
    await checkContinues(deps, await store.findTree(deps.db), found);
    if (found.size >= (largest?.size ?? 0)) largest = found;
  }
  return largest;
}

async function largestOf(notes: AsyncIterable<string>): Promise<KeptCheckpoint | null> {
  let largest: KeptCheckpoint | null = null;
  for await (const note of notes) {
    const size = Number(note.split('\n', 2)[1]);
    if (size >= (largest?.size ?? 0)) largest = { ...checkpointIn(note), note };
  }
  return largest;
}

/** Throws unless the tree begins with the largest one that this node has signed, or seen signed with its key. */
export async function checkRemembered(deps: Deps, tree: TreeSize, { note }: ArchiveMemoryState): Promise<void> {
  const { size, root } = checkpointIn(note);
  if (size > tree.size)
    throw new ArchiveFault(`This node remembers a signed tree of ${size} entries, but the tree has ${tree.size}.`);
  if (!(await rootAt(deps, size)).equals(root))
    throw new ArchiveFault(`The tree doesn’t begin with the ${size} entries that this node remembers as signed.`);
}

type TreeSize = Pick<TreeRow, 'size'>;

export async function checkContinues(deps: Deps, tree: TreeSize, copy: { size: number; root: Buffer }): Promise<void> {
  if (copy.size > tree.size)
    throw new ArchiveFault(`There is a copy of a checkpoint of ${copy.size} entries, but the tree has ${tree.size}.`);
  if (!(await rootAt(deps, copy.size)).equals(copy.root))
    throw new ArchiveFault(`The tree doesn’t begin with the ${copy.size} entries of the copied checkpoint.`);
}

export async function rootAt(deps: Deps, size: number): Promise<Buffer> {
  if (size === 0) return rootOf([]);
  const whole = [{ from: 0, to: size }];
  const tiles = await store.listTiles(deps.db, tilesNeeded(whole));
  try {
    const [root] = hashesOf(whole, new Map(tiles.map((tile) => [tileName(tile), tile.hashes])));
    return root as Buffer;
  } catch (cause) {
    throw new ArchiveFault(`The tree’s hashes don’t reach up to ${size} entries.`, { cause });
  }
}
