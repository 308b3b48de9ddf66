const batchSize = 1_000;
const batchesMax = 50;

/**
 * Cleans up a batch of rows at a time, so that no statement times out. A large backlog takes several runs, so that a node
 * can stop in between. Returns whether everything is done.
 */
export async function inBatches(runBatch: (limit: number) => Promise<number>): Promise<boolean> {
  for (let count = 0; count < batchesMax; count++) if ((await runBatch(batchSize)) < batchSize) return true;
  return false;
}
