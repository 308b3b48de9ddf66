import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

/** How much is buffered before it is written, so that many lines go in one call. */
const heldBytesMax = 1024 * 1024;

/**
 * A new file that is written from beginning to end. Archived texts are personal data: only the owner can read it. A file that
 * already exists is not touched.
 */
export async function createHashed(path: string) {
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
    async write(given: Buffer | string): Promise<void> {
      const piece = typeof given === 'string' ? Buffer.from(given) : given;
      held.push(piece);
      heldBytes += piece.length;
      bytes += piece.length;
      if (heldBytes >= heldBytesMax) await flush();
    },
    /** How many bytes were written so far. */
    bytes: () => bytes,
    /** Closes it, and returns its SHA-256 in hex. */
    async close(): Promise<string> {
      await flush();
      await file.close();
      return sum.digest('hex');
    },
  };
}
