import type { Deps } from '../../deps.ts';
import type { CheckpointRow } from '../../store/archive/archive-tree.ts';
import { findCheckpoint } from '../../store/archive/archive-tree.ts';
import type { DeliveryKind } from '../../store/archive/checkpoint-deliveries.ts';
import * as store from '../../store/archive/checkpoint-deliveries.ts';
import type { CheckpointDeliveries } from '../ports.ts';

export type DeliveryFault = { kind: DeliveryKind; size: number; what: string };

const timestampRetryMs = 60_000;

/**
 * Delivers the newest checkpoint, which covers all before it. A failed delivery is returned, and tried again with the next
 * checkpoint. Deliveries are made at least once: after a crash at the wrong moment, a checkpoint is delivered twice.
 */
export function checkpointDeliverer(deps: Deps, deliveries: CheckpointDeliveries): () => Promise<DeliveryFault[]> {
  const { command, timestamp, timestampEveryMs } = deliveries;
  let commandedId = 0;
  let timestampedMs = 0;

  async function runCommand({ checkpointId, size, note }: CheckpointRow): Promise<DeliveryFault | null> {
    if (!command || commandedId === checkpointId) return null;
    const last = await store.findLastDelivery(deps.db, 'command');
    if (last && last.checkpointId >= checkpointId) return null;
    commandedId = checkpointId;
    return attempt(deps, { kind: 'command', checkpointId, size }, () => command(note, size).then(() => null));
  }

  async function getTimestamp({ checkpointId, size, note }: CheckpointRow): Promise<DeliveryFault | null> {
    if (!timestamp || Date.now() < timestampedMs + Math.min(timestampRetryMs, timestampEveryMs)) return null;
    const last = await store.findLastDelivery(deps.db, 'timestamp');
    if (last && (last.checkpointId >= checkpointId || Date.now() < last.dateTimeCreated.getTime() + timestampEveryMs))
      return null;
    timestampedMs = Date.now();
    return attempt(deps, { kind: 'timestamp', checkpointId, size }, () => timestamp(note));
  }

  return async () => {
    const newest = await findCheckpoint(deps.db);
    if (!newest) return [];
    const faults = await Promise.all([runCommand(newest), getTimestamp(newest)]);
    return faults.filter((fault) => fault !== null);
  };
}

async function attempt(
  { db }: Deps,
  { kind, checkpointId, size }: Omit<DeliveryFault, 'what'> & { checkpointId: number },
  deliver: () => Promise<Buffer | null>,
): Promise<DeliveryFault | null> {
  let token: Buffer | null;
  try {
    token = await deliver();
  } catch (error) {
    return { kind, size, what: error instanceof Error ? error.message : String(error) };
  }
  await store.insertDelivery(db, { checkpointId, kind, token, now: new Date() });
  return null;
}
