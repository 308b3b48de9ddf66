import { createHash } from 'node:crypto';
import type { KeptLeaf } from '../../src/domain/ports.ts';
import { signer } from './small-archive.ts';

/** Leaves of a tree that is in no database. */
export function leavesFrom(first: number, count: number): KeptLeaf[] {
  return Array.from({ length: count }, (_, at) => ({
    leaf: first + at,
    advisorId: 7,
    number: first + at + 1,
    hash: createHash('sha256')
      .update(`${first + at}`)
      .digest(),
  }));
}

export function noteOf(size: number): string {
  const root = createHash('sha256').update(`${size} leaves`).digest('base64');
  return signer.sign(`${signer.verifier.name}\n${size}\n${root}\ntime ${new Date().toISOString()}\n`);
}
