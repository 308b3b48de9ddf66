import { constants } from 'node:fs';
import { access, type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';

// Only open for appending, write and sync, so a file system that allows nothing else is enough.
const appending = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
const ownerOnly = 0o600;
const tailBytesMin = 4 * 1024;
/** More than an interrupted write can leave behind. */
const tailBytesMax = 16 * 1024 * 1024;

/** Appends records, each ending with `end`, to a file in an existing folder. They are on disk once it returns. */
export async function appendTo(path: string, end: string, records: string): Promise<void> {
  await using file = await open(path, appending, ownerOnly);
  const { size } = await file.stat();
  const bytes = Buffer.from(`${await missingEnd(file, size, end)}${records}`);
  // In one call, so that another node's records come before or after them, never in between.
  const { bytesWritten } = await file.write(bytes);
  if (bytesWritten < bytes.length)
    throw new Error(`Only ${bytesWritten} of ${bytes.length} bytes could be appended to ${path}.`);
  await file.sync();
  if (size > 0) return;
  // So that a new file's name survives a power failure too.
  await using folder = await open(dirname(path));
  await folder.sync();
}

/** Null if the file doesn't exist yet. A missing folder is an error, not an empty folder: its disk may not be mounted. */
export async function openToRead(path: string): Promise<FileHandle | null> {
  try {
    return await open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await access(dirname(path));
    return null;
  }
}

/** Reads a file; returns `otherwise` if it doesn't exist yet. */
export async function reading<Result>(
  path: string,
  otherwise: Result,
  read: (file: FileHandle) => Promise<Result>,
): Promise<Result> {
  await using file = await openToRead(path);
  return file ? await read(file) : otherwise;
}

/** What `find` finds in the last records of a file. It gets more and more of them until it finds something. */
export async function findAtEnd<Result>(
  file: FileHandle,
  end: string,
  find: (records: string) => Result | undefined,
): Promise<Result | undefined> {
  const { size } = await file.stat();
  for (let bytes = tailBytesMin; bytes <= tailBytesMax; bytes *= 4) {
    const at = Math.max(0, size - bytes);
    const tail = (await readAt(file, at, size - at)).toString();
    // The first record may be incomplete.
    const found = find(at === 0 ? tail : tail.slice(tail.indexOf(end) + end.length));
    if (found !== undefined || at === 0) return found;
  }
  throw new Error(`The last ${tailBytesMax} bytes of the file have no readable record.`);
}

/** Returns fewer bytes only at the end of the file. */
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

/** Separates the next record from one that a crash or a full disk cut short. */
async function missingEnd(file: FileHandle, size: number, end: string): Promise<string> {
  const tail = await readAt(file, Math.max(0, size - end.length), Math.min(size, end.length));
  return size === 0 || tail.toString() === end ? '' : end;
}
