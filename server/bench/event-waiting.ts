import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { issueToken } from '../src/domain/access/tokens.ts';
import { addAdvisor } from '../src/domain/accounts/advisors.ts';
import { insertEvents } from '../src/store/events/new-events.ts';
import { newApplication, scopes } from './event-cast.ts';
import type { Scratch } from './scratch.ts';
import { type Cast, startSendServer } from './send-cast.ts';
import type { EventSizes } from './sizes.ts';
import { heading, median, ms, table, whole } from './tables.ts';

const waitSeconds = 30;
const callersOfKey = 1_000;
const settleMs = 1_000;
const wakes = 9;
const wakeMsMax = 10_000;
/** Long enough for another caller's answer, if one were woken in vain. */
const othersMs = 500;

/** A caller of the feed who waits, and the answers so far. */
type Caller = { advisorId: number; socket: Socket; answers(): number };

/** Callers who each wait for an event of a different advisor: what they cost a node, and who is woken by an event. */
export async function measureWaiting(
  scratch: Scratch,
  { waitingCallers: count }: EventSizes,
  cast: Cast,
): Promise<string[]> {
  heading(`${whole(count)} callers who wait for an event, each of a different advisor`);
  const { runtime } = cast;
  const server = await startSendServer(scratch, cast, 'product', 'running');
  const requests = await requestsOf(cast, count);
  await pause(settleMs);
  const [emptyMB, emptyConnections] = [memoryOf(server.pid), await connectionsOf(cast)];
  const callers = await Promise.all(requests.map((each) => call(server.port, each)));
  await pause(settleMs);
  const [fullMB, fullConnections] = [memoryOf(server.pid), await connectionsOf(cast)];
  const early = callers.filter(({ answers }) => answers() > 0).length;
  if (early > 0) throw new Error(`${early} callers were answered before anything happened.`);
  const wakeMs: number[] = [];
  for (let wake = 0; wake < wakes; wake++) {
    const caller = callers[Math.floor((wake * count) / wakes)] as Caller;
    const event = { advisorId: caller.advisorId, type: 'message.received', memberId: 1 } as const;
    await runtime.db.transaction((db) => insertEvents(db, [event], new Date()));
    const began = performance.now();
    while (caller.answers() === 0 && performance.now() - began < wakeMsMax) await pause(1);
    wakeMs.push(performance.now() - began);
  }
  await pause(othersMs);
  const woken = callers.filter(({ answers }) => answers() > 0).length;
  if (woken !== wakes) throw new Error(`${wakes} events woke ${woken} callers.`);
  for (const { socket } of callers) socket.destroy();
  await server.stop();
  const ofEach = ((fullMB - emptyMB) * 1000) / count;
  table([
    {
      callers: whole(count),
      'MB before': whole(emptyMB),
      'MB with them': whole(fullMB),
      'kB each': whole(ofEach),
      connections: `${emptyConnections} before, ${fullConnections} with them`,
      'woken in ms': ms(median(wakeMs)),
    },
  ]);
  return [
    `${whole(count)} waiting callers: ${whole(ofEach)} kB each, ${fullConnections - emptyConnections} more connections, and each of ${wakes} events woke its own caller, after ${ms(median(wakeMs))} ms`,
  ];
}

/** Each of an advisor of their own. One key may have a thousand waiting, so there are several. */
async function requestsOf(cast: Cast, count: number): Promise<{ advisorId: number; bytes: string }[]> {
  const { runtime, firmId } = cast;
  const requests: { advisorId: number; bytes: string }[] = [];
  let key = await newApplication(cast);
  for (let index = 0; index < count; index++) {
    if (index > 0 && index % callersOfKey === 0) key = await newApplication(cast);
    const name = `Waiting ${index}`;
    const { advisorId } = await addAdvisor(runtime, { firmId, name, email: `waiting${index}@bench.example` });
    const token = await issueToken(runtime, { clientId: key.clientId, advisorId, scopes });
    const lines = [
      `GET /v1/text/messaging/events?wait=${waitSeconds} HTTP/1.1`,
      'host: localhost',
      `authorization: Bearer ${token}`,
      `x-api-key: ${key.apiKey}`,
      '\r\n',
    ];
    requests.push({ advisorId, bytes: lines.join('\r\n') });
  }
  return requests;
}

async function call(port: number, { advisorId, bytes }: { advisorId: number; bytes: string }): Promise<Caller> {
  const socket = connect({ port, host: '127.0.0.1' });
  await once(socket, 'connect');
  let answers = 0;
  socket
    .on('error', () => {})
    .on('data', (chunk) => {
      if (chunk.includes('HTTP/1.1 ')) answers += 1;
    });
  socket.write(bytes);
  return { advisorId, socket, answers: () => answers };
}

/** Zero where there is no /proc. */
function memoryOf(pid: number): number {
  try {
    return (Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024) / 1e6;
  } catch {
    return 0;
  }
}

async function connectionsOf({ owner }: Cast): Promise<number> {
  const { rows } = await owner.query(
    'select count(*)::integer as count from pg_stat_activity where datname = current_database()',
  );
  return rows[0].count;
}
