import type { Deps } from '../../deps.ts';
import { findCheckpoint } from '../../store/archive/archive-tree.ts';
import * as store from '../../store/archive/checkpoint-deliveries.ts';

export type DeliveryFault = { size: number; what: string };

/**
 * Gives the newest checkpoint, which covers all before it, to the operator's command. If that fails, it is returned, and tried again
 * with the next checkpoint. Deliveries are made at least once: after a crash at the wrong moment, a checkpoint is delivered twice.
 */
export function checkpointDeliverer(deps: Deps): () => Promise<DeliveryFault | null> {
  const { db, deliverCheckpoint } = deps;
  let deliveredId = 0;

  return async () => {
    const newest = await findCheckpoint(db);
    if (!deliverCheckpoint || !newest || newest.checkpointId === deliveredId) return null;
    const { checkpointId, size, note } = newest;
    const last = await store.findLastDelivery(db);
    if (last && last.checkpointId >= checkpointId) return null;
    deliveredId = checkpointId;
    try {
      await deliverCheckpoint(note, size);
    } catch (error) {
      return { size, what: error instanceof Error ? error.message : String(error) };
    }
    await store.insertDelivery(db, checkpointId, deps.databaseClock.now());
    return null;
  };
}
