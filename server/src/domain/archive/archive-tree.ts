import { type Deps, inTransaction } from '../../deps.ts';
import type { EntrySpan } from '../../store/archive/archive.ts';
import type { LeafRow, RunRow, TreeRow } from '../../store/archive/archive-tree.ts';
import * as store from '../../store/archive/archive-tree.ts';
import { entryHash } from '../examiner/entries.mjs';
import { readCheckpoint } from '../examiner/notes.mjs';
import { hashBytes } from '../examiner/tree.mjs';
import type { ArchiveMemoryState, NoteSigner } from '../ports.ts';
import { realTimeIn } from '../shared/time.ts';
import { ArchiveFault, rememberSigned } from './archive-memory.ts';
import { checkContinues, checkRemembered, ForgottenFault, recall } from './continuity.ts';
import { append, type Edge, edgeWidths, rootOf, tileWidth } from './merkle.ts';

export { ArchiveFault } from './archive-memory.ts';

const entriesMax = 20_000;
const advisorsMax = 5_000;
const heartbeatMs = 5 * 60 * 1000;

/**
 * Adds newly committed entries to the tree, and signs it. One node does this at a time: it locks the tree's row until
 * everything is committed, so two nodes can never sign two different trees. Before it signs, it recomputes from stored data
 * that the tree is still the one signed last, begins with the largest that this node remembers, and with the copies. A node
 * that can't know what was signed signs nothing.
 * Returns how many entries it added, or null if another node has the lock.
 */
export async function growTree(deps: Deps): Promise<number | null> {
  if (!deps.signer) return null;
  const { signer } = deps;
  const untilReset = deps.signals.resetGuard.signal();
  try {
    await recall({ ...deps, signer });
    const outside = await readOutside(deps);
    const grown = await inTransaction({ ...deps, signer }, async (deps) => {
      const tree = await store.claimTree(deps.db);
      return tree && grow(deps, tree, outside);
    });
    if (grown?.signed && !untilReset.aborted) await rememberSigned(deps, grown.signed);
    return grown?.added ?? null;
  } catch (error) {
    const isOfTree = error instanceof ArchiveFault && !(error instanceof ForgottenFault);
    if (isOfTree) await store.updateTreeFault(deps.db, error.message);
    throw error;
  }
}

type SigningContext = Deps & { signer: NoteSigner };

type Outside = { remembered: ArchiveMemoryState | null; copy: { size: number; root: Buffer } | null };

/** Before the tree: everything outside was committed by then. If the folder can't be read, a node that remembers can do without. */
async function readOutside({ archiveMemory, checkpointFolder }: Deps): Promise<Outside> {
  const remembered = (await archiveMemory?.read()) ?? null;
  const copy = checkpointFolder?.last().catch((error) => {
    if (remembered) return null;
    throw error;
  });
  return { remembered, copy: (await copy) ?? null };
}

/** The newest checkpoint with this node's key, and how large the tree was before. */
type Grown = { added: number; signed: { note: string; since: number } | null };

async function grow(deps: SigningContext, tree: TreeRow, { remembered, copy }: Outside): Promise<Grown> {
  const edge = await readEdge(deps, tree.size);
  if (!rootOf(edge).equals(tree.root)) throw new ArchiveFault('The stored hashes don’t match the root of the tree.');
  if (remembered) await checkRemembered(deps, tree, remembered);
  if (copy) await checkContinues(deps, tree, copy);
  const { isQuiet, note: last } = await checkLastSigned(deps, tree);
  const spans = bounded(await store.listUntaken(deps.db, advisorsMax), entriesMax);
  // A fault that is over is cleared by the next checkpoint.
  if (spans.length === 0 && isQuiet && !tree.fault)
    return { added: 0, signed: last === null ? null : { note: last, since: tree.size } };
  const entries = await store.listLeaves(deps.db, spans);
  const runs = runsOf(tree.size, spans, entries);
  const size = tree.size + entries.length;
  if (entries.length > 0) {
    const { tiles } = await append(tree.size, edge, entries.values().map(entryHash));
    await store.upsertTiles(deps.db, tiles);
    await store.insertRuns(deps.db, runs);
  }
  // From what is stored, not from what should be.
  const root = rootOf(await readEdge(deps, size));
  await store.updateTree(deps.db, { size, root });
  // If a step was accepted meanwhile, what this covers has the earlier time.
  await deps.databaseClock.anchor();
  const now = deps.databaseClock.now();
  const text = `${deps.signer.verifier.name}\n${size}\n${root.toString('base64')}\ntime ${now.toISOString()}\n`;
  const note = deps.signer.sign(text);
  await store.insertCheckpoint(deps.db, { size, note, now });
  return { added: entries.length, signed: { note, since: tree.size } };
}

