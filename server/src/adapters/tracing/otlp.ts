import { setTimeout as pause } from 'node:timers/promises';
import type { Span, Tracer } from '../../domain/ports.ts';
import { isInShare } from '../../log.ts';

type TracerOptions = {
  /** Of a collector that takes OTLP over HTTP; spans go to `/v1/traces` below it. */
  endpoint: string;
  headers: Record<string, string>;
  /** The share of traces that is kept. */
  share: number;
  /** What the spans are about: the service, its environment, the process. */
  resource: Record<string, string>;
  /** Called once when spans can’t be exported, until they can again. */
  onFault(why: { status?: number; code?: string }): void;
};
/** Once it is stopped, what was recorded has left, or can’t. */
export type RunningTracer = Tracer & { stop(): Promise<void> };

/** A collector that is down costs this much memory, and then spans. */
const waitingMax = 4_096;
const batchMax = 512;
const everyMs = 1_000;
const responseMs = 5_000;
const triesMax = 3;
const retryMs = 1_000;
/** The collector asks to come again. */
const retried = [429, 502, 503, 504];
const kinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const;

/** Sends spans to a collector, as OTLP in JSON, in batches. It never makes anybody wait: what it can't send is lost. */
export function startTracer({ endpoint, headers, share, resource, onFault }: TracerOptions): RunningTracer {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  let waiting: Span[] = [];
  let sending: Promise<void> = Promise.resolve();
  let isFailing = false;
  const stopping = new AbortController();

  async function post(spans: Span[]): Promise<{ status?: number; code?: string } | null> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(exportOf(resource, spans)),
        signal: AbortSignal.timeout(responseMs),
      });
      await response.body?.cancel();
      return response.ok ? null : { status: response.status };
    } catch (error) {
      const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
      return { code: cause?.code ?? (error as Error).name };
    }
  }

  async function send(spans: Span[]): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const fault = await post(spans);
      if (fault && !isFailing) onFault(fault);
      isFailing = fault !== null;
      const isFinal = fault?.status !== undefined && !retried.includes(fault.status);
      if (!fault || isFinal || tries === triesMax || stopping.signal.aborted) return;
      await pause(retryMs * tries, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  function flush(): Promise<void> {
    sending = sending.then(async () => {
      while (waiting.length > 0) {
        const batch = waiting.slice(0, batchMax);
        waiting = waiting.slice(batchMax);
        await send(batch);
      }
    });
    return sending;
  }

  const timer = setInterval(() => void flush(), everyMs).unref();
  return {
    samples: (traceId) => isInShare(traceId, share),
    record(span) {
      if (waiting.length < waitingMax) waiting.push(span);
    },
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await flush();
    },
  };
}

/** `name=value,name=value`, as OpenTelemetry's variable has headers. */
export function headersOf(text: string): Record<string, string> {
  const pairs = text.split(',').map((pair) => pair.trim());
  return Object.fromEntries(
    pairs.filter(Boolean).map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [name.trim().toLowerCase(), decodeURIComponent(value.join('=').trim())];
    }),
  );
}

/** The JSON of an OTLP `ExportTraceServiceRequest`. */
export function exportOf(resource: Record<string, string>, spans: Span[]): object {
  const scopeSpans = [{ scope: { name: 'assent' }, spans: spans.map(spanOf) }];
  return { resourceSpans: [{ resource: { attributes: attributesOf(resource) }, scopeSpans }] };
}

function spanOf({ traceId, spanId, parentId, name, kind, startMs, endMs, attributes, failed }: Span): object {
  return {
    traceId,
    spanId,
    ...(parentId ? { parentSpanId: parentId } : {}),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanosecondsOf(startMs),
    endTimeUnixNano: nanosecondsOf(Math.max(startMs, endMs)),
    attributes: attributesOf(attributes),
    status: failed ? { code: 2 } : {},
  };
}

/** A JSON number can't hold them. A double of milliseconds is exact to the microsecond. */
function nanosecondsOf(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n);
}

function attributesOf(attributes: Span['attributes']): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
