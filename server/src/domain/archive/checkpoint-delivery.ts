import type { Deps } from '../../deps.ts';
import { readCheckpoint } from '../../examiner/verify.mjs';
import type { CheckpointRow } from '../../store/archive/archive-tree.ts';
import * as treeStore from '../../store/archive/archive-tree.ts';
import type { DeliveryKind } from '../../store/archive/checkpoint-deliveries.ts';
import * as store from '../../store/archive/checkpoint-deliveries.ts';
import { ArchiveFault, checkContinues, readLeafHashes } from './archive-tree.ts';
import type { KeptLeaf } from './archive-verification.ts';
import type { NoteSigner } from './signed-notes.ts';

/** A folder out of the database's reach, to which leaves and checkpoints are only ever added. */
export type OutsideFolder = {
  /** The last whole checkpoint. Whether its signature is right is not looked at. */
  last(): Promise<KeptCheckpoint | null>;
  /** How many leaves there are, by the last whole one. */
  leafCount(): Promise<number>;
  /** Adds them for good, the leaves first: once it returns, they survive a loss of power. */
  append(leaves: KeptLeaf[], notes: string[]): Promise<void>;
  /** All checkpoints, in the order in which they were added; some may come twice. */
  notes(): AsyncIterable<string>;
  /** The leaves from the one to before the other, as far as they are there. */
  leaves(from: number, to: number): Promise<KeptLeaf[]>;
};
export type { KeptLeaf } from './archive-verification.ts';
export type KeptCheckpoint = { size: number; root: Buffer; note: string };

/** Who else is shown checkpoints: a command of the operator's, and an authority that says when it saw one. */
export type Witnesses = {
  hand: ((note: string, size: number) => Promise<void>) | null;
  /** Returns the authority's answer, whole. */
  stamp: ((note: string) => Promise<Buffer>) | null;
  stampEveryMs: number;
};

/** What a witness didn't take, in words for the operator. */
export type WitnessFault = { kind: DeliveryKind; size: number; what: string };

type DeliveryDeps = Deps & { signer: NoteSigner | null; outside: OutsideFolder | null };
type Delivering = Deps & { signer: NoteSigner; outside: OutsideFolder };

const leavesMax = 20_000;
const notesMax = 100;
/** An authority that is out of order is left alone for this long. */
const stampRetryMs = 60_000;

/**
 * Brings the folder outside up to date. The folder itself says how far it is, so that it doesn't matter which node wrote
 * to it last, or whether that one was cut short. A folder that knows another tree is left as it is: it is evidence.
 */
export async function deliverCheckpoints({ signer, outside, ...rest }: DeliveryDeps): Promise<void> {
  if (!signer || !outside) return;
  const deps = { ...rest, signer, outside };
  const last = await outside.last();
  const leafCount = await outside.leafCount();
  const size = last?.size ?? 0;
  const newest = await treeStore.findCheckpoint(deps.db);
  if (newest?.note === last?.note && leafCount >= size) return;
  // The tree is read after the folder: what that knows was committed by then.
  if (last) await checkContinues(deps, await treeStore.findTree(deps.db), last);
  // Where the file of leaves was lost it is made again.
  await appendLeaves(deps, { from: leafCount, to: size });
  // Leaves beyond the last checkpoint are of a delivery that didn't come to its end: they are written again.
  await appendCheckpoints(deps, size, last ? await store.findCheckpointId(deps.db, last) : 0);
}

/**
 * Shows the newest checkpoint, which covers all before it, to whoever is to witness it. What one doesn't take is
 * returned, and it is asked again with the next checkpoint. At least once: a crash between the two steps shows it twice.
 */
export function witnessing(deps: Deps, witnesses: Witnesses): () => Promise<WitnessFault[]> {
  const { hand, stamp, stampEveryMs } = witnesses;
  let handedId = 0;
  let stampedMs = 0;

  async function handOver({ checkpointId, size, note }: CheckpointRow): Promise<WitnessFault | null> {
    if (!hand || handedId === checkpointId || (await wasDelivered(deps, 'command', checkpointId))) return null;
    handedId = checkpointId;
    return attempt(deps, { kind: 'command', checkpointId, size }, () => hand(note, size).then(() => null));
  }

  async function stampIt({ checkpointId, size, note }: CheckpointRow): Promise<WitnessFault | null> {
    if (!stamp || Date.now() < stampedMs + Math.min(stampRetryMs, stampEveryMs)) return null;
    const last = await store.findLastDelivery(deps.db, 'timestamp');
    if (last && (last.checkpointId >= checkpointId || Date.now() < last.dateTimeCreated.getTime() + stampEveryMs))
      return null;
    stampedMs = Date.now();
    return attempt(deps, { kind: 'timestamp', checkpointId, size }, () => stamp(note));
  }

  return async () => {
    const newest = await treeStore.findCheckpoint(deps.db);
    if (!newest) return [];
    const faults = await Promise.all([handOver(newest), stampIt(newest)]);
    return faults.filter((fault) => fault !== null);
  };
}

/** The checkpoints after one, each behind the leaves that it covers. */
async function appendCheckpoints(deps: Delivering, size: number, afterId: number): Promise<void> {
  for (let [from, after, more] = [size, afterId, true]; more; ) {
    const rows = await treeStore.listCheckpointsAfter(deps.db, after, notesMax);
    // What this key has not signed proves nothing outside either; verification names it.
    const signed = rows.filter((row) => readCheckpoint(row.note, deps.signer.verifier)?.size === row.size);
    const newest = signed.at(-1);
    if (newest) {
      await appendLeaves(deps, { from, to: newest.size });
      await deps.outside.append(
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

async function appendLeaves(deps: Delivering, { from, to }: Range): Promise<void> {
  for (let at = from; at < to; at += leavesMax)
    await deps.outside.append(await leavesOf(deps, { from: at, to: Math.min(to, at + leavesMax) }), []);
}

/** Which entry each leaf is, and its hash, as they were signed: from the runs and the tiles, not from the entries. */
async function leavesOf({ db }: Deps, { from, to }: Range): Promise<KeptLeaf[]> {
  const hashOf = await readLeafHashes({ db }, { from, to });
  const leaves: KeptLeaf[] = [];
  // A run has at least one leaf.
  for (const { firstLeaf, advisorId, firstNumber, entries } of await treeStore.listRuns(db, from, to - from))
    for (let leaf = Math.max(from, firstLeaf); leaf < Math.min(to, firstLeaf + entries); leaf += 1) {
      const hash = hashOf(leaf);
      if (!hash) throw new ArchiveFault(`The tree has no hash of leaf ${leaf}.`);
      leaves.push({ leaf, advisorId, number: firstNumber + leaf - firstLeaf, hash });
    }
  if (leaves.length !== to - from) throw new ArchiveFault(`Not all leaves from ${from} to ${to} belong to an entry.`);
  return leaves;
}

async function wasDelivered({ db }: Deps, kind: DeliveryKind, checkpointId: number): Promise<boolean> {
  const last = await store.findLastDelivery(db, kind);
  return last !== null && last.checkpointId >= checkpointId;
}

async function attempt(
  { db }: Deps,
  { kind, checkpointId, size }: Omit<WitnessFault, 'what'> & { checkpointId: number },
  give: () => Promise<Buffer | null>,
): Promise<WitnessFault | null> {
  let token: Buffer | null;
  try {
    token = await give();
  } catch (error) {
    return { kind, size, what: error instanceof Error ? error.message : String(error) };
  }
  await store.insertDelivery(db, { checkpointId, kind, token, now: new Date() });
  return null;
}
