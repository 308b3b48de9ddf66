import type { Deps } from '../../deps.ts';
import {
  type Checkpoint,
  entryBytes,
  hashBytes,
  isBodiless,
  isCommittedTo,
  leafHash,
  readCheckpoint,
  type Verifier,
} from '../../examiner/verify.mjs';
import type { BookRow, StoredLeaf } from '../../store/archive/archive-tree.ts';
import * as store from '../../store/archive/archive-tree.ts';
import { readLeafHashes } from './archive-tree.ts';
import { type EntryTimes, entryTimes } from './comparisons/entry-times.ts';
import { compareTables } from './comparisons/tables.ts';
import { type DisposalJudge, readDisposals } from './disposals.ts';
import { append, type Edge, rootOf, type Tile, tileName, tileWidth } from './merkle.ts';
import { altered, type Fault, faultsMax, gone, nameOf } from './verification-faults.ts';

/** Intact; something was altered, inserted or moved; something is missing; or there is nothing to compare with. */
export type Verdict = 'intact' | 'altered' | 'incomplete' | 'unknown';

export type Verification = {
  verdict: Verdict;
  /** The first ones, in order. */
  faults: Fault[];
  size: number;
  checkpoints: number;
  /** Entries that no checkpoint covers yet. */
  pending: number;
  disposed: number;
};

/** Copies outside the database: signed checkpoints, and which entry each leaf was, with its hash. */
export type Kept = {
  checkpoints: Checkpoint[];
  leaves(from: number, to: number): Promise<KeptLeaf[]>;
  /** Finds what should be outside and isn't, given the database's checkpoints. Called after all leaves were read. */
  compare?(signed: Checkpoint[]): Fault[];
};
export type KeptLeaf = { leaf: number; advisorId: number; number: number; hash: Buffer };

type Asked = { verifiers: Verifier[]; kept: Kept | null; progress(done: number, total: number): void };
/** The tree as it is recomputed, and the size up to which a checkpoint has confirmed it. */
type Walk = { edge: Edge; size: number; provenSize: number; disposed: number };
type Evidence = { roots: Map<number, Buffer>; disposals: DisposalJudge; kept: Kept | null; times: EntryTimes };

// Whole tiles, so a page is compared with whole rows.
const pageLeaves = 40 * tileWidth;
const checkpointsPage = 5_000;

/** Recomputes everything from the stored bytes, and compares it with everything that was signed, and the tables with it. */
export async function verifyArchive(deps: Deps, { verifiers, kept, progress }: Asked): Promise<Verification> {
  const { size } = await store.findTree(deps.db);
  const faults: Fault[] = [];
  const signed = await readCheckpoints(deps, verifiers, faults);
  const checkpoints = [...signed, ...(kept?.checkpoints ?? [])];
  const times = entryTimes(checkpoints, { isAhead: deps.config.environment === 'sandbox' });
  const disposals = await readDisposals(deps, checkpoints);
  const evidence = { roots: rootsOf(checkpoints, faults), disposals, kept, times };
  const walk: Walk = { edge: [], size: 0, provenSize: 0, disposed: 0 };
  for (let from = 0; from < size && faults.length < faultsMax; from += pageLeaves) {
    const to = Math.min(size, from + pageLeaves);
    faults.push(...(await walkPage(deps, evidence, walk, { from, to })));
    progress(to, size);
  }
  if (faults.length === 0) faults.push(...(await tileFaults(deps, edgeTiles(walk))));
  faults.push(...(await lost(size, checkpoints, kept)), ...unsigned(size, signed), ...(kept?.compare?.(signed) ?? []));
  const { pending, odd } = await compareBooks(deps);
  faults.push(...odd);
  // Only entries that are as they were signed say what the tables should be.
  if (faults.length === 0) faults.push(...(await compareTables(deps)));
  const verdict = verdictOf(faults, checkpoints, size);
  return {
    verdict,
    faults: faults.slice(0, faultsMax),
    size,
    checkpoints: signed.length,
    pending,
    disposed: walk.disposed,
  };
}

/** The database's checkpoints that are signed with one of the keys; any other is a fault. */
async function readCheckpoints({ db }: Deps, verifiers: Verifier[], faults: Fault[]): Promise<Checkpoint[]> {
  const read: Checkpoint[] = [];
  for (let after = 0; ; ) {
    const rows = await store.listCheckpointsAfter(db, after, checkpointsPage);
    for (const { checkpointId, size, note } of rows) {
      const checkpoint = verifiers.map((each) => readCheckpoint(note, each)).find(Boolean);
      if (checkpoint && checkpoint.size === size) read.push(checkpoint);
      else faults.push(altered(`checkpoint ${checkpointId}`, 'none of the keys has signed it as it is'));
    }
    after = rows.at(-1)?.checkpointId ?? after;
    if (rows.length < checkpointsPage) return read;
  }
}

