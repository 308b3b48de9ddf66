import { setTimeout as pause } from 'node:timers/promises';
import type { Deps } from '../../deps.ts';
import { ping } from '../../store/shared/readiness.ts';

const answerMs = 1_000;

/** Whether requests can be served now: the database answers within a second. */
export async function isReady(deps: Deps): Promise<boolean> {
  const late = pause(answerMs, false, { ref: false });
  return Promise.race([ping(deps.db), late]).catch(() => false);
}
