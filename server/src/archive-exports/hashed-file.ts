import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

/** A new file that is written from its beginning to its end. */
export type HashedFile = {
  write(bytes: Buffer | string): Promise<void>;
  /** How much was written so far. */
  bytes(): number;
  /** Closes it, and returns its SHA-256 in hex. */
  close(): Promise<string>;
};

/** What is kept back before it is written: many lines go in one call. */
const heldBytesMax = 1024 * 1024;

/** What is archived is personal data: the file is its writer's alone. A file that is there already is not touched. */
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
