import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

/** A new file that is written from beginning to end. */
export type HashedFile = {
  write(bytes: Buffer | string): Promise<void>;
  /** How many bytes were written so far. */
  bytes(): number;
  /** Closes it, and returns its SHA-256 in hex. */
  close(): Promise<string>;
};

/** How much is buffered before it is written, so that many lines go in one call. */
const heldBytesMax = 1024 * 1024;

/** Archived texts are personal data: only the owner can read the file. A file that already exists is not touched. */
export async function createHashed(path: string): Promise<HashedFile> {
  const file = await open(path, 'wx', 0o600);
  const sum = createHash('sha256');
  let held: Buffer[] = [];
  let heldBytes = 0;
  let bytes = 0;

  async function flush(): Promise<void> {
    const piece = Buffer.concat(held);
    held = [];
    heldBytes = 0;
    sum.update(piece);
    await file.writeFile(piece);
  }

  return {
    async write(given) {
      const piece = typeof given === 'string' ? Buffer.from(given) : given;
      held.push(piece);
      heldBytes += piece.length;
      bytes += piece.length;
      if (heldBytes >= heldBytesMax) await flush();
    },
    bytes: () => bytes,
    async close() {
      await flush();
      await file.close();
      return sum.digest('hex');
    },
  };
}
