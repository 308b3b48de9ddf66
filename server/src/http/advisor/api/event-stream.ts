import { once } from 'node:events';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Event, listEvents } from '../../../domain/events/events.ts';
import type { Clock } from '../../../domain/ports.ts';
import { invalid, problem } from '../../../domain/problems.ts';
import type { Feed } from '../../../domain/shared/feeds.ts';
import { listOpenSessions } from '../../../domain/sign-in/sessions.ts';
import { type Check, callerOf } from '../../door/checks.ts';
import { addPassage } from '../../door/door.ts';
import type { Visits } from '../visits.ts';

const pageSize = 100;
/** A proxy that sees nothing for a minute may close the connection. */
const waitSeconds = 15;
/** A stream ends within a second of its session. */
const checkMs = 800;
const streamsMax = 2_000;
/** A window has one, so nobody gets here by themselves, and nobody takes the places of others. */
const streamsPerAdvisorMax = 50;

type Stream = {
  advisorId: number;
  token: string;
  until: AbortController;
  send(event: string, data: object, cursor?: string): void;
  /** Resolves once what was sent has gone out. */
  sent(): Promise<unknown>;
};

/**
 * The advisor's events as server-sent events, from a cursor on, until the session ends; and the domain's time whenever it was moved. One
 * stream is enough for a browser.
 */
export function addEventStream(app: FastifyInstance, visits: Visits, signedIn: Check): void {
  const { deps } = visits;
  const streams = new Set<Stream>();
  let isChecking = false;
  let offsetMs = 0;

  /** One query for all of them, however many they are. */
  async function check(): Promise<void> {
    const tokens = [...new Set(Array.from(streams, ({ token }) => token))];
    const open = await listOpenSessions(deps, tokens).catch(() => null);
    for (const { token, until } of streams) if (open && !open.has(token)) until.abort();
    tellTime();
    isChecking = streams.size > 0;
    if (isChecking) setTimeout(check, checkMs);
  }

  function tellTime(): void {
    const now = deps.clock.now().getTime();
    const movedMs = now - deps.databaseClock.now().getTime() - offsetMs;
    if (Math.abs(movedMs) < checkMs) return;
    offsetMs += movedMs;
    for (const { send } of streams) send('now', { now });
  }

  addPassage(app, { method: 'GET', path: '/app/api/events' }, [signedIn], async (request, reply) => {
    const { advisorId } = callerOf(request);
    const read = (cursor: string, waitSeconds: number) =>
      listEvents(deps, advisorId, { cursor, pageSize, waitSeconds, isOwn: true });
    // Before anything is sent, so that a cursor that is too old is a Problem.
    const first = await read(cursorIn(request), 0);
    const own = Array.from(streams).filter((stream) => stream.advisorId === advisorId);
    if (own.length >= streamsPerAdvisorMax || streams.size >= streamsMax)
      throw problem('downstream_unavailable', 'Too many streams are open: retry later.');
    const stream = begin(visits, request, reply);
    streams.add(stream);
    request.waits = true;
    if (!isChecking) setTimeout(check, checkMs);
    isChecking = true;
    await tell(deps.clock, stream, first, (cursor) => read(cursor, waitSeconds)).finally(() => streams.delete(stream));
  });
}

function begin({ deps, sessionToken }: Visits, request: FastifyRequest, reply: FastifyReply): Stream {
  const until = new AbortController();
  const { raw } = reply.hijack();
  raw.on('close', () => until.abort());
  const { signal } = deps.signals.stopping;
  signal.addEventListener('abort', () => until.abort(), { signal: until.signal });
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
  });
  raw.write('retry: 2000\n\n');
  until.signal.addEventListener('abort', () => raw.end('event: end\ndata: {}\n\n'));
  return {
    advisorId: callerOf(request).advisorId,
    token: sessionToken(request) ?? '',
    until,
    sent: async () => raw.writableNeedDrain && once(raw, 'drain'),
    send(event, data, cursor) {
      const id = cursor === undefined ? '' : `id: ${cursor}\n`;
      if (!raw.writableEnded) raw.write(`event: ${event}\n${id}data: ${JSON.stringify(data)}\n\n`);
    },
  };
}

/** Tells what has happened, and what happens, until it ends. A reader who comes back with the last cursor misses nothing. */
async function tell(
  clock: Clock,
  stream: Stream,
  first: Feed<Event>,
  read: (cursor: string) => Promise<Feed<Event>>,
): Promise<void> {
  const { until, send, sent } = stream;
  const ended = new Promise<null>((resolve) => until.signal.addEventListener('abort', () => resolve(null)));
  let feed: Feed<Event> | null = first;
  while (feed && !until.signal.aborted) {
    const { data, cursor }: Feed<Event> = feed;
    for (const event of data) send(event.type, event);
    // With the cursor of everything above it and the time; when there was nothing, it keeps the connection open.
    send('seen', { now: clock.now().getTime() }, cursor);
    // A reader who is slow, or reads nothing, isn't sent ahead: what waits would be in our memory. What goes wrong ends the stream:
    // the browser connects again, and then learns what it is.
    const next: Promise<Feed<Event> | null> = sent().then(() => (until.signal.aborted ? null : read(cursor)));
    feed = await Promise.race([next.catch(() => null), ended]);
  }
  until.abort();
}

function cursorIn(request: FastifyRequest): string {
  const { cursor } = request.query as { cursor?: unknown };
  const given = request.headers['last-event-id'] ?? cursor;
  if (typeof given === 'string') return given;
  throw invalid([{ path: '/cursor', rule: 'required', message: 'cursor is required: /app/api/session has one.' }]);
}
