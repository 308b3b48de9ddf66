import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Value = { stringValue?: string; intValue?: string; boolValue?: boolean };
/** A span as it was exported, with its attributes as an object. */
export type CollectedSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: { code?: number };
  attributes: Record<string, string | boolean>;
  /** Of what it is about: the process and its thread. */
  resource: Record<string, string | boolean>;
};

/** Stands in for an OpenTelemetry collector: takes OTLP over HTTP in JSON, and keeps all of it. */
export type Collector = {
  url: string;
  spans: CollectedSpan[];
  /** The bodies as they came, and the headers of the last one. */
  bodies: string[];
  headers(): Record<string, unknown>;
  /** What it answers from now on. */
  answer(status: number): void;
  close(): Promise<void>;
};

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const bodies: string[] = [];
  let status = 200;
  let headers: Record<string, unknown> = {};
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    headers = request.headers;
    const isTraces = request.method === 'POST' && request.url === '/v1/traces';
    bodies.push(body);
    if (isTraces && status === 200) spans.push(...spansIn(body));
    response.writeHead(isTraces ? status : 404, { 'content-type': 'application/json' }).end('{"partialSuccess":{}}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    headers: () => headers,
    answer(next) {
      status = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type TraceExport = {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: (Omit<CollectedSpan, 'attributes' | 'resource'> & { attributes: Attribute[] })[] }[];
  }[];
};
type Attribute = { key: string; value: Value };

function spansIn(body: string): CollectedSpan[] {
  return (JSON.parse(body) as TraceExport).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: valuesOf(span.attributes),
        resource: valuesOf(resource.attributes),
      })),
    ),
  );
}

function valuesOf(attributes: Attribute[]): Record<string, string | boolean> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.boolValue ?? '']),
  );
}
