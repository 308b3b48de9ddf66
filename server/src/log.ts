import type { FastifyBaseLogger } from 'fastify';
import { type DestinationStream, pino } from 'pino';

export type { DestinationStream } from 'pino';

/** pino, as Fastify's type describes it. */
export type Log = FastifyBaseLogger;

/** One line per event, with allow-listed fields only: no phone number, text, token or key ever reaches a log. */
export function makeLog(level: string, destination: DestinationStream = standardOutput()): Log {
  return pino({ level, base: undefined, timestamp, serializers: { err: describeError } }, destination);
}

/** Where a process writes its lines. Everything that it logs goes through one of these, so that no line is cut in two. */
export function standardOutput(): DestinationStream {
  return byTurns(pino.destination(1));
}

/** By the end of a trace id, which is random: all of a partner's trace is in the share, or nothing of it. */
export function isInShare(traceId: string, share: number): boolean {
  return share === 1 || Number.parseInt(traceId.slice(-8), 16) < share * 2 ** 32;
}

/** Lines of one turn of the event loop are one write: under load that is a write for many requests. */
export function byTurns(destination: DestinationStream): DestinationStream {
  let lines = '';
  const flush = () => {
    if (lines !== '') destination.write(lines);
    lines = '';
  };
  process.once('exit', flush);
  return {
    write(line) {
      if (lines === '') setImmediate(flush);
      lines += line;
    },
  };
}

let stampedMs = 0;
let stamp = '';

/** Made once for each millisecond. */
function timestamp(): string {
  const now = Date.now();
  if (now !== stampedMs) stamp = `,"time":"${new Date(now).toISOString()}"`;
  stampedMs = now;
  return stamp;
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
