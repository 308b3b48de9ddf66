import type { Deps } from '../../deps.ts';
import * as store from '../../store/archive/archive-tree.ts';
import { insertVerification } from '../../store/archive/verifications.ts';
import type { Verifier } from '../examiner/notes.mjs';
import { type By, byOperator } from './archive.ts';
import { checkpointIn } from './archive-memory.ts';
import { type Verification, verifyArchive } from './archive-verification.ts';
import { findForgotten } from './continuity.ts';
import { findCopiesFault, readKept, readMemory } from './outside-copies.ts';

export async function archiveStatus(deps: Deps) {
  const { db, signer, checkpointFolder, archiveMemory } = deps;
  const { size, fault } = await store.findTree(db);
  const last = await store.findCheckpoint(db);
  const books = await store.listBooks(db);
  const entries = books.reduce((sum, { lastNumber }) => sum + (lastNumber ?? 0), 0);
  const memory = await readMemory(archiveMemory);
  const remembered = memory?.remembered ?? null;
  return {
    entries,
    signed: size,
    waiting: entries - size,
    lastSigned: last?.dateTimeCreated ?? null,
    // A folder that can't be read is the fault of the copies.
    keptOutside: (await checkpointFolder?.last().catch(() => null))?.size ?? null,
    remembered: remembered ? checkpointIn(remembered.note).size : null,
    rememberedSince: remembered?.since ?? null,
    key: signer?.publicKey ?? null,
    fault,
    copiesFault: memory?.fault ? null : await findCopiesFault(deps),
    memoryFault: memory?.fault ? `${archiveMemory?.path}: ${memory.fault}.` : await findForgotten(deps),
  };
}

type VerificationOptions = { verifiers: Verifier[]; notes: string | null; progress(done: number, total: number): void };

/** What it found is remembered, and who had it verified, for the overview of a firm. */
export async function verifyAgainstCopies(
  deps: Deps,
  { verifiers, notes, progress }: VerificationOptions,
  { actor }: By = byOperator,
): Promise<Verification> {
  const kept = await readKept(deps, { notes, forgotten: await findForgotten(deps) });
  const verification = await verifyArchive(deps, { verifiers, kept, progress });
  const { verdict, size: entries, checkpoints, faults } = verification;
  await insertVerification(
    deps.db,
    { verdict, entries, checkpoints, faults: faults.length, actor },
    deps.databaseClock.now(),
  );
  return verification;
}

/** Whether this node signs but has no memory of what was signed: its file is lost, or it is new and other nodes have signed. */
export async function hasForgotten({ db, archiveMemory }: Pick<Deps, 'db' | 'archiveMemory'>): Promise<boolean> {
  if (!archiveMemory || (await store.findCheckpoint(db)) === null) return false;
  // A file that can't be read is not forgotten: nothing is signed until somebody has looked.
  return (await archiveMemory.read().catch(() => false)) === null;
}

/**
 * Why the database is an earlier one than what was signed, as after a restore; null if it isn't, or if nothing outside says so.
 * Texts that wait in it may have gone out since. In a sandbox a database may also be a new one beside an old folder: there it
 * must be one that the folder knows.
 */
export async function findRestored({ db, checkpointFolder, archiveMemory, config }: Deps): Promise<string | null> {
  // Before the tree: everything outside was committed by then. A folder that can't be read is reported elsewhere.
  const copied = (await checkpointFolder?.last().catch(() => null))?.size ?? 0;
  const remembered = (await readMemory(archiveMemory))?.remembered;
  const known = Math.max(copied, remembered ? checkpointIn(remembered.note).size : 0);
  const { size } = await store.findTree(db);
  if (known <= size) return null;
  if (config.environment === 'sandbox' && !(await knows(checkpointFolder, await store.findCheckpoint(db)))) return null;
  return `the database has ${size} entries of the archive, and ${known} were signed: it is from before the last ${known - size}`;
}

/** Whether the folder has this checkpoint: only the database that it is a copy of can have it too. */
async function knows(folder: Deps['checkpointFolder'], checkpoint: { note: string } | null): Promise<boolean> {
  if (!folder || !checkpoint) return false;
  for await (const note of folder.notes()) if (note === checkpoint.note) return true;
  return false;
}

/** What monitoring shows. It reads one row, and otherwise what this node's last round of signing has found. */
export async function archiveHealth({ db, signals: { archive, alteredTexts } }: Pick<Deps, 'db' | 'signals'>) {
  const { size, fault } = await store.findTree(db);
  const { signing, copies, memory, restored, copied, rememberedSince } = archive;
  const texts = alteredTexts.has() ? 'texts were refused: their rows are not what their entries say' : null;
  const faults = { signing: signing ?? fault, copies, memory, restored, texts };
  return { faults, signed: size, copied, rememberedSince };
}
