import type { FastifyBaseLogger } from 'fastify';
import { type DestinationStream, pino } from 'pino';

/** pino, as Fastify's type describes it. */
export type Log = FastifyBaseLogger;

/**
 * One line per event, with allow-listed fields only: no phone number, text, token or key ever reaches a log. Each line is one
 * write, so none is cut in two, and the last ones before a crash are there.
 */
export function makeLog(level: string, destination: DestinationStream = pino.destination(1)): Log {
  const timestamp = pino.stdTimeFunctions.isoTime;
  return pino({ level, base: undefined, timestamp, serializers: { err: describeError } }, destination);
}

/** By the end of a trace id, which is random: all of a partner's trace is in the share, or nothing of it. */
export function isInShare(traceId: string, share: number): boolean {
  return share === 1 || Number.parseInt(traceId.slice(-8), 16) < share * 2 ** 32;
}

/**
 * What a log may say about an error: its kind, its code and where it was thrown. Its message is left out, because
 * PostgreSQL's messages quote row values, and parsers quote their input.
 */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { kind: typeof error };
  const { code, table, constraint } = error as Error & Record<string, unknown>;
  const cause = error.cause === undefined ? undefined : describeError(error.cause);
  return { kind: error.constructor.name, code, table, constraint, at: framesOf(error), cause };
}

/** The stack frames alone. The stack begins with the message, and a line of that may look like a frame. */
function framesOf({ stack = '', message }: Error): string[] {
  const messageAt = stack.indexOf(message);
  if (messageAt < 0) return [];
  return stack
    .slice(messageAt + message.length)
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim().slice('at '.length));
}
