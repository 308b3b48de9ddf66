const batch = 1_000;
const batchesMax = 50;

/**
 * Deletes something a batch at a time, so that no statement runs out of time; and not all of a large backlog in one go,
 * so that a node that is asked to stop can. Returns whether all is gone.
 */
export async function inBatches(deleteSome: (limit: number) => Promise<number>): Promise<boolean> {
  for (let count = 0; count < batchesMax; count++) if ((await deleteSome(batch)) < batch) return true;
  return false;
}
