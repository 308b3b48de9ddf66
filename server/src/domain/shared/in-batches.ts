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

/** As much of what texts say as a transaction decides about: it takes no turns, since a STOP may wait for its rows. */
const charactersMax = 16_000;

/** As many of the first texts, and at least one. The next transaction goes on with the others. */
export function inOneTurn<Row extends { text: string }>(rows: Row[]): Row[] {
  let characters = 0;
  const end = rows.findIndex(({ text }, index) => {
    characters += text.length;
    return index > 0 && characters > charactersMax;
  });
  return end < 0 ? rows : rows.slice(0, end);
}

export async function forgetBefore(deps: Deps, table: AgingTable, before: Date): Promise<void> {
  await inBatches(deps, (limit) => deleteOldRows(deps.db, table, before, limit));
}
