import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sharedHome } from '../../src/store/database/embedded.ts';

/** Returns what removes everything that was added to /var/lib/assent meanwhile: tests leave nothing there. */
export function watchSharedHome(): { added(): string[]; remove(): void } {
  const list = () => (existsSync(sharedHome) ? readdirSync(sharedHome) : []);
  const before = existsSync(sharedHome) ? new Set(list()) : null;
  const added = () => list().filter((name) => !before?.has(name));
  return {
    added,
    remove() {
      for (const name of added()) rmSync(join(sharedHome, name), { recursive: true });
      if (!before) rmSync(sharedHome, { recursive: true, force: true });
    },
  };
}
