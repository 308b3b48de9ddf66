import { join } from 'node:path';
import type { CheckpointFolder, KeptCheckpoint } from '../../domain/ports.ts';
import { appendTo, findAtEnd, openToRead, reading } from './append-only-files.ts';
import { leafLine, leafReader, leavesIn } from './leaves.ts';

const lineEnd = '\n';
/** A note also has an empty line before its signatures. */
const noteEnd = '\n\n';
const noteCharactersMax = 16 * 1024;
/** A checkpoint that ends with a signature by the name it begins with; one that was cut short has no complete signature. */
const noteForm =
  /^(\S+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n(?:.+\n)*\n(?:— .+\n)*?— \1 [A-Za-z0-9+/]{91}=\n(?:— .+\n)*/gm;

/** Opens an existing folder, with two append-only files: `checkpoints` and `leaves`. */
export function openCheckpointFolder(path: string): CheckpointFolder {
  const checkpoints = join(path, 'checkpoints');
  const leaves = join(path, 'leaves');
  const reader = leafReader();
  return {
    path,
    lengths: async () => ({ checkpoints: await lengthOf(checkpoints), leaves: await lengthOf(leaves) }),
    last: () => reading(checkpoints, null, async (file) => (await findAtEnd(file, noteEnd, lastNote)) ?? null),
    leafCount: () =>
      reading(leaves, 0, async (file) => {
        const last = await findAtEnd(file, lineEnd, (lines) => leavesIn(lines).at(-1));
        return last ? last.leaf + 1 : 0;
      }),
    async append(newLeaves, notes) {
      if (newLeaves.length > 0) await appendTo(leaves, lineEnd, newLeaves.map(leafLine).join(''));
      if (notes.length > 0) await appendTo(checkpoints, noteEnd, notes.map((note) => `${note}\n`).join(''));
    },
    notes: () => notesIn(checkpoints),
    leaves: (from, to) => reading(leaves, [], (file) => reader(file, from, to)),
  };
}

function lengthOf(path: string): Promise<number | null> {
  return reading<number | null>(path, null, async (file) => (await file.stat()).size);
}

function lastNote(text: string): KeptCheckpoint | undefined {
  const [note, , size = '', root = ''] = [...text.matchAll(noteForm)].at(-1) ?? [];
  return note === undefined ? undefined : { size: Number(size), root: Buffer.from(root, 'base64'), note };
}

async function* notesIn(path: string): AsyncGenerator<string> {
  const file = await openToRead(path);
  if (!file) return;
  let rest = '';
  for await (const chunk of file.createReadStream({ encoding: 'utf8' })) {
    const text = rest + chunk;
    let read = 0;
    for (const { 0: note, index } of text.slice(0, text.lastIndexOf(noteEnd) + noteEnd.length).matchAll(noteForm)) {
      yield note;
      read = index + note.length;
    }
    // Text that is not a note doesn't pile up.
    rest = text.slice(read).slice(-noteCharactersMax);
  }
  for (const [note] of rest.matchAll(noteForm)) yield note;
}
