import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Log } from '../../log.ts';

/** The W3C format: no version ff, nothing after version 00's four fields, no id of zeros alone. */
const traceparent = /^(?!ff|00-.{53})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/** The trace id from the W3C `traceparent` header, so that partners find our log lines by their own id, or a new one. */
export function traceIdOf({ headers: { traceparent: given } }: IncomingMessage): string {
  return (typeof given === 'string' && traceparent.exec(given)?.[1]) || newTraceId();
}

/** Faster than randomBytes: Node generates random bytes for many UUIDs at once. */
export function newTraceId(): string {
  return randomUUID().replaceAll('-', '');
}

/** Every line has the request's trace id. */
export function logOf({ log, id }: FastifyRequest): Log {
  return log.child({ traceId: id });
}
