import { setTimeout as pause } from 'node:timers/promises';
import type { Deps } from '../../deps.ts';
import { DatabaseUnable } from '../../store/database/errors.ts';
import { ping, probeStorage } from '../../store/shared/readiness.ts';

type Readiness = 'ready' | 'database unreachable' | 'database not writable' | 'clock wrong';

const responseMs = 1_000;
/** However often somebody asks. */
const probeEveryMs = 1_000;

/** Whether requests can be served now: the database answers within a second and has room for more, and the time is known. */
export function readiness({ db, databaseClock }: Deps): () => Promise<Readiness> {
  let probed: Readiness = 'ready';
  let probedAtMs = Number.NEGATIVE_INFINITY;

  async function check(): Promise<Readiness> {
    if (performance.now() - probedAtMs < probeEveryMs) {
      await ping(db);
      return probed;
    }
    // Set before it is done, so that only one of those who ask at once probes.
    probedAtMs = performance.now();
    probed = await probeStorage(db).then(() => 'ready' as const, cantStore);
    return probed;
  }

  return () => {
    const late = pause(responseMs, 'database unreachable' as const, { ref: false });
    const checked = check().then((found) => (found === 'ready' && databaseClock.fault() ? 'clock wrong' : found));
    return Promise.race([checked.catch(() => 'database unreachable' as const), late]);
  };
}

function cantStore(error: unknown): Readiness {
  if (error instanceof DatabaseUnable) return 'database not writable';
  throw error;
}
