import type { Log } from '../../log.ts';
import { claimStreams } from '../../store/webhooks/streams.ts';
import { listActiveWebhooks, type WebhookRow } from '../../store/webhooks/webhooks.ts';
import { leaseMs, takeTurn } from './turns.ts';
import type { WebhookDeps } from './webhooks.ts';

/** Pushes events to applications, on this node. */
export type Deliverer = {
  /** Begins the turns of streams that have something to tell, unless it has just looked for them. */
  tick(): Promise<void>;
  /** Resolves once every turn that began has ended. */
  settled(): Promise<void>;
};

/** Requests to one endpoint at once, on one node: a slow one costs others nothing. */
const turnsPerEndpoint = 16;

/** Looking for streams takes longer the more advisors there are. It may take up a tenth of the time. */
const restShare = 9;
const restMsMax = 5_000;

export function deliverer(deps: WebhookDeps, log: Log): Deliverer {
  const turns = new Map<number, Set<Promise<void>>>();
  let restUntilMs = 0;

  async function begin(webhook: WebhookRow): Promise<void> {
    const { applicationId } = webhook;
    const own = turns.get(applicationId) ?? new Set();
    turns.set(applicationId, own);
    const limit = turnsPerEndpoint - own.size;
    if (limit === 0) return;
    const now = new Date();
    const leasedUntil = new Date(now.getTime() + leaseMs);
    for (const stream of await claimStreams(deps.db, applicationId, { now, leasedUntil, limit })) {
      const turn = takeTurn(deps, webhook, stream, leasedUntil)
        .then((why) => {
          if (why) log.error({ clientId: webhook.clientId, reason: why }, 'a webhook was switched off');
        })
        // Its lease expires, and then it is tried again.
        .catch((err) => {
          if (!deps.signals.stopping.signal.aborted) log.warn({ err }, 'a webhook’s turn failed; it will be retried');
        })
        .finally(() => own.delete(turn));
      own.add(turn);
    }
  }

  return {
    async tick() {
      const startedMs = Date.now();
      if (startedMs < restUntilMs) return;
      for (const webhook of await listActiveWebhooks(deps.db)) await begin(webhook);
      restUntilMs = Date.now() + Math.min(restMsMax, restShare * (Date.now() - startedMs));
    },
    settled: async () => void (await Promise.all([...turns.values()].flatMap((own) => [...own]))),
  };
}
