import { open, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '../../../config.ts';
import { ArchiveFault, checkpointIn } from '../../../domain/archive/archive-memory.ts';
import type { ArchiveMemory, ArchiveMemoryState, Copies } from '../../../domain/ports.ts';

/** The memory of the node with this key, or null if it has none. Each reset of a sandbox begins another one. */
export function archiveMemory(
  { archiveKeyFile }: Pick<Config, 'archiveKeyFile'>,
  copies: Copies[],
  resets: number,
): ArchiveMemory | null {
  return archiveKeyFile ? openArchiveMemory(`${archiveKeyFile}${resets > 0 ? `.${resets}` : ''}.signed`, copies) : null;
}

export function openArchiveMemory(path: string, copies: Copies[]): ArchiveMemory {
  let known: ArchiveMemoryState | null = null;
  return {
    path,
    copies,
    async read() {
      known = newer(known, await readStored(path));
      return known;
    },
    async write(remembered) {
      known = remembered;
      await replace(path, `${JSON.stringify(remembered, null, 2)}\n`);
    },
  };
}

/** A command on this machine may have written the file; but a file that was put back can't make the process forget. */
function newer(known: ArchiveMemoryState | null, stored: ArchiveMemoryState | null): ArchiveMemoryState | null {
  if (!known || !stored) return known ?? stored;
  const isLarger = checkpointIn(stored.note).size > checkpointIn(known.note).size;
  return { ...stored, note: isLarger ? stored.note : known.note };
}

async function readStored(path: string): Promise<ArchiveMemoryState | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return null;
  }
  try {
    const { since, note, copied } = JSON.parse(text) as ArchiveMemoryState;
    checkpointIn(note);
    return { since: Number(since), note, copied: copied ?? null };
  } catch (cause) {
    throw new ArchiveFault(`${path} is not as this node wrote it.`, { cause });
  }
}

/** After a crash at any moment the file is the old one or the new one. */
async function replace(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.new`;
  await writeFile(draft, text, { mode: 0o600, flush: true });
  await rename(draft, path);
  await using folder = await open(dirname(path));
  await folder.sync();
}
