import type { Deps } from '../../deps.ts';
import { listTraceIds } from '../../store/delivery/acceptances.ts';
import type { Tracer } from '../ports.ts';
import { newSpanId, nowMs, textSpanId } from '../texting/text-traces.ts';
import type { ClaimedText } from './claims.ts';
import type { SubmissionResult } from './submissions.ts';

/** What is recorded of a text that is handed over. */
type DispatchTrace = {
  submitted(): void;
  answered(result: SubmissionResult): void;
  recorded(result: SubmissionResult): void;
};

/** The texts, those in a trace that is kept with its id. If trace ids can't be read, the claim goes ahead untraced. */
export async function withTraceIds(
  { db, tracer }: Pick<Deps, 'db' | 'tracer'>,
  texts: ClaimedText[],
): Promise<ClaimedText[]> {
  if (!tracer || texts.length === 0) return texts;
  const rows = await listTraceIds(db, texts).catch(() => []);
  const found = new Map(rows.map(({ messageId, traceId }) => [messageId, traceId]));
  return texts.map((text) => {
    const traceId = found.get(text.messageId);
    return traceId && tracer.samples(traceId) ? { ...text, trace: { traceId, claimedMs: nowMs() } } : text;
  });
}

/** From the claim to the outcome, with the carrier’s part in it. Null if the text isn't traced. */
export function traceDispatch(
  tracer: Tracer | null | undefined,
  { trace, messageId, attempt, kind }: ClaimedText,
  carrier: string,
): DispatchTrace | null {
  if (!tracer || !trace) return null;
  const { traceId, claimedMs } = trace;
  const spanId = newSpanId();
  let submittedMs = claimedMs;
  return {
    submitted() {
      submittedMs = nowMs();
    },
    answered(result) {
      tracer.record({
        traceId,
        spanId: newSpanId(),
        parentId: spanId,
        name: `submit to ${carrier}`,
        kind: 'client',
        startMs: submittedMs,
        endMs: nowMs(),
        attributes: { 'assent.carrier': carrier, ...outcomeOf(result) },
        failed: !('accepted' in result),
      });
    },
    recorded(result) {
      tracer.record({
        traceId,
        spanId,
        parentId: textSpanId(traceId, messageId),
        name: 'dispatch text',
        kind: 'consumer',
        startMs: claimedMs,
        endMs: nowMs(),
        attributes: {
          'assent.message.id': messageId,
          'assent.text.kind': kind,
          'assent.attempt': attempt,
          ...outcomeOf(result),
        },
        failed: !('accepted' in result),
      });
    },
  };
}

function outcomeOf(result: SubmissionResult): Record<string, string> {
  const [outcome = '', reason] = Object.entries(result)[0] ?? [];
  return { 'assent.outcome': outcome, ...(outcome === 'accepted' ? {} : { 'assent.reason': String(reason) }) };
}
