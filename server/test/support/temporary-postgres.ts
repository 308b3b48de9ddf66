import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbedded } from '../../src/store/database/embedded.ts';

/** Many tests share it, and a crash may take their data. */
export const carelessSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '400',
  // Most connections of tests run a statement a few times only, and PostgreSQL would plan it anew for the first five values.
  plan_cache_mode: 'force_generic_plan',
};

/** A PostgreSQL whose folder is deleted when it stops: for tests and for files generated from the schema. */
export async function startTemporary(home = tmpdir()): Promise<EmbeddedPostgres> {
  const folder = mkdtempSync(join(home, 'assent-'));
  // Under root PostgreSQL runs as a different user. A copy of its programs, where one is needed, is in a folder that it can
  // enter, and goes with this one.
  chmodSync(folder, 0o711);
  const embedded = await startEmbedded(folder, () => {}, carelessSettings);
  return {
    ...embedded,
    async stop() {
      await embedded.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
