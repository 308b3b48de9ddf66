import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** What the file says; where there is none, it is made first, for its owner's eyes alone. */
export function readOrMake(path: string, make: () => string): string {
  mkdirSync(dirname(path), { recursive: true });
  try {
    // Only whoever makes the file writes it: of two that start together, the second reads what the first has made.
    writeFileSync(path, make(), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(path, 'utf8');
}
