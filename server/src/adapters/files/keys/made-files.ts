import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The file's content. If there is no file, it is made first, readable by its owner alone. */
export function readOrMake(path: string, make: () => string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (existsSync(path)) return readFileSync(path, 'utf8');
  // Linked into place once it is complete: a full disk leaves no half of a key, and if two processes start at once, the
  // second reads the first one's.
  const making = `${path}.${process.pid}.new`;
  try {
    writeFileSync(making, make(), { mode: 0o600, flush: true });
    linkSync(making, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(making, { force: true });
  }
  return readFileSync(path, 'utf8');
}
