import { notesOf, readCheckpoint, type Verifier } from '../../examiner/verify.mjs';
import * as store from '../../store/archive/archive-tree.ts';
import type { ArchiveDeps } from './archive-tree.ts';
import { type Kept, type Verification, verifyArchive } from './archive-verification.ts';
import type { CheckpointFolder } from './checkpoint-copies.ts';

type Deps = ArchiveDeps & { checkpointFolder: CheckpointFolder | null };

/** The archive at a glance, for an operator. */
export async function archiveStatus({ db, signer, checkpointFolder }: Deps) {
  const { size, fault } = await store.findTree(db);
  const last = await store.findCheckpoint(db);
  const books = await store.listBooks(db);
  const entries = books.reduce((sum, { lastNumber }) => sum + (lastNumber ?? 0), 0);
  return {
    entries,
    signed: size,
    waiting: entries - size,
    lastSigned: last?.dateTimeCreated ?? null,
    keptOutside: (await checkpointFolder?.last())?.size ?? null,
    key: signer?.publicKey ?? null,
    fault,
  };
}

type Asked = { verifiers: Verifier[]; notes: string | null; progress(done: number, total: number): void };

/** Verifies the archive against the checkpoints kept outside the database: those in the folder, and the notes given. */
export async function verifyAgainstCopies(deps: Deps, { verifiers, notes, progress }: Asked): Promise<Verification> {
  const kept = await readCopies(deps.checkpointFolder, verifiers, notes);
  return verifyArchive(deps, { verifiers, kept, progress });
}

async function readCopies(
  folder: CheckpointFolder | null,
  verifiers: Verifier[],
  given: string | null,
): Promise<Kept | null> {
  const notes = notesOf((given ?? '').split(/\n{2,}/));
  if (folder) for await (const note of folder.notes()) notes.push(note);
  if (notes.length === 0) return null;
  const checkpoints = notes.flatMap((note) => verifiers.map((each) => readCheckpoint(note, each)).find(Boolean) ?? []);
  return { checkpoints, leaves: async (from, to) => (await folder?.leaves(from, to)) ?? [] };
}
