import type { Deps } from '../../deps.ts';
import { findLeaf, listCheckpointsBySize, listStoredLeaves, listTiles } from '../../store/archive/archive-tree.ts';
import { entryHash, isCommittedTo } from '../examiner/entries.mjs';
import { Inclusion } from '../examiner/tree.mjs';
import { checkpointIn } from './archive-memory.ts';
import { consistencyRanges, hashesOf, inclusionRanges, tileName, tilesNeeded } from './merkle.ts';

export type Prover = ReturnType<typeof makeProver>;

type Range = ReturnType<typeof inclusionRanges>[number];

/** They are 8 kB each. */
const tilesMax = 4_096;
const tilesPage = 1_000;

export function makeProver({ db }: Pick<Deps, 'db'>, size: number) {
  const tiles = new Map<string, Buffer>();

  async function readTiles(ranges: Range[]): Promise<void> {
    if (tiles.size > tilesMax) tiles.clear();
    const missing = tilesNeeded(ranges).filter((tile) => !tiles.has(tileName(tile)));
    for (let at = 0; at < missing.length; at += tilesPage)
      for (const tile of await listTiles(db, missing.slice(at, at + tilesPage))) tiles.set(tileName(tile), tile.hashes);
  }

  /** Leaves that are close together share most ranges: each range is hashed once. */
  async function prove(proofs: Range[][]): Promise<Buffer[][]> {
    const ranges = new Map(proofs.flat().map((range) => [keyOf(range), range]));
    await readTiles([...ranges.values()]);
    const hashes = new Map([...ranges].map(([key, range]) => [key, hashesOf([range], tiles)[0] as Buffer]));
    return proofs.map((proof) => proof.map((range) => hashes.get(keyOf(range)) as Buffer));
  }

  return {
    /** That these leaves are in it: for each, the hashes that lead from it to the root. */
    inclusion: (leaves: number[]) => prove(leaves.map((leaf) => inclusionRanges(leaf, size))),
    /** That it begins with each of these smaller trees. */
    consistency: (sizes: number[]) => prove(sizes.map((older) => consistencyRanges(older, size))),
  };
}

/** The first checkpoint with an entry, and whether the entry that is stored is the one that was signed; null until it is signed. */
type EntryProof = { isIntact: boolean; size: number; root: string; signedAt: Date } | null;

/** Computed from what is stored, as an examiner does, except that the signature is not checked. */
export async function proveEntry(
  { db }: Pick<Deps, 'db'>,
  { advisorId, number }: { advisorId: number; number: number },
): Promise<EntryProof> {
  const leaf = await findLeaf(db, advisorId, number);
  if (leaf === null) return null;
  const [checkpoint] = await listCheckpointsBySize(db, { size: leaf, checkpointId: Number.MAX_SAFE_INTEGER }, 1);
  if (!checkpoint) return null;
  const { size, root } = checkpointIn(checkpoint.note);
  const [entry] = await listStoredLeaves(db, leaf, leaf + 1);
  const [path = []] = await makeProver({ db }, size).inclusion([leaf]);
  const proof = path.map((hash) => hash.toString('base64'));
  const isIntact =
    entry !== undefined &&
    new Inclusion({ size, root }).has(entryHash(entry), leaf, proof) &&
    (!entry.body || (entry.salt !== null && isCommittedTo(entry, entry.salt, entry.body)));
  return { isIntact, size, root: root.toString('base64'), signedAt: checkpoint.dateTimeCreated };
}

function keyOf({ from, to }: Range): string {
  return `${from}-${to}`;
}