/** The root at each signed size. Two roots for one size are a fork, which only somebody with the key can make. */
function rootsOf(checkpoints: Checkpoint[], faults: Fault[]): Map<number, Buffer> {
  const roots = new Map<number, Buffer>();
  for (const { size, root } of checkpoints) {
    const other = roots.get(size);
    if (other && !other.equals(root)) faults.push(altered(`the tree of ${size} entries`, 'was signed with two roots'));
    else roots.set(size, root);
  }
  return roots;
}

async function walkPage(
  deps: Deps,
  evidence: Evidence,
  walk: Walk,
  page: { from: number; to: number },
): Promise<Fault[]> {
  const { from, to } = page;
  const stored = new Map((await store.listStoredLeaves(deps.db, from, to)).map((entry) => [entry.leaf, entry]));
  const hashes = await storedHashes(deps, from, to);
  const kept = new Map((await evidence.kept?.leaves(from, to))?.map((each) => [each.leaf, each]));
  const faults: Fault[] = [];
  const leaves: Buffer[] = [];
  for (let leaf = from; leaf < to; leaf += 1) {
    const entry = stored.get(leaf);
    const hash = entry && leafHash(entryBytes(entry));
    // If the entry is gone, the tree continues with the hash it had, so the entries after it can still be checked.
    leaves.push(hash ?? kept.get(leaf)?.hash ?? hashes[leaf - from] ?? Buffer.alloc(hashBytes));
    if (!entry) faults.push(await removed(deps, leaf, kept.get(leaf)));
    else faults.push(...entryFaults(entry, hash as Buffer, { hashes, from, kept: kept.get(leaf) }));
    if (entry) faults.push(...bodyFaults(entry, evidence.disposals, walk));
  }
  faults.push(...(await grow(deps, evidence, walk, leaves, faults.length > 0)));
  faults.push(...evidence.times(stored.values()));
  return faults;
}

/** Compares the hash of the entry's bytes with the stored hash and the copied one. */
function entryFaults(
  entry: StoredLeaf,
  hash: Buffer,
  { hashes, from, kept }: { hashes: (Buffer | undefined)[]; from: number; kept: KeptLeaf | undefined },
): Fault[] {
  const stored = hashes[entry.leaf - from];
  const isStored = stored?.equals(hash) ?? false;
  if (isStored && (kept?.hash ?? stored)?.equals(hash)) return [];
  if (kept?.hash.equals(hash)) return [altered(nameOf(entry), 'its hash in the tree was altered')];
  if (isStored) return [altered(nameOf(entry), 'it was altered, or its copy outside was')];
  const elsewhere = hashes.findIndex((each) => each?.equals(hash));
  const moved = elsewhere >= 0 && elsewhere !== entry.leaf - from;
  return [altered(nameOf(entry), moved ? `it was moved here from leaf ${from + elsewhere}` : 'it was altered')];
}

function bodyFaults(entry: StoredLeaf, disposals: DisposalJudge, walk: Walk): Fault[] {
  if (entry.salt && entry.body)
    return isCommittedTo(entry, entry.salt, entry.body) ? [] : [altered(nameOf(entry), 'its body was altered')];
  if (isBodiless(entry)) return [];
  const fault = disposals.faultOf(entry);
  if (fault !== null) return [gone(nameOf(entry), fault)];
  walk.disposed += 1;
  return [];
}

/** Grows the tree by these leaves, and checks every size in between that was signed. */
async function grow(
  deps: Deps,
  { roots }: Evidence,
  walk: Walk,
  leaves: Buffer[],
  explained: boolean,
): Promise<Fault[]> {
  const sizes = [...roots.keys()].filter((size) => size > walk.size && size <= walk.size + leaves.length);
  const start = walk.size;
  const faults: Fault[] = [];
  for (const size of new Set([...sizes.sort((a, b) => a - b), start + leaves.length])) {
    const grown = append(walk.size, walk.edge, leaves.slice(walk.size - start, size - start));
    walk.edge = grown.edge;
    walk.size = size;
    if (!explained) faults.push(...(await tileFaults(deps, grown.tiles.filter(isFull))));
    const root = roots.get(size);
    if (!root) continue;
    if (rootOf(walk.edge).equals(root)) walk.provenSize = size;
    // A fault that is already reported explains it; otherwise the hashes were made to fit, and one of these is false.
    else if (!explained) return [...faults, await forged(deps, walk.provenSize, size)];
  }
  return faults;
}

