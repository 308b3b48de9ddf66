import type { Deps } from '../../deps.ts';
import { type AgingTable, deleteOldRows } from '../../store/shared/old-rows.ts';
import { requireRunning } from './signals.ts';

const batchSizeDefault = 1_000;
const batchesMax = 50;

/**
 * Cleans up a batch of rows at a time, so that no statement times out and a node can stop in between. A large backlog takes
 * several runs, so that other work gets its turn. Returns whether everything is done.
 */
export async function inBatches(
  deps: Deps,
  runBatch: (limit: number) => Promise<number>,
  batchSize = batchSizeDefault,
): Promise<boolean> {
  for (let count = 0; count < batchesMax; count++) {
    requireRunning(deps);
    if ((await runBatch(batchSize)) < batchSize) return true;
  }
  return false;
}

export async function forgetBefore(deps: Deps, table: AgingTable, before: Date): Promise<void> {
  await inBatches(deps, (limit) => deleteOldRows(deps.db, table, before, limit));
}
