/** The archive is not what was signed before: nothing more is signed until somebody has looked into it. */
export class ArchiveFault extends Error {}

/** What a node knows about the archive out of the database's reach: in the process, and in a file beside its key. */
export type ArchiveMemory = {
  path: string;
  /** Copies of checkpoints outside the database, this node's and other nodes', that a lost memory is taken from. */
  copies: Copies[];
  /** Null if this node has signed nothing yet, or its file was lost before the process started. */
  read(): Promise<Remembered | null>;
  /** The process remembers it even if the file can't be written. */
  write(remembered: Remembered): Promise<void>;
};

export type Remembered = {
  /** How large the tree was when this memory began: about smaller trees it knows nothing. */
  since: number;
  /** The checkpoint of the largest tree that this node has signed, or seen signed with its key. */
  note: string;
  copied: Copied | null;
};

export type Copies = {
  /** The last complete checkpoint. Its signature is not checked. */
  last(): Promise<KeptCheckpoint | null>;
  /** All checkpoints in the order in which they were added; some may come twice. */
  notes(): AsyncIterable<string>;
};
export type KeptCheckpoint = { size: number; root: Buffer; note: string };

/** The last checkpoint that was copied to this folder, and how long its files were then. They only ever grow. */
export type Copied = { folder: string; note: string; checkpointsBytes: number; leavesBytes: number };

export type MemoryDeps = {
  archiveMemory: ArchiveMemory | null;
  signals: { archive: { memory: string | null; rememberedSince: number | null } };
};

/**
 * Remembers a checkpoint that is committed: after a crash in between, the memory is behind and never ahead. If it can't be
 * kept, signing goes on, and the node says so.
 */
export async function rememberSigned(
  { archiveMemory, signals: { archive } }: MemoryDeps,
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

export async function remember({ archiveMemory, signals }: MemoryDeps, remembered: Remembered): Promise<void> {
  if (archiveMemory) await keep(archiveMemory, signals.archive, remembered);
}

export async function rememberCopied({ archiveMemory, signals }: MemoryDeps, copied: Copied): Promise<void> {
  if (!archiveMemory) return;
  const known = await archiveMemory.read();
  // A node copies only what it has signed, or seen signed.
  if (known) await keep(archiveMemory, signals.archive, { ...known, copied });
}

async function keep(
  memory: ArchiveMemory,
  archive: MemoryDeps['signals']['archive'],
  remembered: Remembered,
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