/** Leaves are compared one by one; above them, whole tiles. */
async function tileFaults({ db }: Deps, tiles: Tile[]): Promise<Fault[]> {
  const upper = tiles.filter(({ level }) => level > 0);
  if (upper.length === 0) return [];
  const stored = new Map((await store.listTiles(db, upper)).map((tile) => [tileName(tile), tile.hashes]));
  return upper
    .filter((tile) => !stored.get(tileName(tile))?.equals(tile.hashes))
    .map((tile) => altered(`tile ${tileName(tile)} of the tree`, 'its hashes were altered'));
}

/** The tiles at the right edge, which are not full. */
function edgeTiles({ edge, size }: Walk): Tile[] {
  const tiles = edge.map((hashes, level) => ({ level, tile: Math.floor(size / tileWidth ** (level + 1)), hashes }));
  return tiles.filter(({ hashes }) => hashes.length > 0);
}

function isFull({ hashes }: Tile): boolean {
  return hashes.length === tileWidth * hashBytes;
}

async function forged({ db }: Deps, from: number, to: number): Promise<Fault> {
  const first = await store.findLeafEntry(db, from);
  const what = `it, or one of the ${to - from - 1} after it, is not what the checkpoint of ${to} entries was signed for`;
  return altered(first ? nameOf(first) : `leaf ${from}`, what);
}

async function storedHashes(deps: Deps, from: number, to: number): Promise<(Buffer | undefined)[]> {
  const hashOf = await readLeafHashes(deps, { from, to });
  return Array.from({ length: to - from }, (_, at) => hashOf(from + at));
}

async function removed({ db }: Deps, leaf: number, kept: KeptLeaf | undefined): Promise<Fault> {
  const entry = kept ?? (await store.findLeafEntry(db, leaf));
  return gone(entry ? nameOf(entry) : `leaf ${leaf}`, 'it was removed');
}

/** A checkpoint that covers more entries than the tree has: an older state was restored. */
async function lost(size: number, checkpoints: Checkpoint[], kept: Kept | null): Promise<Fault[]> {
  const signed = checkpoints.reduce((most, each) => Math.max(most, each.size), 0);
  if (signed <= size) return [];
  const [first] = (await kept?.leaves(size, size + 1)) ?? [];
  const what = `it and all after it were removed: ${signed} entries were signed, and the tree has ${size}`;
  return [gone(first ? nameOf(first) : `leaf ${size}`, what)];
}

/** The tree and its checkpoint are written together: a tree larger than its last checkpoint has lost some. */
function unsigned(size: number, signed: Checkpoint[]): Fault[] {
  const last = signed.reduce((most, each) => Math.max(most, each.size), 0);
  return last < size ? [gone(`the checkpoints after ${last} entries`, 'they were removed')] : [];
}

/** Compares each advisor's entries with the head that counts them and with how many are in the tree. */
async function compareBooks(deps: Deps): Promise<{ pending: number; odd: Fault[] }> {
  let pending = 0;
  const odd: Fault[] = [];
  for (const book of await store.listBooks(deps.db)) {
    const fault = await bookFault(deps, book);
    if (fault) odd.push(fault);
    else pending += (book.lastNumber ?? 0) - (book.takenNumber ?? 0);
  }
  return { pending, odd };
}

async function bookFault({ db }: Deps, book: BookRow): Promise<Fault | null> {
  const { advisorId, lastNumber, takenNumber, entries, firstNumber, highestNumber } = book;
  const last = Math.max(lastNumber ?? 0, takenNumber ?? 0);
  if ((firstNumber ?? 1) < 1) return altered(nameOf({ advisorId, number: firstNumber ?? 0 }), 'it was inserted');
  if ((highestNumber ?? 0) > last) return altered(nameOf({ advisorId, number: highestNumber ?? 0 }), 'it was inserted');
  if (entries < last) {
    const number = await store.findGap(db, advisorId, last);
    return gone(nameOf({ advisorId, number: number ?? last }), 'it was removed');
  }
  return (lastNumber ?? 0) < (takenNumber ?? 0)
    ? altered(`advisor ${advisorId}`, 'the head counts too few entries')
    : null;
}

/** An alteration is worse than something missing; without a checkpoint it can't tell. */
function verdictOf(faults: Fault[], checkpoints: Checkpoint[], size: number): Verdict {
  if (faults.some(({ verdict }) => verdict === 'altered')) return 'altered';
  if (faults.length > 0) return 'incomplete';
  return checkpoints.length === 0 && size > 0 ? 'unknown' : 'intact';
}
