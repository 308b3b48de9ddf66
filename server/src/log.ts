import type { FastifyBaseLogger } from 'fastify';
import { type DestinationStream, type LoggerOptions, pino } from 'pino';

/** pino, as Fastify's type describes it. */
export type Log = FastifyBaseLogger;

const levels: Record<number, string> = { 40: 'warning: ', 50: 'error: ', 60: 'fatal: ' };
const framesMax = 5;
const countedMs = 10_000;

/**
 * One line per event, with allow-listed fields only: no phone number, text, token or key ever reaches a log. Each line is one
 * write, so none is cut in two, and the last ones before a crash are there. JSON, but in a terminal a person reads it.
 */
export function makeLog(
  level: string,
  destination: DestinationStream = process.stdout.isTTY ? terminal : output(),
): Log {
  const timestamp = pino.stdTimeFunctions.isoTime;
  return pino(
    { level, base: undefined, timestamp, serializers: { err: describeError }, hooks: countOutages() },
    destination,
  );
}

/**
 * While a database is full or away, everything that meets it would write the same, hundreds of times a second: the first line is
 * written, and then how many more there were.
 */
function countOutages(): LoggerOptions['hooks'] {
  const more = new Map<string, number>();
  return {
    logMethod(args, method) {
      const outage = outageOf((args[0] as { err?: unknown } | undefined)?.err);
      if (outage === null) return method.apply(this, args);
      const known = more.get(outage);
      more.set(outage, known === undefined ? 0 : known + 1);
      if (known !== undefined) return;
      method.apply(this, args);
      const timer = setInterval(() => {
        const count = more.get(outage);
        if (count) more.set(outage, 0);
        else {
          more.delete(outage);
          return clearInterval(timer);
        }
        this.warn({ fault: outage, count }, 'more of the same fault, not written');
      }, countedMs).unref();
    },
  };
}

function outageOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  return 'isOutage' in error ? error.constructor.name : outageOf(error.cause);
}

function output(): DestinationStream {
  return pino.destination(1);
}

const terminal: DestinationStream = { write: (line) => void process.stdout.write(`${forPeople(line)}\n`) };

/** The same event for somebody who looks at a terminal. A request that failed has its trace id, which the sandbox's log finds. */
export function forPeople(line: string): string {
  const { level, time, msg, traceId, method, route, status, code, ms, err, ...rest } = JSON.parse(line);
  const at = new Date(time).toTimeString().slice(0, '00:00:00'.length);
  if (msg === 'request') {
    const what = [
      status,
      method,
      route ?? 'no such path',
      ms !== undefined && `${ms} ms`,
      code,
      status >= 400 && traceId,
    ];
    return [at, ...what.filter(Boolean)].join('  ');
  }
  const facts = Object.entries({ ...rest, method, route, status, code, traceId }).filter(
    ([, value]) => value !== undefined,
  );
  const known = facts.map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`);
  const frames = (err?.at ?? []).slice(0, framesMax).map((frame: string) => `\n    at ${frame}`);
  const error = err ? `\n  ${[err.kind, err.code].filter(Boolean).join(' ')}${frames.join('')}` : '';
  return `${at}  ${levels[level] ?? ''}${msg}${known.length > 0 ? ` (${known.join(', ')})` : ''}${error}`;
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
