import type { Tracer } from '../ports.ts';
import { newSpanId, nowMs } from '../texting/text-traces.ts';
import type { Send } from './sends.ts';

/**
 * Sends that share a transaction, each with a span of it in its own trace: what they lead to belongs to that. Once the
 * transaction is committed, `ended` records them.
 */
export function traceBatch(tracer: Tracer, sends: Send[]): { sends: Send[]; ended(): void } {
  const startMs = nowMs();
  const traced: { traceId: string; parentId: string; spanId: string; texts: number }[] = [];
  const inBatch = sends.map((send) => {
    const { traceId, spanId: parentId } = send.by;
    if (!traceId || !parentId) return send;
    const spanId = newSpanId();
    traced.push({ traceId, parentId, spanId, texts: send.phones.length });
    return { ...send, by: { ...send.by, spanId } };
  });
  return {
    sends: inBatch,
    ended() {
      const endMs = nowMs();
      for (const { texts, ...ids } of traced)
        tracer.record({
          ...ids,
          name: 'commit batch',
          kind: 'internal',
          startMs,
          endMs,
          attributes: { 'assent.batch.sends': sends.length, 'assent.send.recipients': texts },
        });
    },
  };
}
