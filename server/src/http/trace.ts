import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const traceparent = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** The trace id of the W3C `traceparent` header, so that a partner finds our lines by its own id; else a fresh one. */
export function traceIdOf(request: IncomingMessage): string {
  const given = request.headers.traceparent;
  const id = typeof given === 'string' ? traceparent.exec(given)?.[1] : undefined;
  return id && !/^0+$/.test(id) ? id : newTraceId();
}

export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}
