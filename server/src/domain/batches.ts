const batch = 1_000;

/** Deletes all of something a batch at a time: a backlog of any size is cleared, and no statement runs out of time. */
export async function inBatches(deleteSome: (limit: number) => Promise<number>): Promise<void> {
  while ((await deleteSome(batch)) === batch);
}
