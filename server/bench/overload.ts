import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createHistogram } from 'node:perf_hooks';
import { startEmbedded } from '../src/store/database/embedded.ts';
import type { Scratch } from './scratch.ts';
import { type Cast, makeCast, type SendServer, startSendServer } from './send-cast.ts';
import type { Sizes } from './sizes.ts';
import { heading, ms, type Row, ratio, say, table, whole } from './tables.ts';

const quietConnections = 8;
const openAtOnce = 200;

/** What became of requests whose clients don't listen to Retry-After. */
type Flood = { accepted: number; turnedAway: number; seconds: number; p50Ms: number; p99Ms: number };

/**
 * Sends over ever more connections, each with its next request as soon as the last is answered. Beyond the places of a
 * process requests are turned away; goodput is what is accepted.
 */
export async function measureOverload(scratch: Scratch, { overload }: Sizes): Promise<string[]> {
  const embedded = await startEmbedded(join(scratch.folder, 'overload'), say);
  const stopping = scratch.owns(() => embedded.stop());
  const cast = await makeCast(scratch, embedded, 'overload');
  const server = await startSendServer(scratch, cast, 'product', 'running');
  const requests = await cast.requests();
  const [fewest = 64] = overload.connections;
  await flood(server, requests, { connections: fewest, seconds: overload.warmUpSeconds });

  heading(`Sends by clients that ignore Retry-After, ${overload.seconds} s each, with dispatch running`);
  const floods = new Map<number, Flood>();
  for (const connections of overload.connections)
    floods.set(connections, await flood(server, requests, { connections, seconds: overload.seconds }));
  const recoveredMs = await timeToAnswer(server, requests);
  const best = Math.max(...[...floods.values()].map(goodput));
  table([...floods].map(([connections, each]) => rowOf(connections, each, best)));

  const most = overload.connections.at(-1) ?? fewest;
  const quiet = await beside(server, cast, { connections: most, seconds: overload.seconds });
  heading(`One advisor floods with ${whole(most)} connections, the others send over ${quietConnections}`);
  table([
    { who: 'the one', ...rowOf(most, quiet.noisy, best) },
    { who: 'the others', ...rowOf(quietConnections, quiet.others, best) },
  ]);
  await server.stop();
  await cast.close();
  await stopping.stop();
  const to = (connections: number) => {
    const each = floods.get(connections);
    return each ? `${ratio(goodput(each) / best)}, accepted with a p99 of ${ms(each.p99Ms)} ms` : 'not measured';
  };
  const [, tenTimes = 0, hundredTimes = 0] = overload.connections;
  return [
    `goodput with ten times ${whole(fewest)} connections: ${to(tenTimes)} (bar 0.80 of the best); with a hundred times ${to(hundredTimes)}`,
    `  answered again ${ms(recoveredMs)} ms after the flood; beside one advisor’s flood the others’ p99 is ${ms(quiet.others.p99Ms)} ms, ${whole(quiet.others.turnedAway)} turned away`,
  ];
}

const goodput = ({ accepted, seconds }: Flood) => accepted / seconds;

function rowOf(connections: number, each: Flood, best: number): Row {
  return {
    connections,
    'accepted/s': whole(goodput(each)),
    'of the best': ratio(goodput(each) / best),
    'turned away/s': whole(each.turnedAway / each.seconds),
    'p50 ms': ms(each.p50Ms),
    'p99 ms': ms(each.p99Ms),
  };
}

/** The requests of one advisor in a flood, and those of the others beside it. */
async function beside(
  server: SendServer,
  cast: Cast,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<{ noisy: Flood; others: Flood }> {
  const one = [await cast.request('A flood')];
  // The first person is the first advisor's.
  const rest = (await cast.requests()).slice(1);
  const noisy = flood(server, one, { connections, seconds: seconds + 1 });
  const others = flood(server, rest, { connections: quietConnections, seconds });
  return { noisy: await noisy, others: await others };
}

async function timeToAnswer(server: SendServer, requests: Buffer[]): Promise<number> {
  const began = performance.now();
  for (;;) {
    const { accepted } = await flood(server, requests, { connections: 1, seconds: 0.01 });
    if (accepted > 0) return performance.now() - began;
  }
}

async function flood(
  { port }: SendServer,
  requests: Buffer[],
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Flood> {
  const accepted = createHistogram();
  let turnedAway = 0;
  const sockets: Socket[] = [];
  while (sockets.length < connections)
    sockets.push(...(await open(port, Math.min(openAtOnce, connections - sockets.length))));
  const began = performance.now();
  const until = began + seconds * 1000;
  let next = 0;
  await Promise.all(
    sockets.map(async (socket) => {
      for (let sentAt = performance.now(); sentAt < until; sentAt = performance.now()) {
        const status = await ask(socket, requests[next++ % requests.length] as Buffer, until);
        if (status === null) break;
        if (status !== 200 && status !== 429) throw new Error(`A request was answered with ${status}.`);
        if (status === 429) turnedAway += 1;
        else accepted.record(Math.max(1, Math.round((performance.now() - sentAt) * 1000)));
      }
      socket.destroy();
    }),
  );
  return {
    accepted: accepted.count,
    turnedAway,
    seconds: (performance.now() - began) / 1000,
    p50Ms: accepted.percentile(50) / 1000,
    p99Ms: accepted.percentile(99) / 1000,
  };
}

function open(port: number, count: number): Promise<Socket[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      await once(socket, 'connect');
      return socket.setEncoding('latin1').on('error', () => {});
    }),
  );
}

/** The status of the answer; null if it isn't there when the time is up. Answers come in one piece: they are short. */
function ask(socket: Socket, request: Buffer, until: number): Promise<number | null> {
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve(null), Math.max(0, until - performance.now()));
    socket.once('data', (answer: string) => {
      clearTimeout(late);
      resolve(Number(answer.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)));
    });
    socket.write(request);
  });
}
