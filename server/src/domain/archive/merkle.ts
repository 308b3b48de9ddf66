import { setImmediate as others } from 'node:timers/promises';
import { hashBytes, nodeHash } from '../examiner/tree.mjs';

/**
 * An append-only Merkle tree, hashed as in RFC 6962 and stored in tiles of 256 hashes (C2SP tlog-tiles): tile N of level L
 * has the hashes of the complete subtrees of 256^L leaves, beginning with the 256·N-th. A tile that is not full yet is
 * stored too, and replaced as it fills up.
 */
export type Tile = { level: number; tile: number; hashes: Buffer };

/** The tiles at the right edge that are not full, by level: all that is needed to append. */
export type Edge = Buffer[];

/** A complete subtree of 2^level leaves, the index-th at its level. */
type Node = { level: number; index: number };
/** Leaves from `from` up to but not including `to`. */
type Range = { from: number; to: number };

const tileBits = 8;
export const tileWidth = 2 ** tileBits;

export const emptyRoot = Buffer.from('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 'hex');

/** How many hashes the last, incomplete tile has at each level of a tree of that size. */
export function edgeWidths(size: number): number[] {
  const widths = [];
  for (let rest = size; rest > 0; rest = Math.floor(rest / tileWidth)) widths.push(rest % tileWidth);
  return widths;
}

/**
 * Adds leaves to the tree: returns its new edge, and every tile that is new or has grown. It pauses after each tile, so that
 * nobody's request waits for thousands of hashes.
 */
export async function append(size: number, edge: Edge, leaves: Iterable<Buffer>) {
  const tree = openTree(size, edge);
  for (const leaf of leaves) {
    tree.add(leaf);
    if (tree.size() % tileWidth === 0) await others();
  }
  const grown = edgeTiles(tree.size(), tree.edge());
  const isNew = ({ level, hashes }: Tile) => !hashes.equals(edge[level] ?? Buffer.alloc(0));
  return { edge: tree.edge(), tiles: [...tree.takeFullTiles(), ...grown.filter(isNew)] };
}

export function rootOf(edge: Edge): Buffer {
  return openTree(0, edge).root();
}

/** The tiles at the right edge of a tree, which are not full. */
export function edgeTiles(size: number, edge: Edge): Tile[] {
  const tiles = edge.map((hashes, level) => ({ level, tile: Math.floor(size / tileWidth ** (level + 1)), hashes }));
  return tiles.filter(({ hashes }) => hashes.length > 0);
}

/** A tree that grows by one leaf at a time: a leaf costs one more hash on average, and a root one for each level. */
export type GrowingTree = ReturnType<typeof openTree>;

export function openTree(size: number, edge: Edge) {
  /** The complete subtrees that the tree consists of, by height: at most one of each. */
  const subtrees = subtreesOf(edge);
  const tiles = edge.map((hashes) => ({ hashes: widened(hashes), used: hashes.length }));
  let full: Tile[] = [];
  let leaves = size;

  function keep(level: number, hash: Buffer): void {
    tiles[level] ??= { hashes: widened(noHashes), used: 0 };
    const tile = tiles[level];
    tile.hashes.set(hash, tile.used);
    tile.used += hashBytes;
    if (tile.used < tile.hashes.length) return;
    full.push({ level, tile: Math.ceil(leaves / tileWidth ** (level + 1)) - 1, hashes: tile.hashes });
    tiles[level] = { hashes: widened(noHashes), used: 0 };
  }

  return {
    size: () => leaves,
    root: (): Buffer => subtrees.reduce((right, left) => joined(left, right), undefined) ?? emptyRoot,
    edge: (): Edge => tiles.map(({ hashes, used }) => hashes.subarray(0, used)),
    add(leaf: Buffer): void {
      leaves += 1;
      let [hash, height] = [leaf, 0];
      for (; ; height += 1) {
        if (height % tileBits === 0) keep(height / tileBits, hash);
        const left = subtrees[height];
        if (!left) break;
        subtrees[height] = undefined;
        hash = nodeHash(left, hash);
      }
      subtrees[height] = hash;
    },
    /** The tiles that became full since the last call. */
    takeFullTiles(): Tile[] {
      const taken = full;
      full = [];
      return taken;
    },
  };
}

const noHashes = Buffer.alloc(0);

/** A copy with room for a whole tile. */
function widened(hashes: Buffer): Buffer {
  const wide = Buffer.alloc(tileWidth * hashBytes);
  wide.set(hashes);
  return wide;
}

function subtreesOf(edge: Edge): (Buffer | undefined)[] {
  const subtrees: (Buffer | undefined)[] = [];
  edge.map(split).forEach((hashes, level) => {
    for (let bit = tileBits - 1, at = 0; bit >= 0; bit -= 1)
      if (hashes.length - at >= 2 ** bit) {
        subtrees[level * tileBits + bit] = complete(hashes.slice(at, at + 2 ** bit));
        at += 2 ** bit;
      }
  });
  return subtrees;
}

/** The larger subtree is on the left. */
function joined(left: Buffer | undefined, right: Buffer | undefined): Buffer | undefined {
  return left && right ? nodeHash(left, right) : (left ?? right);
}

export type Tiles = ReadonlyMap<string, Buffer>;

export function tileName({ level, tile }: Pick<Tile, 'level' | 'tile'>): string {
  return `${level}/${tile}`;
}

/** The proof that the leaf is in the tree of that size, as ranges; `hashesOf` returns their hashes. */
export function inclusionRanges(leaf: number, size: number): Range[] {
  const ranges: Range[] = [];
  let [from, to] = [0, size];
  while (to - from > 1) {
    const middle = from + largestPowerBelow(to - from);
    if (leaf < middle) {
      ranges.unshift({ from: middle, to });
      to = middle;
    } else {
      ranges.unshift({ from, to: middle });
      from = middle;
    }
  }
  return ranges;
}

/** The proof that the newer tree begins with the older one, as ranges. */
export function consistencyRanges(older: number, newer: number): Range[] {
  if (older === 0 || older >= newer) return [];
  const ranges: Range[] = [];
  let [from, to] = [0, newer];
  let wholeBeginning = true;
  while (to - from !== older - from) {
    const middle = from + largestPowerBelow(to - from);
    if (older <= middle) {
      ranges.unshift({ from: middle, to });
      to = middle;
    } else {
      ranges.unshift({ from, to: middle });
      from = middle;
      wholeBeginning = false;
    }
  }
  // The verifier knows the older root already, unless the last subtree is only a part of it.
  return wholeBeginning ? ranges : [{ from, to }, ...ranges];
}

/** The tiles from which these ranges' hashes are computed. */
export function tilesNeeded(ranges: Range[]): Pick<Tile, 'level' | 'tile'>[] {
  const needed = new Map<string, Pick<Tile, 'level' | 'tile'>>();
  for (const node of ranges.flatMap(nodesOf)) {
    const tile = tileOf(node);
    needed.set(tileName(tile), tile);
  }
  return [...needed.values()];
}

export function hashesOf(ranges: Range[], tiles: Tiles): Buffer[] {
  return ranges.map((range) => {
    const hashes = nodesOf(range).map((node) => hashOf(node, tiles));
    return hashes.reduceRight((right, left) => nodeHash(left, right));
  });
}

/** A range begins where a subtree does, so it consists of complete subtrees, the largest first. */
function nodesOf({ from, to }: Range): Node[] {
  const nodes: Node[] = [];
  for (let at = from; at < to; ) {
    let level = 0;
    while (at % 2 ** (level + 1) === 0 && at + 2 ** (level + 1) <= to) level += 1;
    nodes.push({ level, index: at / 2 ** level });
    at += 2 ** level;
  }
  return nodes;
}

function tileOf({ level, index }: Node): Pick<Tile, 'level' | 'tile'> {
  const inTile = level % tileBits;
  return { level: Math.floor(level / tileBits), tile: Math.floor((index * 2 ** inTile) / tileWidth) };
}

function hashOf(node: Node, tiles: Tiles): Buffer {
  const name = tileName(tileOf(node));
  const hashes = tiles.get(name);
  const width = 2 ** (node.level % tileBits);
  const at = (node.index * width) % tileWidth;
  const bytes = hashes?.subarray(at * hashBytes, (at + width) * hashBytes);
  if (bytes?.length !== width * hashBytes) throw new Error(`Tile ${name} of the archive is missing or too short.`);
  return complete(split(bytes));
}

/** The root of a complete subtree, whose hashes are a power of two in number. */
function complete(hashes: Buffer[]): Buffer {
  let row = hashes;
  while (row.length > 1)
    row = Array.from({ length: row.length / 2 }, (_, at) => nodeHash(row[2 * at] as Buffer, row[2 * at + 1] as Buffer));
  return row[0] as Buffer;
}

function split(hashes: Buffer): Buffer[] {
  return Array.from({ length: hashes.length / hashBytes }, (_, at) =>
    hashes.subarray(at * hashBytes, (at + 1) * hashBytes),
  );
}

function largestPowerBelow(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}
