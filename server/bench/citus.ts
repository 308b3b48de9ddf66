import { setTimeout as pause } from 'node:timers/promises';
import { skip, startCitus } from '../test/support/citus.ts';
import { createDatabase } from '../test/support/clones.ts';
import { postgresUser } from '../test/support/debian-postgres.ts';
import { makeServer } from '../test/support/replicated-postgres.ts';
import { cpuOfEach, cpuTimeOf } from './cpu.ts';
import { type Load, load, medianOf } from './load.ts';
import { acceptedSince, everyOneDelivered, lastMessageId, waiting } from './outbox.ts';
import type { Scratch } from './scratch.ts';
import { type Cast, makeCast, type SendServer, startSendServer } from './send-cast.ts';
import type { Dispatch } from './send-server.ts';
import type { Sizes } from './sizes.ts';
import { heading, median, ms, type Row, ratio, say, table, whole } from './tables.ts';

const connections = 64;
/** After so long without a change, a round is over. Seldom: each look is a statement on every shard, and is measured along. */
const stillMs = 1_000;
const pollMs = 500;
/** Citus's own default. */
const shards = '32';

/** A database that is measured, and the first process of each PostgreSQL that it is on. */
type Side = { name: string; cast: Cast; postmasters: number[]; stop(): Promise<void> };
type Run = Load & { nodeUs: number; postgresqlUs: number };

/** The same load on one PostgreSQL and on a coordinator with two workers, of the same version and all on this machine, in turn. */
export async function measureCitus(scratch: Scratch, { sends }: Sizes): Promise<string[]> {
  if (skip) {
    say(`Citus is not installed: ${skip}.`);
    return [];
  }
  const sides = [await startOne(scratch), await startThree(scratch)];
  heading(`One PostgreSQL 15 and Citus, sends, ${connections} connections, nothing dispatched, in turn`);
  const seconds = sends.dispatchSeconds;
  const accepted = await inTurn(scratch, sides, 'paused', sends.dispatchRounds, (side, server) =>
    sendSome(side, server, { seconds, isDispatching: false }),
  );
  table(accepted.map(rowOf));
  for (const { cast } of sides) await cast.owner.query('truncate dispatches');
  heading(`The same with dispatch running, from the first one accepted to the last one delivered`);
  const delivered = await inTurn(scratch, sides, 'running', sends.dispatchRounds, (side, server) =>
    sendSome(side, server, { seconds, isDispatching: true }),
  );
  table(delivered.map(rowOf));
  for (const side of sides) await side.stop();
  const compared = (what: string, [one, citus]: Run[]) =>
    `${what} on Citus with two workers: ${whole(citus?.perSecond)}/s, ${ratio((citus?.perSecond ?? 0) / (one?.perSecond ?? 1))} of one PostgreSQL`;
  return [compared('durable sends', accepted), compared('accepted and dispatched together', delivered)];

  function rowOf(run: Run, index: number): Row {
    return {
      on: sides[index]?.name,
      'texts/s': whole(run.perSecond),
      'p50 ms': ms(run.p50Ms),
      'p99 ms': ms(run.p99Ms),
      'Node µs': whole(run.nodeUs),
      'PostgreSQL µs': whole(run.postgresqlUs),
    };
  }
}

async function startOne(scratch: Scratch): Promise<Side> {
  const server = await makeServer(postgresUser(), { max_connections: '300', jit: 'off' });
  server.initialize();
  await server.start();
  const { stop } = scratch.owns(async () => {
    await server.end();
    server.remove();
  });
  const url = (database: string) => `postgres://assent@127.0.0.1:${server.port}/${database}`;
  return sideOf('one PostgreSQL', await makeCast(scratch, { url }, 'one'), [server.pid()], stop);
}

async function startThree(scratch: Scratch): Promise<Side> {
  const citus = await startCitus({ 'citus.shard_count': shards });
  const { stop } = scratch.owns(citus.stop);
  await createDatabase(citus.url('postgres'), 'three');
  return sideOf('Citus, two workers', await makeCast(scratch, citus, 'three'), citus.postmasters(), stop);
}

function sideOf(name: string, cast: Cast, postmasters: number[], stop: () => Promise<void>): Side {
  return {
    name,
    cast,
    postmasters,
    async stop() {
      await cast.close();
      await stop();
    },
  };
}

/** Each side's median of so many rounds, one after the other, so that other load on the machine affects both. */
async function inTurn(
  scratch: Scratch,
  sides: Side[],
  dispatch: Dispatch,
  rounds: number,
  run: (side: Side, server: SendServer) => Promise<Run>,
): Promise<Run[]> {
  const servers: SendServer[] = [];
  for (const { cast } of sides) servers.push(await startSendServer(scratch, cast, 'product', dispatch));
  const runs = sides.map(() => [] as Run[]);
  // The first round only warms up.
  for (let round = 0; round <= rounds; round++)
    for (const [index, side] of sides.entries()) {
      const measured = await run(side, servers[index] as SendServer);
      if (round > 0) runs[index]?.push(measured);
    }
  for (const server of servers) await server.stop();
  return runs.map((each) => ({
    ...medianOf(each),
    nodeUs: median(each.map(({ nodeUs }) => nodeUs)),
    postgresqlUs: median(each.map(({ postgresqlUs }) => postgresqlUs)),
  }));
}

/** Texts per second from the first request until the last one is stored, and with dispatch running until it is delivered. */
async function sendSome(
  { cast, postmasters }: Side,
  { port, pid }: SendServer,
  { seconds, isDispatching }: { seconds: number; isDispatching: boolean },
): Promise<Run> {
  const requests = await cast.requests();
  const mark = await lastMessageId(cast);
  const before = cpuTimeOf([pid], postmasters);
  const began = performance.now();
  const measured = await load({ port, requests, connections, seconds });
  // The load generator doesn't count requests that were on their way when it ended, and a slow server is still busy with them.
  let [count, endedAt] = [0, performance.now()];
  for (let stillSince = endedAt; performance.now() < stillSince + stillMs; await pause(pollMs)) {
    const now = { count: await acceptedSince(cast, mark), waiting: isDispatching ? await waiting(cast) : 0 };
    if (now.count === count && now.waiting === 0) continue;
    count = now.count;
    stillSince = performance.now();
    endedAt = stillSince;
  }
  if (isDispatching) await everyOneDelivered(cast, mark, count);
  const cpu = cpuOfEach(before, cpuTimeOf([pid], postmasters), count);
  return withCpu({ ...measured, count, perSecond: (count / (endedAt - began)) * 1000 }, cpu);
}

function withCpu(measured: Load, { node, postgresql }: ReturnType<typeof cpuOfEach>): Run {
  return { ...measured, nodeUs: node ?? Number.NaN, postgresqlUs: postgresql ?? Number.NaN };
}
