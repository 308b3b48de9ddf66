import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  append,
  consistencyRanges,
  type Edge,
  edgeWidths,
  emptyRoot,
  hashesOf,
  inclusionRanges,
  rootOf,
  tileName,
  tilesNeeded,
} from '../../src/domain/archive/merkle.ts';
import { isConsistent, leafHash, nodeHash, rootByInclusion } from '../../src/domain/examiner/verify.mjs';

/** The tree exactly as RFC 6962 defines it. */
function plainRoot(leaves: Buffer[]): Buffer {
  if (leaves.length === 0) return emptyRoot;
  if (leaves.length === 1) return leaves[0] as Buffer;
  let middle = 1;
  while (middle * 2 < leaves.length) middle *= 2;
  return nodeHash(plainRoot(leaves.slice(0, middle)), plainRoot(leaves.slice(middle)));
}

const leaves = Array.from({ length: 70_000 }, (_, at) => leafHash(Buffer.from(`entry ${at}`)));
const roots = new Map<number, Buffer>();

/** The root of the tree of the first leaves, computed once for each size. */
function plainRootAt(size: number): Buffer {
  return roots.getOrInsertComputed(size, () => plainRoot(leaves.slice(0, size)));
}

function grow(sizes: number[]) {
  let edge: Edge = [];
  let size = 0;
  const tiles = new Map<string, Buffer>();
  for (const next of sizes) {
    const grown = append(size, edge, leaves.slice(size, next));
    for (const tile of grown.tiles) tiles.set(tileName(tile), tile.hashes);
    edge = grown.edge;
    size = next;
  }
  return { edge, tiles, size };
}

test('an empty tree and a single leaf have the roots that RFC 6962 defines', () => {
  assert.deepEqual(rootOf([]), createHash('sha256').digest());
  assert.deepEqual(rootOf([leaves[0] as Buffer]), leaves[0]);
});

test('however the tree grows, its root matches the definition and its edge the size', () => {
  const sizes = fc.uniqueArray(fc.integer({ min: 1, max: 1_500 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(sizes, (given) => {
      const { edge, size } = grow(given.sort((a, b) => a - b));
      assert.deepEqual(rootOf(edge), plainRootAt(size));
      assert.deepEqual(
        edge.map((hashes) => hashes.length / 32),
        edgeWidths(size),
      );
    }),
    { numRuns: 60 },
  );
});

test('three levels of tiles have the right root', () => {
  const { edge } = grow([65_536, 66_000, 70_000]);
  assert.deepEqual(rootOf(edge), plainRootAt(leaves.length));
});

test('every leaf of every small tree can be proved, and nothing else', () => {
  const { tiles } = grow([1, 3, 64, 300]);
  for (const size of [1, 2, 3, 5, 8, 31, 256, 257, 300])
    for (let index = 0; index < size; index += 1) {
      const proof = hashesOf(inclusionRanges(index, size), tiles);
      const root = plainRootAt(size);
      const leaf = leaves[index] as Buffer;
      assert.deepEqual(rootByInclusion({ leaf, index, size, proof }), root);
      assert.notDeepEqual(rootByInclusion({ leaf: leaves[index + 1] as Buffer, index, size, proof }), root);
      if (proof.length > 0) assert.notDeepEqual(rootByInclusion({ leaf, index, size, proof: proof.slice(1) }), root);
    }
});

test('a tree can be proved to begin with each smaller one, and with no other', () => {
  const { tiles } = grow([300]);
  for (const newer of [1, 2, 7, 8, 255, 256, 257, 300])
    for (let older = 0; older <= newer; older += 1) {
      const proof = hashesOf(consistencyRanges(older, newer), tiles);
      const [oldRoot, newRoot] = [plainRootAt(older), plainRootAt(newer)];
      const given = { older: { size: older, root: oldRoot }, newer: { size: newer, root: newRoot }, proof };
      assert.ok(isConsistent(given), `${older} ${newer}`);
      const wrong = { ...given, older: { size: older, root: leafHash(oldRoot) } };
      if (older > 0) assert.ok(!isConsistent(wrong), `${older} ${newer}`);
    }
});

test('proofs in a large tree need few tiles', () => {
  const { tiles } = grow([70_000]);
  const ranges = inclusionRanges(12_345, 70_000);
  assert.ok(tilesNeeded(ranges).length <= 6);
  const proof = hashesOf(ranges, tiles);
  const given = { leaf: leaves[12_345] as Buffer, index: 12_345, size: 70_000, proof };
  assert.deepEqual(rootByInclusion(given), plainRootAt(leaves.length));
});
