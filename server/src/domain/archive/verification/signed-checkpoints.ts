import { verify } from 'node:crypto';
import type { Deps } from '../../../deps.ts';
import * as store from '../../../store/archive/archive-tree.ts';
import { type Checkpoint, checkpointIn, signaturesIn, type Verifier } from '../../examiner/notes.mjs';
import { inStep, sized } from './checkpoint-stream.ts';
import { expectCopies } from './expected-copies.ts';
import { altered, type Fault } from './faults.ts';

/** Notes outside the database, in each list the smaller ones first. Any that no key has signed are ignored. */
export type KeptNotes = {
  notes(): AsyncIterable<string>[];
  /** A list that should have every checkpoint of the database that it expects. */
  copies?: { notes(): AsyncIterable<string>; expects(checkpoint: Checkpoint): boolean };
};

/**
 * Checkpoints in the order of sizes, in step with somebody who walks through the leaves. There may be millions of them, so
 * only those of one step are in memory.
 */
export type SignedCheckpoints = ReturnType<typeof openSignedCheckpoints>;

export type Step = {
  signed: Map<number, SignedSize>;
  /** The first checkpoint of the next step. */
  following: { size: number; time: string } | null;
  /** Copies that come after larger ones, whose step is over. */
  late: Checkpoint[];
  faults: Fault[];
};
type SignedSize = { root: Buffer; firstMs: number; lastMs: number };

const rowsPage = 5_000;
const knownMax = 20_000;

export function openSignedCheckpoints(
  { db }: Deps,
  { verifiers, kept, treeSize }: { verifiers: Verifier[]; kept: KeptNotes | null; treeSize: number },
) {
  const stored = inStep(rows(db));
  const copies = expectCopies(kept?.copies ?? null);
  const lists = [...(kept?.notes() ?? []), ...(kept?.copies ? [kept.copies.notes()] : [])].map((notes, index, all) => ({
    notes: inStep(sized(notes, treeSize)),
    areCopies: kept?.copies !== undefined && index === all.length - 1,
  }));
  const read = { stored: 0, storedSize: 0, keptSize: 0, copies: copies.found };
  let done = -1;

  async function readStored(size: number, step: Step, known: Set<string>): Promise<void> {
    for await (const some of stored.upTo(size)) {
      const checkpoints = await readSigned(some, verifiers);
      for (const [at, { checkpointId, size: storedSize, note }] of some.entries()) {
        const checkpoint = checkpoints[at];
        if (checkpoint?.size !== storedSize) {
          step.faults.push(altered(`checkpoint ${checkpointId}`, 'none of the keys has signed it as it is'));
          continue;
        }
        addTo(step, checkpoint);
        copies.expect(checkpoint);
        if (known.size < knownMax) known.add(note);
        read.stored += 1;
        read.storedSize = Math.max(read.storedSize, storedSize);
      }
    }
    const next = await stored.peek();
    step.following = next && { size: next.size, time: /^time (.*)$/m.exec(next.note)?.[1] ?? '' };
  }

  async function readKept(notes: { note: string }[], step: Step, known: Set<string>): Promise<void> {
    // A copy of a note that was just read says nothing new.
    const unknown = notes.filter(({ note }) => !known.has(note));
    for (const checkpoint of await readSigned(unknown, verifiers)) {
      if (!checkpoint) continue;
      if (checkpoint.size > done) addTo(step, checkpoint);
      else step.late.push(checkpoint);
      read.keptSize = Math.max(read.keptSize, checkpoint.size);
    }
  }

  return {
    /** How many of the database's were read so far, the largest sizes, and which copies there are. */
    read,
    async upTo(size: number): Promise<Step> {
      const step: Step = { signed: new Map(), following: null, late: [], faults: [] };
      const known = new Set<string>();
      await readStored(size, step, known);
      for (const { notes, areCopies } of lists)
        for await (const some of notes.upTo(size)) {
          if (areCopies) copies.take(some);
          await readKept(some, step, known);
        }
      done = size;
      return step;
    },
    async close(): Promise<void> {
      for (const { close } of [stored, ...lists.map(({ notes }) => notes)]) await close();
    },
  };
}

/** Two roots for one size are a fork, which only somebody with the key can make. */
function addTo({ signed, faults }: Step, { size, root, time }: Checkpoint): void {
  const timeMs = Date.parse(time);
  const other = signed.get(size);
  if (other && !other.root.equals(root))
    faults.push(altered(`the tree of ${size} entries`, 'was signed with two roots'));
  if (!other) signed.set(size, { root, firstMs: timeMs, lastMs: timeMs });
  else if (!Number.isNaN(timeMs)) {
    other.firstMs = Number.isNaN(other.firstMs) ? timeMs : Math.min(other.firstMs, timeMs);
    other.lastMs = Number.isNaN(other.lastMs) ? timeMs : Math.max(other.lastMs, timeMs);
  }
}

async function* rows(db: Deps['db']): AsyncGenerator<store.CheckpointRow> {
  for (let after = { size: -1, checkpointId: 0 }; ; ) {
    const page = await store.listCheckpointsBySize(db, after, rowsPage);
    yield* page;
    after = page.at(-1) ?? after;
    if (page.length < rowsPage) return;
  }
}

/** The checkpoints in these notes; null for one that none of the keys has signed. */
function readSigned(notes: { note: string }[], verifiers: Verifier[]): Promise<(Checkpoint | null)[]> {
  return Promise.all(notes.map(({ note }) => readOne(note, verifiers)));
}

async function readOne(note: string, verifiers: Verifier[]): Promise<Checkpoint | null> {
  for (const verifier of verifiers) {
    const { text = '', signatures = [] } = signaturesIn(note, verifier) ?? {};
    for (const signature of signatures)
      if (await isSigned(text, signature, verifier)) return checkpointIn(text, { name: verifier.name, note });
  }
  return null;
}

/** On another thread, unlike `readCheckpoint`. */
function isSigned(text: string, signature: Buffer, { publicKey }: Verifier): Promise<boolean> {
  return new Promise((resolve, reject) => {
    verify(null, Buffer.from(text), publicKey, signature, (error, valid) => (error ? reject(error) : resolve(valid)));
  });
}
