import type { Deps } from '../../deps.ts';
import type { Log } from '../../log.ts';
import type { StreamRow } from '../../store/webhooks/streams.ts';
import { claimStreams, markBehind } from '../../store/webhooks/turns.ts';
import { listActiveWebhooks, type WebhookRow } from '../../store/webhooks/webhooks.ts';
import { leaseMs, takeTurn } from './turns.ts';

export type Deliverer = ReturnType<typeof deliverer>;

type Line = { webhook: WebhookRow; running: Set<Promise<void>>; mayHaveMore: boolean };

/** Requests to one endpoint at once, on one node: a slow one costs others nothing. */
const turnsPerEndpoint = 16;
/** As turns end, others are claimed for so many at once, so that one claim serves several. The next tick doesn't wait for that. */
const claimedLeast = 4;

/** Looking for streams whose log has grown takes longer the more advisors there are. It may take up a tenth of the time. */
const restShare = 9;
const restMsMax = 5_000;
const markedAtOnce = 2_000;

export function deliverer(deps: Deps, log: Log) {
  const lines = new Map<number, Line>();
  const { signal: stopping } = deps.signals.stopping;
  let restUntilMs = 0;
  let claiming: Promise<void> | null = null;

  async function mark(): Promise<void> {
    const startedMs = performance.now();
    if (startedMs < restUntilMs) return;
    await markBehind(deps.db, markedAtOnce);
    restUntilMs = performance.now() + Math.min(restMsMax, restShare * (performance.now() - startedMs));
  }

  async function refresh(): Promise<void> {
    const active = new Map(
      (await listActiveWebhooks(deps.db, deps.databaseClock.now())).map((webhook) => [webhook.webhookId, webhook]),
    );
    for (const [webhookId, webhook] of active) {
      const line = lines.get(webhookId);
      if (line) Object.assign(line, { webhook, mayHaveMore: true });
      else lines.set(webhookId, { webhook, running: new Set(), mayHaveMore: true });
    }
    for (const [webhookId, line] of lines) if (!active.has(webhookId)) line.mayHaveMore = false;
  }

  /** One claim at a time, for all endpoints that have room; again as long as there is more. */
  function claim(): Promise<void> {
    claiming ??= claimMore().finally(() => {
      claiming = null;
    });
    return claiming;
  }

  async function claimMore(): Promise<void> {
    for (;;) {
      const wanted = [...lines.values()].flatMap(({ webhook: { webhookId }, running, mayHaveMore }) => {
        const count = mayHaveMore && !stopping.aborted ? turnsPerEndpoint - running.size : 0;
        return count > 0 ? { webhookId, count } : [];
      });
      if (wanted.length === 0) return;
      const now = deps.databaseClock.now();
      const leasedUntil = new Date(now.getTime() + leaseMs);
      const { streams, hasOthers } = await claimStreams(deps.db, wanted, { now, leasedUntil });
      const byWebhook = Map.groupBy(streams, ({ webhookId }) => webhookId);
      for (const { webhookId, count } of wanted) {
        const line = lines.get(webhookId) as Line;
        const own = byWebhook.get(webhookId) ?? [];
        line.mayHaveMore = hasOthers || own.length === count;
        for (const stream of own) begin(line, stream, leasedUntil);
      }
    }
  }

  function begin(line: Line, stream: StreamRow, leasedUntil: Date): void {
    const turn = deps.signals.resetGuard.track(run(line, stream, leasedUntil)).finally(() => {
      line.running.delete(turn);
      const room = turnsPerEndpoint - line.running.size;
      if (line.mayHaveMore && room >= claimedLeast) void claim().catch(report);
    });
    line.running.add(turn);
  }

  async function run(line: Line, stream: StreamRow, leasedUntil: Date): Promise<void> {
    const { webhook } = line;
    try {
      const why = await takeTurn(deps, webhook, stream, leasedUntil);
      if (why === null) return;
      line.mayHaveMore = false;
      log.error({ clientId: webhook.clientId, reason: why }, 'a webhook was turned off');
    } catch (error) {
      report(error);
    }
  }

  /** Leases expire, and then it is tried again. */
  function report(err: unknown): void {
    if (!stopping.aborted) log.warn({ err }, 'a webhook’s turn failed; it will be retried');
  }

  return {
    /** Looks for streams that have something to tell, and begins their turns. As these end, others begin. */
    async tick(): Promise<void> {
      await refresh();
      if (lines.size === 0) return;
      await mark();
      await claim();
    },
    /** Resolves once every turn that began has ended, and nothing more is ready. */
    async settled(): Promise<void> {
      for (;;) {
        const running = [...lines.values()].flatMap((line) => [...line.running]);
        if (running.length === 0 && !claiming) return;
        await Promise.all([...running, claiming?.catch(() => {})]);
      }
    },
  };
}
