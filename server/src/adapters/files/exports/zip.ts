import { createReadStream } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { createHashed } from './hashed-file.ts';

type Member = { name: string; crc: number; size: number; time: Date; at: number };

const version = 45;
/** A value that doesn't fit into 16 or 32 bits is written as all ones. */
const max16 = 0xffff;
const max32 = 0xffffffff;

/**
 * A ZIP that is written from beginning to end (APPNOTE 6.3), with ZIP64 where needed. It is not compressed: that would save
 * only a third of a short e-mail in base64, and take ten times as long.
 */
export async function createZip(path: string) {
  const file = await createHashed(path);
  // A directory of many files is kept in a file of its own until the end, and not in memory.
  const directoryPath = `${path}.directory`;
  const directory = await createHashed(directoryPath);
  let count = 0;

  async function begin(member: Omit<Member, 'at'>): Promise<void> {
    const at = file.bytes();
    await file.write(localHeader({ ...member, at }));
    await directory.write(directoryRecord({ ...member, at }));
    count += 1;
  }

  return {
    async add(name: string, bytes: Buffer, time: Date): Promise<void> {
      await begin({ name, crc: crc32(bytes), size: bytes.length, time });
      await file.write(bytes);
    },
    /** Adds a file that is on disk already. */
    async addWritten(name: string, writtenPath: string, time: Date): Promise<void> {
      let [crc, size] = [0, 0];
      for await (const piece of createReadStream(writtenPath)) [crc, size] = [crc32(piece, crc), size + piece.length];
      if (size >= max32) throw new Error(`${name} is too large for a ZIP.`);
      await begin({ name, crc, size, time });
      for await (const piece of createReadStream(writtenPath)) await file.write(piece);
    },
    /** Writes the directory and closes the file; returns its SHA-256 in hex. */
    async close(): Promise<string> {
      const at = file.bytes();
      await directory.close();
      for await (const piece of createReadStream(directoryPath)) await file.write(piece);
      await unlink(directoryPath);
      await file.write(endRecords(count, at, file.bytes()));
      return file.close();
    },
  };
}

function localHeader(member: Member): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(version, 4);
  writeCommon(header, 6, member);
  return Buffer.concat([header, Buffer.from(member.name)]);
}

function directoryRecord(member: Member): Buffer {
  const { name, at } = member;
  const extra = at >= max32 ? farOffset(at) : Buffer.alloc(0);
  const record = Buffer.alloc(46);
  record.writeUInt32LE(0x02014b50, 0);
  // Made on Unix, so that the external attributes are a mode: a file that its owner can read and write.
  record.writeUInt16LE((3 << 8) | version, 4);
  record.writeUInt16LE(version, 6);
  writeCommon(record, 8, member);
  record.writeUInt16LE(extra.length, 30);
  record.writeUInt32LE(0o100600 * 2 ** 16, 38);
  record.writeUInt32LE(Math.min(at, max32), 42);
  return Buffer.concat([record, Buffer.from(name), extra]);
}

/** The fields that both headers have. Flags and method stay 0: names are ASCII, sizes are known, nothing is compressed. */
function writeCommon(into: Buffer, from: number, { name, crc, size, time }: Member): void {
  into.writeUInt32LE(dosTime(time), from + 4);
  into.writeUInt32LE(crc, from + 8);
  into.writeUInt32LE(size, from + 12);
  into.writeUInt32LE(size, from + 16);
  into.writeUInt16LE(name.length, from + 20);
}

function farOffset(at: number): Buffer {
  const extra = Buffer.alloc(12);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(8, 2);
  extra.writeBigUInt64LE(BigInt(at), 4);
  return extra;
}

/** In UTC, so that an export is the same everywhere. DOS counts in steps of two seconds, and begins in 1980. */
function dosTime(time: Date): number {
  const year = Math.min(Math.max(time.getUTCFullYear(), 1980), 2107);
  const date = ((year - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  return date * 2 ** 16 + clock;
}

function endRecords(count: number, at: number, end: number): Buffer {
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x06054b50, 0);
  record.writeUInt16LE(Math.min(count, max16), 8);
  record.writeUInt16LE(Math.min(count, max16), 10);
  record.writeUInt32LE(Math.min(end - at, max32), 12);
  record.writeUInt32LE(Math.min(at, max32), 16);
  if (count < max16 && end < max32) return record;
  const wide = Buffer.alloc(56);
  wide.writeUInt32LE(0x06064b50, 0);
  wide.writeBigUInt64LE(44n, 4);
  wide.writeUInt16LE(version, 12);
  wide.writeUInt16LE(version, 14);
  for (const place of [24, 32]) wide.writeBigUInt64LE(BigInt(count), place);
  wide.writeBigUInt64LE(BigInt(end - at), 40);
  wide.writeBigUInt64LE(BigInt(at), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(end), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([wide, locator, record]);
}
