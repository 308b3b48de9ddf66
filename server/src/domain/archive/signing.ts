import type { Deps } from '../../deps.ts';
import { ArchiveFault } from './archive-memory.ts';
import { findRestored } from './archive-status.ts';
import { growTree } from './archive-tree.ts';
import { copyCheckpoints } from './checkpoint-copies.ts';
import { CopiesFault, checkCopies } from './outside-copies.ts';

/**
 * Signs committed entries in a checkpoint, and copies the checkpoint out of the database's reach. Anything wrong with
 * the archive stays in `signals.archive` until it is over: metrics and readiness show it.
 */
export async function signArchive(deps: Deps): Promise<void> {
  const { archive } = deps.signals;
  const resets = deps.sandboxClock?.resets();
  /** Another process has reset the sandbox, which this one didn't know: it compared the new archive with the old one. */
  const wasReset = async () => {
    await deps.sandboxClock?.refresh();
    return deps.sandboxClock?.resets() !== resets;
  };
  const restored = await findRestored(deps);
  const grown = await orFault(growTree(deps));
  if ((restored || grown instanceof Error) && (await wasReset())) return;
  archive.restored = restored;
  if (grown === null) return;
  archive.signing = grown instanceof Error ? grown.message : null;
  const copied = await orFault(archive.signing === null ? copyCheckpoints(deps) : checkCopies(deps));
  if (copied instanceof Error && (await wasReset())) return;
  archive.copies = copied instanceof Error ? copied.message : null;
}

/** The result, or the fault that somebody must look into. Errors of the database are thrown: the next time may be better. */
async function orFault<Result>(work: Promise<Result>): Promise<Result | Error> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ArchiveFault || error instanceof CopiesFault || isOfFiles(error)) return error;
    throw error;
  }
}

/** A full disk, say. Errors of the database have other codes by now. */
function isOfFiles(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code));
}
