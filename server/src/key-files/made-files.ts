import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The file's content. If there is no file, it is made first, readable by its owner alone. */
export function readOrMake(path: string, make: () => string): string {
  mkdirSync(dirname(path), { recursive: true });
  try {
    // Only the process that creates the file writes it: if two start at once, the second reads the first one's.
    writeFileSync(path, make(), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(path, 'utf8');
}
