import { createHash, randomBytes } from 'node:crypto';
import type { NewText } from '../../store/texting/texts.ts';
import type { Tracer } from '../ports.ts';

/**
 * A text's trace goes on where it is handed over, in another thread or process. The archive has its trace id, and the id of the
 * span that it goes on from follows from that and the message's: so nothing has to be stored or sent along.
 */
export function textSpanId(traceId: string, messageId: number): string {
  return createHash('sha256').update(`${traceId}/${messageId}`).digest('hex').slice(0, 16);
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}

/** Epoch milliseconds, with fractions. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** That texts were accepted, with the ids of their messages. */
export function traceAccepted(tracer: Tracer, texts: NewText[], messageIds: number[], startMs: number): void {
  const endMs = nowMs();
  for (const [index, { traceId, spanId, kind, segments }] of texts.entries()) {
    const messageId = messageIds[index];
    if (!traceId || messageId === undefined || !tracer.samples(traceId)) continue;
    tracer.record({
      traceId,
      spanId: textSpanId(traceId, messageId),
      parentId: spanId ?? null,
      name: 'accept text',
      kind: 'producer',
      startMs,
      endMs,
      attributes: { 'assent.message.id': messageId, 'assent.text.kind': kind, 'assent.text.segments': segments },
    });
  }
}
