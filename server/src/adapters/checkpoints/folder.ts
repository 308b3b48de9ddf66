import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckpointFolder, KeptCheckpoint, KeptLeaf } from '../../domain/ports.ts';
import { appendTo, findAtEnd, openToRead, readAt, reading } from './append-only-files.ts';

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

/** Complete consecutive lines of a file, and their first and last leaf. */
type Stretch = { at: number; bytes: number; first: number; last: number };

const stretchBytes = 256 * 1024;
const lineForm = /^(\d{1,16}) (\d{1,16})\/(\d{1,16}) ([A-Za-z0-9+/]{43}=)\n/gm;
const lineBeginning = /^(\d{1,16}) /gm;

function leafLine({ leaf, advisorId, number, hash }: KeptLeaf): string {
  return `${leaf} ${advisorId}/${number} ${hash.toString('base64')}\n`;
}

/** The leaves in complete lines; other lines are ignored. */
function leavesIn(lines: string): KeptLeaf[] {
  return Array.from(lines.matchAll(lineForm), ([, leaf, advisorId, number, hash = '']) => ({
    leaf: Number(leaf),
    advisorId: Number(advisorId),
    number: Number(number),
    hash: Buffer.from(hash, 'base64'),
  }));
}

/**
 * Reads leaves from a large file. It reads the file once to learn where they are, which stays true since the file only grows.
 * If there are two lines for a leaf, the later one counts: the first was cut short, or two nodes wrote the same.
 */
function leafReader(): (file: FileHandle, from: number, to: number) => Promise<KeptLeaf[]> {
  const stretches: Stretch[] = [];
  let lastRead = { at: -1, leaves: [] as KeptLeaf[] };
  let knownBytes = 0;
  let looking = Promise.resolve();

  async function look(file: FileHandle): Promise<void> {
    const { size } = await file.stat();
    while (knownBytes < size) {
      const piece = await readAt(file, knownBytes, Math.min(stretchBytes, size - knownBytes));
      const end = piece.lastIndexOf('\n') + 1;
      // The last line is not complete yet.
      if (end === 0 && piece.length < stretchBytes) return;
      const bytes = end || piece.length;
      stretches.push({ at: knownBytes, bytes, ...boundsOf(piece.toString('latin1', 0, bytes)) });
      knownBytes += bytes;
    }
  }

  return async (file, from, to) => {
    looking = looking.catch(() => {}).then(() => look(file));
    await looking;
    const found = new Map<number, KeptLeaf>();
    for (const { at, bytes } of stretches.filter(({ first, last }) => first < to && last >= from)) {
      // Somebody who reads on from here needs the rest of this stretch first.
      if (lastRead.at !== at) lastRead = { at, leaves: leavesIn((await readAt(file, at, bytes)).toString('latin1')) };
      for (const each of lastRead.leaves) if (each.leaf >= from && each.leaf < to) found.set(each.leaf, each);
    }
    return [...found.values()].sort((a, b) => a.leaf - b.leaf);
  };
}

function boundsOf(lines: string): { first: number; last: number } {
  let [first, last] = [Number.POSITIVE_INFINITY, -1];
  for (const [, leaf] of lines.matchAll(lineBeginning)) {
    first = Math.min(first, Number(leaf));
    last = Math.max(last, Number(leaf));
  }
  return { first, last };
}
