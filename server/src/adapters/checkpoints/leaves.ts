import type { FileHandle } from 'node:fs/promises';
import type { KeptLeaf } from '../../domain/ports.ts';
import { readAt } from './append-only-files.ts';

/** Complete consecutive lines of a file, and their first and last leaf. */
type Stretch = { at: number; bytes: number; first: number; last: number };

const stretchBytes = 256 * 1024;
const lineForm = /^(\d{1,16}) (\d{1,16})\/(\d{1,16}) ([A-Za-z0-9+/]{43}=)\n/gm;
const lineBeginning = /^(\d{1,16}) /gm;

export function leafLine({ leaf, advisorId, number, hash }: KeptLeaf): string {
  return `${leaf} ${advisorId}/${number} ${hash.toString('base64')}\n`;
}

/** The leaves in complete lines; other lines are ignored. */
export function leavesIn(lines: string): KeptLeaf[] {
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
export function leafReader(): (file: FileHandle, from: number, to: number) => Promise<KeptLeaf[]> {
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
