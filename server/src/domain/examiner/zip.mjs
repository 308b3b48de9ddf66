// --- Files, and the ZIP of e-mails: APPNOTE 6.3, without compression, as we write it ---------------------------------

import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';

const smallFileBytesMax = 16 * 1024 * 1024;
const pieceBytes = 1024 * 1024;

/** Opens a regular file only: no link that leads elsewhere, and no pipe that never ends. @param {string} path */
export function openRegular(path) {
  try {
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(fd);
    if (stat.isFile()) return { fd, size: stat.size };
    closeSync(fd);
    return null;
  } catch {
    return null;
  }
}

/** A whole file that should be small; null if it is missing, too large or not a regular file. @param {string} path */
export function readSmall(path) {
  const file = openRegular(path);
  if (!file) return null;
  try {
    return file.size <= smallFileBytesMax ? readFileSync(file.fd) : null;
  } finally {
    closeSync(file.fd);
  }
}

/** The SHA-256 of a regular file, in hex; null if there is none. @param {string} path */
export function sumOf(path) {
  const file = openRegular(path);
  if (!file) return null;
  const sum = createHash('sha256');
  try {
    for (const piece of piecesOf(file.fd)) sum.update(piece);
    return sum.digest('hex');
  } finally {
    closeSync(file.fd);
  }
}

/** What is left of a file, piece by piece. @param {number} fd */
export function* piecesOf(fd) {
  for (;;) {
    const piece = Buffer.allocUnsafe(pieceBytes);
    const bytes = readSync(fd, piece);
    if (bytes === 0) return;
    yield piece.subarray(0, bytes);
  }
}

export class NoZip extends Error {}

/**
 * `header` has the fields that a file's own header repeats.
 * @typedef {{ name: string, size: number, at: number, isPlain: boolean, header: Buffer }} ZippedFile
 */

/** The files of a ZIP, in the order of its directory. */
export class ZipReader {
  /** The file that comes next. @type {ZippedFile | null} */
  next = null;
  fd;
  #size;
  #directory = Buffer.alloc(0);
  /** Where in the directory the file after the next one is, and how many files there are from there on. */
  #at = 0;
  #left = 0;
  /** Where in the ZIP the files so far end. Some programs read files without the directory, so nothing may be in between. */
  #filesEnd = 0;
  #directoryBegin = 0;

  /** @param {{ fd: number, size: number }} file */
  constructor({ fd, size }) {
    this.fd = fd;
    this.#size = size;
  }

  /** Finds the directory. Our ZIPs have no comment: the last 22 bytes are the record that says where it is. */
  open() {
    const end = this.#read(this.#size - 22, 22);
    if (end.readUInt32LE(0) !== 0x06054b50) throw new NoZip('it has no end');
    let [files, bytes, begin] = [end.readUInt16LE(10), end.readUInt32LE(12), end.readUInt32LE(16)];
    let directoryEnd = this.#size - 22;
    if (files === 0xffff || bytes === 0xffffffff || begin === 0xffffffff) {
      const locator = this.#read(this.#size - 42, 20);
      if (locator.readUInt32LE(0) !== 0x07064b50) throw new NoZip('it is too large to be without ZIP64');
      directoryEnd = this.#size - 98;
      if (Number(locator.readBigUInt64LE(8)) !== directoryEnd) throw new NoZip('its end of ZIP64 is elsewhere');
      const wide = this.#read(directoryEnd, 56);
      if (wide.readUInt32LE(0) !== 0x06064b50) throw new NoZip('it has no end of ZIP64');
      const number = (/** @type {number} */ at) => Number(wide.readBigUInt64LE(at));
      [files, bytes, begin] = [number(32), number(40), number(48)];
    }
    if (begin + bytes !== directoryEnd) throw new NoZip('its directory is not at its end');
    this.#directory = this.#read(begin, bytes);
    this.#directoryBegin = begin;
    this.#left = files;
    this.pass();
  }

  /** Goes on to the next file. */
  pass() {
    this.next = null;
    if (this.#left === 0) {
      const isWhole = this.#filesEnd === this.#directoryBegin && this.#at === this.#directory.length;
      if (!isWhole) throw new NoZip('it has more than the files in its directory');
      return;
    }
    this.#left -= 1;
    const record = this.#directory.subarray(this.#at);
    if (record.length < 46 || record.readUInt32LE(0) !== 0x02014b50) throw new NoZip('its directory is broken');
    const [flags, method] = [record.readUInt16LE(8), record.readUInt16LE(10)];
    const [size, begin] = [record.readUInt32LE(20), record.readUInt32LE(42)];
    const [nameBytes, extraBytes] = [record.readUInt16LE(28), record.readUInt16LE(30)];
    const extra = record.subarray(46 + nameBytes, 46 + nameBytes + extraBytes);
    this.#at += 46 + nameBytes + extraBytes;
    // Only a file's offset can be beyond 4 GiB, and then it is the only field in the ZIP64 record.
    const isFar = begin === 0xffffffff && extra.length === 12 && extra.readUInt16LE(0) === 1;
    const name = record.toString('latin1', 46, 46 + nameBytes);
    // Other programs take a different name from an extra field, and skip a comment, whatever is in it.
    if ((extraBytes > 0 && !isFar) || record.readUInt16LE(32) > 0)
      throw new NoZip(`${name} has more in its directory than a name`);
    const at = isFar ? Number(extra.readBigUInt64LE(4)) : begin;
    if (at !== this.#filesEnd) throw new NoZip(`${name} is not where the file before it ends`);
    this.#filesEnd = at + 30 + nameBytes + size;
    const isPlain = flags === 0 && method === 0 && record.readUInt32LE(24) === size;
    this.next = { name, size, at, isPlain, header: record.subarray(6, 30) };
  }

  /** Whether a file with this name is still to come. @param {string} name */
  has(name) {
    const [at, left, next, filesEnd] = [this.#at, this.#left, this.next, this.#filesEnd];
    while (this.next && this.next.name !== name) this.pass();
    const isThere = this.next !== null;
    [this.#at, this.#left, this.next, this.#filesEnd] = [at, left, next, filesEnd];
    return isThere;
  }

  /** A file's content; null if it has a different size, or is compressed. @param {ZippedFile} file @param {number} bytes */
  content({ name, size, at, isPlain, header }, bytes) {
    if (!isPlain || size !== bytes) return null;
    const content = 30 + name.length;
    const file = this.#read(at, content + bytes);
    if (file.readUInt32LE(0) !== 0x04034b50) throw new NoZip(`${name} is not where its directory says`);
    if (file.toString('latin1', 30, content) !== name) throw new NoZip(`${name} has a different name in its header`);
    if (!file.subarray(4, 28).equals(header) || file.readUInt16LE(28) !== 0)
      throw new NoZip(`the header of ${name} is not the one in its directory`);
    return file.subarray(content);
  }

  /** @param {number} at @param {number} bytes */
  #read(at, bytes) {
    if (!(at >= 0 && bytes >= 0 && at + bytes <= this.#size)) throw new NoZip('it is shorter than it says');
    const part = Buffer.alloc(bytes);
    if (readSync(this.fd, part, 0, bytes, at) < bytes) throw new NoZip('it became shorter while it was read');
    return part;
  }
}
