// --- The tree: RFC 6962, section 2 -----------------------------------------------------------------------------------

import { hash } from 'node:crypto';

export const hashBytes = 32;

/** @param {Uint8Array} bytes @returns {Buffer} */
export function sha256(bytes) {
  return Buffer.from(hash('sha256', bytes), 'hex');
}

const [leafPrefix, nodePrefix] = [Buffer.of(0), Buffer.of(1)];

/** @param {Uint8Array} bytes @returns {Buffer} */
export function leafHash(bytes) {
  return sha256(Buffer.concat([leafPrefix, bytes]));
}

/** @param {Uint8Array} left @param {Uint8Array} right @returns {Buffer} */
export function nodeHash(left, right) {
  return sha256(Buffer.concat([nodePrefix, left, right]));
}

/**
 * Tells which leaves are in a tree (RFC 9162, 2.1.3.2). Neighbors share most of their path to the root, so a path ends where it
 * meets the last one that led there: without that, it would take half as long again.
 */
export class Inclusion {
  #size;
  #root;
  /**
   * The last path that led to the root: the place and the hash of its node at each level.
   * @type {{ at: number, hash: Buffer }[]}
   */
  #proven = [];

  /** @param {{ size: number, root: Buffer }} tree */
  constructor({ size, root }) {
    this.#size = size;
    this.#root = root;
  }

  /**
   * Whether the proof, hashes in base64, leads from this leaf to the root.
   * @param {Buffer} leaf @param {number} index @param {string[]} proof
   */
  has(leaf, index, proof) {
    if (index >= this.#size) return false;
    /** @type {{ at: number, hash: Buffer }[]} */
    const path = [];
    let [hash, used] = [leaf, 0];
    let [at, last] = [index, this.#size - 1];
    while (last > 0) {
      const met = this.#proven[path.length];
      if (met?.at === at) return met.hash.equals(hash) && this.#remember(path);
      path.push({ at, hash });
      // The last node of a level may have none beside it: it moves up as it is.
      if (at < last || at % 2 === 1) {
        const sibling = Buffer.from(proof[used++] ?? '', 'base64');
        if (sibling.length !== hashBytes) return false;
        hash = at % 2 === 0 ? nodeHash(hash, sibling) : nodeHash(sibling, hash);
      }
      [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
    }
    return used === proof.length && hash.equals(this.#root) && this.#remember(path);
  }

  /** @param {{ at: number, hash: Buffer }[]} path */
  #remember(path) {
    this.#proven.splice(0, path.length, ...path);
    return true;
  }
}

/**
 * Whether the newer tree begins with the older one (RFC 9162, 2.1.4.2).
 * @param {{ older: { size: number, root: Buffer }, newer: { size: number, root: Buffer }, proof: Buffer[] }} given
 * @returns {boolean}
 */
export function isConsistent({ older, newer, proof }) {
  if (older.size > newer.size) return false;
  if (older.size === newer.size) return proof.length === 0 && older.root.equals(newer.root);
  if (older.size === 0) return proof.length === 0;
  const path = isPowerOfTwo(older.size) ? [older.root, ...proof] : [...proof];
  let [at, last] = [older.size - 1, newer.size - 1];
  while (at % 2 === 1) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  const first = path.shift();
  if (!first) return false;
  let [olderRoot, newerRoot] = [first, first];
  for (const sibling of path) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      olderRoot = nodeHash(sibling, olderRoot);
      newerRoot = nodeHash(sibling, newerRoot);
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)];
    } else newerRoot = nodeHash(newerRoot, sibling);
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 && olderRoot.equals(older.root) && newerRoot.equals(newer.root);
}

/** @param {number} count */
function isPowerOfTwo(count) {
  return Number.isInteger(Math.log2(count));
}
