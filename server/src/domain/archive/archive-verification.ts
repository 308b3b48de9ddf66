import type { Deps } from '../../deps.ts';
import type { BookRow, StoredLeaf } from '../../store/archive/archive-tree.ts';
import * as store from '../../store/archive/archive-tree.ts';
import { listTimeRules } from '../../store/archive/explanations.ts';
import { isCommittedTo } from '../examiner/entries.mjs';
import type { Checkpoint, Verifier } from '../examiner/notes.mjs';
import { EntryTimes } from '../examiner/times.mjs';
import type { KeptLeaf } from '../ports.ts';
import { readLeafHashes } from './archive-tree.ts';
import { rootAt } from './continuity.ts';
import { type DisposalCheck, readDisposals } from './disposals.ts';
import { edgeTiles, type Tile, tileName, tileWidth } from './merkle.ts';
import type { FoundCopies } from './verification/expected-copies.ts';
import { altered, type Fault, faultsMax, gone, nameOf } from './verification/faults.ts';
import { type KeptNotes, openSignedCheckpoints, type SignedCheckpoints } from './verification/signed-checkpoints.ts';
import { compareTables } from './verification/tables.ts';
import { forged, type LeafFault, startWalk, type Walk, walkPage } from './verification/walk.ts';

export type { Fault } from './verification/faults.ts';

/** Intact; something was altered, inserted or moved; something is missing; or there is nothing to compare with. */
export type Verdict = 'intact' | 'altered' | 'incomplete' | 'unknown';

export type Verification = Awaited<ReturnType<typeof verifyArchive>>;

/** Copies outside the database: signed checkpoints, and which entry each leaf was, with its hash. */
export type KeptCopies = KeptNotes & {
  leaves(from: number, to: number): Promise<KeptLeaf[]>;
  /** Finds what should be outside and isn't. Called after all leaves and checkpoints were read. */
  compare?(found: FoundCopies & { stored: number }): Fault[];
};

type VerificationOptions = {
  verifiers: Verifier[];
  kept: KeptCopies | null;
  progress(done: number, total: number): void;
};
type Evidence = {
  size: number;
  checkpoints: SignedCheckpoints;
  disposals: DisposalCheck;
  times: EntryTimes;
  kept: KeptCopies | null;
};

// Whole tiles, so a page is compared with whole rows. Larger pages take more memory and no less time.
const pageLeaves = 20 * tileWidth;

/** Recomputes everything from the stored bytes, and compares it with everything that was signed, and the tables with it. */
export async function verifyArchive(deps: Deps, { verifiers, kept, progress }: VerificationOptions) {
  const { size } = await store.findTree(deps.db);
  const checkpoints = openSignedCheckpoints(deps, { verifiers, kept, treeSize: size });
  const times = new EntryTimes({ clockMoves: deps.config.environment === 'sandbox' });
  for (const rule of await listTimeRules(deps.db)) times.take(rule);
  const evidence = { size, checkpoints, disposals: await readDisposals(deps), times, kept };
  const walk = startWalk();
  try {
    // PostgreSQL compares tables while this process hashes, one page after the other: two at a time would take its core away.
    const [walked, compared] = await Promise.allSettled([
      walkTree(deps, evidence, walk, progress),
      compareTables(deps),
    ]);
    const faults = resultOf(walked);
    if (faults.length < faultsMax) faults.push(...(await compareSizes(deps, evidence)));
    // Pending are entries that no checkpoint covers yet.
    const { pending, odd } = await compareBooks(deps);
    faults.push(...odd);
    // Only entries that are as they were signed say what the tables should be. Others may not even be readable.
    if (faults.length === 0) faults.push(...resultOf(compared));
    const { stored, keptSize } = checkpoints.read;
    const verdict = verdictOf(faults, stored > 0 || keptSize > 0, size);
    const { disposed } = walk;
    const found = { verdict, faults: faults.slice(0, faultsMax), explained: times.explained() };
    return { ...found, size, checkpoints: stored, pending, disposed };
  } finally {
    await checkpoints.close();
  }
}

function resultOf<Result>(settled: PromiseSettledResult<Result>): Result {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}

/** Walks through all pages. The next one is read while this one is hashed. */
async function walkTree(
  deps: Deps,
  evidence: Evidence,
  walk: Walk,
  progress: VerificationOptions['progress'],
): Promise<Fault[]> {
  const { size, disposals, times } = evidence;
  const faults: Fault[] = [];
  const late: Checkpoint[] = [];
  const pages = readPages(deps, evidence);
  let next = await pages.next();
  while (!next.done && faults.length < faultsMax) {
    const { page, step } = next.value;
    const [found, following] = await Promise.all([walkPage(walk, page, disposals), pages.next()]);
    faults.push(...step.faults, ...(await named(deps, found.faults)), ...(await tileFaults(deps, found.tiles)));
    times.add(
      Array.from(step.signed, ([size, { firstMs, lastMs }]) => ({ size, firstMs, lastMs })),
      Date.parse(step.following?.time ?? ''),
    );
    for (const entry of page.entries) {
      const what = times.faultOf(entry);
      if (what) faults.push(altered(nameOf(entry), what));
    }
    late.push(...step.late);
    progress(page.to, size);
    next = following;
  }
  await pages.return();
  if (faults.length > 0) return faults;
  faults.push(...(await tileFaults(deps, edgeTiles(size, walk.tree.edge()))));
  return faults.length > 0 ? faults : lateFaults(deps, late);
}

