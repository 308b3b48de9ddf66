import { setImmediate as others } from 'node:timers/promises';
import type { StoredLeaf } from '../../../store/archive/archive-tree.ts';
import { entryHash, isBodiless, isCommittedTo } from '../../examiner/entries.mjs';
import { hashBytes } from '../../examiner/tree.mjs';
import type { KeptLeaf } from '../../ports.ts';
import type { DisposalCheck } from '../disposals.ts';
import { type GrowingTree, openTree, type Tile, tileWidth } from '../merkle.ts';
import { altered, type Fault, gone, nameOf } from './faults.ts';

/** The tree as it is recomputed, and the size up to which a checkpoint has confirmed it. */
export type Walk = { tree: GrowingTree; provenSize: number; disposed: number };

/** Leaves from `from` up to but not including `to`, as they are stored and kept; those that exist, in order. */
type LeafPage = {
  from: number;
  to: number;
  entries: StoredLeaf[];
  kept: KeptLeaf[];
  /** Leaves whose body was read by itself and is what they commit to. */
  sound: ReadonlySet<number>;
  hashOf(leaf: number): Buffer | undefined;
  signed: ReadonlyMap<number, { root: Buffer }>;
};

/** What a page shows. A fault at a leaf whose entry is not known yet has the leaf's number instead of a name. */
export type Findings = { faults: (Fault | LeafFault)[]; tiles: Tile[] };
export type LeafFault = Omit<Fault, 'entry'> & { leaf: number };

export function startWalk(): Walk {
  return { tree: openTree(0, []), provenSize: 0, disposed: 0 };
}

/**
 * Recomputes each hash from the stored bytes, compares it with those in the tree and outside, and grows the tree by it. It
 * reads nothing, so the next page can be read in the meantime: it pauses after each tile for that.
 */
export async function walkPage(walk: Walk, page: LeafPage, disposals: DisposalCheck): Promise<Findings> {
  const faults: Findings['faults'] = [];
  let [entryAt, keptAt] = [0, 0];
  let isForged = false;
  for (let leaf = page.from; leaf < page.to; leaf += 1) {
    if (leaf % tileWidth === 0) await others();
    const entry = page.entries[entryAt]?.leaf === leaf ? page.entries[entryAt++] : undefined;
    const kept = page.kept[keptAt]?.leaf === leaf ? page.kept[keptAt++] : undefined;
    const stored = page.hashOf(leaf);
    const hash = entry && entryHash(entry);
    if (!entry || !hash)
      faults.push(kept ? gone(nameOf(kept), removed) : { verdict: 'incomplete', leaf, what: removed });
    else {
      if (!stored?.equals(hash) || (kept && !kept.hash.equals(hash))) faults.push(hashFault(entry, hash, kept, page));
      const fault = bodyFault(entry, page, disposals, walk);
      if (fault) faults.push(fault);
    }
    // If the entry is gone, the tree continues with the hash it had, so the entries after it can still be checked.
    walk.tree.add(hash ?? kept?.hash ?? stored ?? noHash);
    const root = page.signed.get(leaf + 1)?.root;
    if (root && !isForged) isForged = !isProven(walk, root, faults);
  }
  const tiles = walk.tree.takeFullTiles();
  return { faults, tiles: faults.length > 0 ? [] : tiles };
}

const removed = 'it was removed';
const noHash = Buffer.alloc(hashBytes);

function isProven(walk: Walk, root: Buffer, faults: Findings['faults']): boolean {
  const size = walk.tree.size();
  const isSame = walk.tree.root().equals(root);
  if (isSame) walk.provenSize = size;
  // A fault that is already reported explains it; otherwise the hashes were made to fit, and one of these is false.
  else if (faults.length === 0) faults.push(forged(walk.provenSize, size));
  return isSame;
}

export function forged(from: number, to: number): LeafFault {
  const what = `it, or one of the ${to - from - 1} after it, is not what the checkpoint of ${to} entries was signed for`;
  return { verdict: 'altered', leaf: from, what };
}

function hashFault(entry: StoredLeaf, hash: Buffer, kept: KeptLeaf | undefined, { from, to, hashOf }: LeafPage): Fault {
  if (kept?.hash.equals(hash)) return altered(nameOf(entry), 'its hash in the tree was altered');
  if (hashOf(entry.leaf)?.equals(hash)) return altered(nameOf(entry), 'it was altered, or its copy outside was');
  for (let leaf = from; leaf < to; leaf += 1)
    if (leaf !== entry.leaf && hashOf(leaf)?.equals(hash))
      return altered(nameOf(entry), `it was moved here from leaf ${leaf}`);
  return altered(nameOf(entry), 'it was altered');
}

function bodyFault(entry: StoredLeaf, { sound }: LeafPage, disposals: DisposalCheck, walk: Walk): Fault | null {
  const { salt, body } = entry;
  const isSound = salt && (body ? isCommittedTo(entry, salt, body) : sound.has(entry.leaf));
  if (salt) return isSound ? null : altered(nameOf(entry), 'its body was altered');
  if (isBodiless(entry)) return null;
  const fault = disposals.faultOf(entry);
  if (fault !== null) return gone(nameOf(entry), fault);
  walk.disposed += 1;
  return null;
}
