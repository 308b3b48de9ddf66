import type { Deps } from '../../deps.ts';
import type { ArchiveMemory, ArchiveMemoryState, LastCopy } from '../ports.ts';

/** The archive is not what was signed before: nothing more is signed until somebody has looked into it. */
export class ArchiveFault extends Error {}

/**
 * Remembers a checkpoint that is committed: after a crash in between, the memory is behind and never ahead. If it can't be
 * kept, signing goes on, and the node says so.
 */
export async function rememberSigned(
  { archiveMemory, signals: { archive } }: Deps,
  signed: { note: string; since: number },
): Promise<void> {
  if (!archiveMemory) return;
  const known = await archiveMemory.read();
  archive.rememberedSince = known?.since ?? signed.since;
  if (known && checkpointIn(known.note).size >= checkpointIn(signed.note).size && !archive.memory) return;
  await keep(archiveMemory, archive, {
    since: archive.rememberedSince,
    note: signed.note,
    copied: known?.copied ?? null,
  });
}

export async function remember({ archiveMemory, signals }: Deps, remembered: ArchiveMemoryState): Promise<void> {
  if (archiveMemory) await keep(archiveMemory, signals.archive, remembered);
}

export async function rememberCopied({ archiveMemory, signals }: Deps, copied: LastCopy): Promise<void> {
  if (!archiveMemory) return;
  const known = await archiveMemory.read();
  // A node copies only what it has signed, or seen signed.
  if (known) await keep(archiveMemory, signals.archive, { ...known, copied });
}

async function keep(
  memory: ArchiveMemory,
  archive: Deps['signals']['archive'],
  remembered: ArchiveMemoryState,
): Promise<void> {
  try {
    await memory.write(remembered);
    archive.memory = null;
  } catch (error) {
    archive.memory = `${memory.path} can’t be written: ${(error as NodeJS.ErrnoException).code ?? error}.`;
  }
}

/** A checkpoint's size and root. Its signature is not checked. */
export function checkpointIn(note: string): { size: number; root: Buffer } {
  const [, size = '', root = ''] = note.split('\n');
  const bytes = Buffer.from(root, 'base64');
  if (!/^(0|[1-9]\d{0,15})$/.test(size) || bytes.length !== 32)
    throw new ArchiveFault('A checkpoint that this node remembers is not readable.');
  return { size: Number(size), root: bytes };
}
