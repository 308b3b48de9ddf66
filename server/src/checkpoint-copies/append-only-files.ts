import { constants } from 'node:fs';
import { access, type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';

// Nothing but open to append, write and sync, so that a file system which allows no more than that is enough.
const appending = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
const ownerOnly = 0o600;
const tailBytesMin = 4 * 1024;
/** More than a write that was cut short can leave behind. */
const tailBytesMax = 16 * 1024 * 1024;

/** Adds records, each of which ends with `end`, to a file in a folder that is there; they are on the disk once it returns. */
export async function appendTo(path: string, end: string, records: string): Promise<void> {
  const file = await open(path, appending, ownerOnly);
  try {
    const { size } = await file.stat();
    const bytes = Buffer.from(`${await cutShort(file, size, end)}${records}`);
    // In one call: what another node appends comes before all of it or after, never between.
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten < bytes.length)
      throw new Error(`Only ${bytesWritten} of ${bytes.length} bytes could be appended to ${path}.`);
    await file.sync();
    if (size === 0) await syncFolder(dirname(path));
  } finally {
    await file.close();
  }
}

/** Null where it isn't there yet. A folder that isn't there is a fault and no empty folder: its disk may not be mounted. */
export async function openToRead(path: string): Promise<FileHandle | null> {
  try {
    return await open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await access(dirname(path));
    return null;
  }
}

/** Reads a file; where it isn't there yet, that means `otherwise`. */
export async function reading<Result>(
  path: string,
  otherwise: Result,
  read: (file: FileHandle) => Promise<Result>,
): Promise<Result> {
  const file = await openToRead(path);
  if (!file) return otherwise;
  try {
    return await read(file);
  } finally {
    await file.close();
  }
}

/** What `find` finds in the records at the end of a file, in more and more of them until it does. */
export async function findAtEnd<Result>(
  file: FileHandle,
  end: string,
  find: (records: string) => Result | undefined,
): Promise<Result | undefined> {
  const { size } = await file.stat();
  for (let bytes = tailBytesMin; bytes <= tailBytesMax; bytes *= 4) {
    const at = Math.max(0, size - bytes);
    const tail = (await readAt(file, at, size - at)).toString();
    // The first record may have lost its beginning.
    const found = find(at === 0 ? tail : tail.slice(tail.indexOf(end) + end.length));
    if (found !== undefined || at === 0) return found;
  }
  throw new Error(`The last ${tailBytesMax} bytes of the file have nothing that can be read.`);
}

/** Fewer bytes only where the file ends. */
export async function readAt(file: FileHandle, at: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes);
  let filled = 0;
  while (filled < bytes) {
    const { bytesRead } = await file.read(buffer, filled, bytes - filled, at + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** What separates the next record from one that was cut short by a crash or a full disk. */
async function cutShort(file: FileHandle, size: number, end: string): Promise<string> {
  const tail = await readAt(file, Math.max(0, size - end.length), Math.min(size, end.length));
  return size === 0 || tail.toString() === end ? '' : end;
}

/** So that also the name of a new file survives a loss of power. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
