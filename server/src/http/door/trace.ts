import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** As W3C has it: no version ff, nothing after version 00's four fields, no id that is all zeros. */
const traceparent = /^(?!ff|00-.{53})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** The trace id of the W3C `traceparent` header, so that a partner finds our lines by its own id; else a fresh one. */
export function traceIdOf(request: IncomingMessage): string {
  const given = request.headers.traceparent;
  return (typeof given === 'string' ? traceparent.exec(given)?.[1] : undefined) ?? newTraceId();
}

/** Node draws the random bytes of many UUIDs at once, those of randomBytes each time. */
export function newTraceId(): string {
  return randomUUID().replaceAll('-', '');
}