/** Whether the last checkpoint is recent enough that an unchanged tree needs no new one. Throws if it is wrong. */
async function checkLastSigned(deps: SigningContext, tree: TreeRow) {
  const last = await store.findCheckpoint(deps.db);
  const checkpoint = last && readCheckpoint(last.note, deps.signer.verifier);
  // One signed with a different key proves nothing here; anyone with that key can still check it.
  if (checkpoint && (checkpoint.size !== tree.size || !checkpoint.root.equals(tree.root)))
    throw new ArchiveFault('The tree is not the one in its last checkpoint.');
  if (!last && tree.size > 0) throw new ArchiveFault('The tree has leaves but no checkpoint.');
  const isQuiet = last !== null && last.dateTimeCreated > realTimeIn(deps, -heartbeatMs);
  return { isQuiet, note: checkpoint ? checkpoint.note : null };
}

/** The stored hashes of the leaves from `from` up to but not including `to`; undefined if the tree has none. */
export async function readLeafHashes(
  { db }: Pick<Deps, 'db'>,
  { from, to }: { from: number; to: number },
): Promise<(leaf: number) => Buffer | undefined> {
  const first = Math.floor(from / tileWidth);
  const wanted = Array.from({ length: Math.ceil(to / tileWidth) - first }, (_, at) => ({ level: 0, tile: first + at }));
  const tiles = new Map((await store.listTiles(db, wanted)).map(({ tile, hashes }) => [tile, hashes]));
  return (leaf) => {
    const start = (leaf % tileWidth) * hashBytes;
    const hash = tiles.get(Math.floor(leaf / tileWidth))?.subarray(start, start + hashBytes);
    return hash?.length === hashBytes ? hash : undefined;
  };
}

async function readEdge({ db }: Deps, size: number): Promise<Edge> {
  const widths = edgeWidths(size);
  const wanted = widths.map((_, level) => ({ level, tile: Math.floor(size / tileWidth ** (level + 1)) }));
  const found = new Map((await store.listTiles(db, wanted)).map((tile) => [tile.level, tile.hashes]));
  return widths.map((_, level) => found.get(level) ?? Buffer.alloc(0));
}

/** No more at once than fits into memory and the statement timeout; the rest comes next time. */
export function bounded(spans: EntrySpan[], entriesMax: number): EntrySpan[] {
  let left = entriesMax;
  const taken = [];
  for (const { advisorId, after, upTo } of spans) {
    if (left === 0) break;
    const count = Math.min(left, upTo - after);
    taken.push({ advisorId, after, upTo: after + count });
    left -= count;
  }
  return taken;
}

/** Entries are numbered without gaps: one that is missing was removed before it could be signed. */
function runsOf(size: number, spans: EntrySpan[], entries: LeafRow[]): RunRow[] {
  let at = 0;
  return spans.map(({ advisorId, after, upTo }) => {
    const firstLeaf = size + at;
    for (let number = after + 1; number <= upTo; number += 1, at += 1) {
      const entry = entries[at];
      if (entry?.advisorId !== advisorId || entry.number !== number)
        throw new ArchiveFault(`Entry ${number} of advisor ${advisorId} is missing.`);
    }
    return { firstLeaf, advisorId, firstNumber: after + 1, entries: upTo - after };
  });
}