/** Pages of leaves, each with everything that it is compared with. PostgreSQL looks for the entries of one page more. */
async function* readPages(deps: Deps, { size, checkpoints, kept }: Evidence) {
  const endOf = (from: number) => Math.min(size, from + pageLeaves);
  let ahead = store.listStoredLeaves(deps.db, 0, endOf(0));
  try {
    for (let from = 0; from < size; from = endOf(from)) {
      const to = endOf(from);
      const entries = await ahead;
      ahead = store.listStoredLeaves(deps.db, to, endOf(to));
      ahead.catch(() => {}); // it is thrown where it is awaited
      const hashOf = await readLeafHashes(deps, { from, to });
      const step = await checkpoints.upTo(to);
      const sound = await soundMedia(deps, entries);
      const { signed } = step;
      yield { page: { from, to, entries, sound, hashOf, signed, kept: (await kept?.leaves(from, to)) ?? [] }, step };
    }
  } finally {
    await Promise.allSettled([ahead]);
  }
}

/** Media are read one by one: a page of them would not fit in memory. */
async function soundMedia({ db }: Deps, entries: StoredLeaf[]): Promise<Set<number>> {
  const sound = new Set<number>();
  for (const entry of entries) {
    if (!entry.salt || entry.body) continue;
    const body = await store.findBody(db, entry.advisorId, entry.number);
    if (body && isCommittedTo(entry, entry.salt, body)) sound.add(entry.leaf);
  }
  return sound;
}

async function named({ db }: Deps, faults: (Fault | LeafFault)[]): Promise<Fault[]> {
  const all: Fault[] = [];
  for (const fault of faults.slice(0, faultsMax)) {
    if ('entry' in fault) {
      all.push(fault);
      continue;
    }
    const { verdict, leaf, what } = fault;
    const entry = await store.findLeafEntry(db, leaf);
    all.push({ verdict, entry: entry ? nameOf(entry) : `leaf ${leaf}`, what });
  }
  return all;
}

/**
 * Leaves are compared one by one; above them, whole tiles. The last tile of a level may have grown in the meantime.
 */
async function tileFaults({ db }: Deps, tiles: Tile[]): Promise<Fault[]> {
  const upper = tiles.filter(({ level }) => level > 0);
  if (upper.length === 0) return [];
  const stored = new Map((await store.listTiles(db, upper)).map((tile) => [tileName(tile), tile.hashes]));
  return upper
    .filter((tile) => !stored.get(tileName(tile))?.subarray(0, tile.hashes.length).equals(tile.hashes))
    .map((tile) => altered(`tile ${tileName(tile)} of the tree`, 'its hashes were altered'));
}

/** Compares copies that were not in order with the stored tree, every hash of which is known to be right by now. */
async function lateFaults(deps: Deps, late: Checkpoint[]): Promise<Fault[]> {
  for (const { size, root } of late)
    if (!(await rootAt(deps, size)).equals(root)) return named(deps, [forged(0, size)]);
  return [];
}

async function compareSizes(deps: Deps, { size, checkpoints, kept }: Evidence): Promise<Fault[]> {
  const { faults } = await checkpoints.upTo(Number.MAX_SAFE_INTEGER);
  const { stored, storedSize, keptSize, copies } = checkpoints.read;
  // The tree may have grown in the meantime.
  const { size: now } = await store.findTree(deps.db);
  faults.push(...(await lost(now, Math.max(storedSize, keptSize), kept)));
  // The tree and its checkpoint are written together: a tree larger than its last checkpoint has lost some.
  if (storedSize < size) faults.push(gone(`the checkpoints after ${storedSize} entries`, 'they were removed'));
  faults.push(...(kept?.compare?.({ ...copies, stored }) ?? []));
  return faults;
}

/** A checkpoint that covers more entries than the tree has: an older state was restored. */
async function lost(size: number, signed: number, kept: KeptCopies | null): Promise<Fault[]> {
  if (signed <= size) return [];
  const [first] = (await kept?.leaves(size, size + 1)) ?? [];
  const what = `it and all after it were removed: ${signed} entries were signed, and the tree has ${size}`;
  return [gone(first ? nameOf(first) : `leaf ${size}`, what)];
}

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

/**
 * An alteration is worse than something missing. Without a checkpoint it can't tell, nor on a node that has lost what it knew:
 * what is missing then may be more than it seems.
 */
function verdictOf(faults: Fault[], hasCheckpoints: boolean, size: number): Verdict {
  if (faults.some(({ verdict }) => verdict === 'altered')) return 'altered';
  if (faults.some(({ verdict }) => verdict === 'unknown')) return 'unknown';
  if (faults.length > 0) return 'incomplete';
  return !hasCheckpoints && size > 0 ? 'unknown' : 'intact';
}
