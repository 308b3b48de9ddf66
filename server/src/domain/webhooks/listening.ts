import type { Deps } from '../../deps.ts';
import { listDeliveriesAfter } from '../../store/webhooks/deliveries.ts';
import { listWebhooks, updateListening, type WebhookRow } from '../../store/webhooks/webhooks.ts';
import { problem } from '../problems.ts';
import { realTimeIn } from '../shared/time.ts';
import type { KeptDelivery } from './deliveries.ts';
import { deleteWebhook, insertWebhook } from './webhooks.ts';

/** An endpoint that is there for as long as somebody listens. */
export type Listener = { webhookId: number; secret: string };

/** A listener that was killed renews nothing: soon nothing is pushed to it any more, and then it is removed. */
export const renewedMs = 3_000;
const lapsedMs = 15_000;

/** Two transactions may commit in the other order than that of their numbers, but not this long apart. */
const settledMs = 5_000;
const readAtOnce = 5_000;

/** Takes the place of another listener at this address: somebody who starts again doesn't wait for it to lapse. */
export async function listen(
  deps: Deps,
  clientId: string,
  { url, types }: Pick<WebhookRow, 'url' | 'types'>,
): Promise<Listener> {
  if (deps.config.environment !== 'sandbox') throw problem('conflict', 'Only a sandbox can be listened to.');
  await removeLapsed(deps);
  const before = (await listWebhooks(deps.db)).find((row) => row.clientId === clientId && row.url === url);
  if (before?.listenedUntil) await deleteWebhook(deps, before);
  return insertWebhook(deps, clientId, { url, types, listenedUntil: realTimeIn(deps, lapsedMs) });
}

/** False if it is gone, or switched off. */
export async function renew(
  { db, databaseClock }: Pick<Deps, 'db' | 'databaseClock'>,
  { webhookId }: Listener,
): Promise<boolean> {
  return updateListening(db, webhookId, realTimeIn({ databaseClock }, lapsedMs));
}

export async function endListening(deps: Deps, { webhookId }: Listener): Promise<void> {
  for (const row of await listWebhooks(deps.db)) if (row.webhookId === webhookId) await deleteWebhook(deps, row);
}

export async function removeLapsed(deps: Deps): Promise<void> {
  const now = deps.databaseClock.now();
  for (const row of await listWebhooks(deps.db))
    if (row.listenedUntil && row.listenedUntil <= now) await deleteWebhook(deps, row);
}

/** What was pushed since the last call, each delivery once. */
export function deliveriesTo({ db }: Pick<Deps, 'db'>, { webhookId }: Listener): () => Promise<KeptDelivery[]> {
  let after = 0;
  const seen = new Map<number, number>();
  return async () => {
    const found = await listDeliveriesAfter(db, webhookId, { after, limit: readAtOnce });
    const now = performance.now();
    const fresh = found.filter(({ deliveryId }) => !seen.has(deliveryId));
    for (const { deliveryId } of fresh) seen.set(deliveryId, now);
    for (const [deliveryId, seenMs] of seen) if (now - seenMs > settledMs) after = Math.max(after, deliveryId);
    for (const deliveryId of seen.keys()) if (deliveryId <= after) seen.delete(deliveryId);
    return fresh;
  };
}
