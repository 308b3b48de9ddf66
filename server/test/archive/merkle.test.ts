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
import { Inclusion, isConsistent, leafHash, nodeHash } from '../../src/domain/examiner/tree.mjs';
import { rounds } from '../support/rounds.ts';

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

const inBase64 = (hash: Buffer) => hash.toString('base64');

function proofOf(index: number, size: number, tiles: ReadonlyMap<string, Buffer>): string[] {
  return hashesOf(inclusionRanges(index, size), tiles).map(inBase64);
}

async function grow(sizes: number[]) {
  let edge: Edge = [];
  let size = 0;
  const tiles = new Map<string, Buffer>();
  for (const next of sizes) {
    const grown = await append(size, edge, leaves.slice(size, next));
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

test('a tree of several leaves has the root that Certificate Transparency publishes for it', () => {
  const bytes = [
    '',
    '00',
    '10',
    '2021',
    '3031',
    '40414243',
    '5051525354555657',
    '606162636465666768696a6b6c6d6e6f',
  ].map((hex) => leafHash(Buffer.from(hex, 'hex')));
  const published = [
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
    '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
    'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
    '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  ];
  const roots = published.map((_, last) => rootOf([Buffer.concat(bytes.slice(0, last + 1))]).toString('hex'));
  assert.deepEqual(roots, published);
});

test('however the tree grows, its root matches the definition and its edge the size', async () => {
  const sizes = fc.uniqueArray(fc.integer({ min: 1, max: 1_500 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(sizes, async (given) => {
      const { edge, size } = await grow(given.sort((a, b) => a - b));
      assert.deepEqual(rootOf(edge), plainRootAt(size));
      assert.deepEqual(
        edge.map((hashes) => hashes.length / 32),
        edgeWidths(size),
      );
    }),
    { numRuns: rounds(60) },
  );
});

test('three levels of tiles have the right root', async () => {
  const { edge } = await grow([65_536, 66_000, 70_000]);
  assert.deepEqual(rootOf(edge), plainRootAt(leaves.length));
});

test('every leaf of every small tree can be proved, and nothing else', async () => {
  const { tiles } = await grow([1, 3, 64, 300]);
  for (const size of [1, 2, 3, 5, 8, 31, 256, 257, 300])
    for (let index = 0; index < size; index += 1) {
      const proof = proofOf(index, size, tiles);
      const leaf = leaves[index] as Buffer;
      const has = (given: Buffer, at: number, path = proof) =>
        new Inclusion({ size, root: plainRootAt(size) }).has(given, at, path);
      assert.ok(has(leaf, index));
      assert.ok(!has(leaves[index + 1] as Buffer, index));
      assert.ok(!has(leaf, index, [...proof, leaf.toString('base64')]));
      if (proof.length > 0) assert.ok(!has(leaf, index, proof.slice(1)));
      if (proof.length > 0) assert.ok(!has(leaf, index, [proof[0]?.slice(4) ?? '', ...proof.slice(1)]));
      for (const other of [index + 1, index - 1, size]) if (other >= 0) assert.ok(!has(leaf, other));
    }
});

test('a leaf is proven only where its proof leads to the root, whatever came before it', async () => {
  const { tiles } = await grow([1, 3, 64, 300]);
  for (const size of [1, 2, 3, 7, 8, 33, 64, 70]) {
    const tree = new Inclusion({ size, root: plainRootAt(size) });
    for (let run = 0; run < 4 * size; run += 1) {
      const at = Math.floor(Math.random() * size);
      const proof = proofOf(at, size, tiles);
      const leaf = leaves[at] as Buffer;
      assert.ok(tree.has(leaf, at, proof), `${at} of ${size}`);
      assert.ok(!tree.has(leafHash(leaf), at, proof));
      assert.ok(!tree.has(leaf, at + 1, proof));
      if (size > 1) assert.ok(!tree.has(leaf, (at + 1) % size, proof));
    }
  }
});

test('a tree can be proved to begin with each smaller one, and with no other', async () => {
  const { tiles } = await grow([300]);
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

test('proofs in a large tree need few tiles', async () => {
  const { tiles } = await grow([70_000]);
  const ranges = inclusionRanges(12_345, 70_000);
  assert.ok(tilesNeeded(ranges).length <= 6);
  const proof = hashesOf(ranges, tiles).map(inBase64);
  const tree = new Inclusion({ size: 70_000, root: plainRootAt(leaves.length) });
  assert.ok(tree.has(leaves[12_345] as Buffer, 12_345, proof));
});
