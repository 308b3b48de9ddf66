import { setTimeout as pause } from 'node:timers/promises';
import { skip, startCitus } from '../test/support/citus.ts';
import { createDatabase } from '../test/support/clones.ts';
import { postgresUser } from '../test/support/debian-postgres.ts';
import { makeServer } from '../test/support/replicated-postgres.ts';
import { type Side as Compared, prepare, type Round, runRound } from './beside.ts';
import { checkOut, startCheckout, thisCheckout } from './checkout.ts';
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
/** Citus's own default, which we had before shards followed the workers. */
const manyShards = '32';

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

/**
 * Texts from request to receipt: another commit of ours with as many shards as Citus makes by itself, this one with as many as it makes, and
 * this one on one PostgreSQL, in turn.
 */
export async function measureCitusBeside(scratch: Scratch, { beside }: Sizes, ref: string): Promise<string[]> {
  if (skip) {
    say(`Citus is not installed: ${skip}.`);
    return [];
  }
  const other = await checkOut(ref);
  const [many, few] = [await startCitus({ 'citus.shard_count': manyShards }), await startCitus()];
  scratch.owns(many.stop);
  scratch.owns(few.stop);
  const one = await startPostgres(scratch);
  const sides: Compared[] = [];
  for (const [name, { folder }, on] of [
    [`${other.name} on ${manyShards} shards`, other, many],
    ['this on Citus', thisCheckout, few],
    ['this on one PostgreSQL', thisCheckout, one],
  ] as const) {
    const database = { url: await createDatabase(on.url('postgres'), 'beside'), postmasters: on.postmasters() };
    sides.push(await prepare(await startCheckout(scratch, { name, folder }, database)));
  }
  for (const side of sides) await runRound(side, beside.warmUpSeconds);
  const rounds = new Map<Compared, Round[]>(sides.map((side) => [side, []]));
  for (let round = 0; round < beside.rounds; round++)
    for (const side of sides) rounds.get(side)?.push(await runRound(side, beside.seconds));
  const medians = sides.map((side) => {
    const of = (field: keyof Round) => median((rounds.get(side) ?? []).map((round) => round[field]));
    return {
      name: side.name,
      postgresql: of('postgresql'),
      node: of('node'),
      perSecond: of('perSecond'),
      p99Ms: of('p99Ms'),
    };
  });
  heading(`Texts from request to receipt, medians of ${beside.rounds} rounds of ${beside.seconds} s in turn`);
  table(
    medians.map(({ name, postgresql, node, perSecond, p99Ms }) => ({
      on: name,
      'PostgreSQL µs': whole(postgresql),
      'Node µs': whole(node),
      'texts/s': whole(perSecond),
      'p99 ms': ms(p99Ms),
    })),
  );
  const [before = Number.NaN, now = Number.NaN, plain = Number.NaN] = medians.map(({ postgresql }) => postgresql);
  return [
    `PostgreSQL’s CPU of a text on Citus: ${ratio(now / before)} of ${other.name}’s on ${manyShards} shards, ${ratio(now / plain)} times that on one PostgreSQL`,
  ];
}

/** Debian's, like the one that Citus is in. */
async function startPostgres(scratch: Scratch) {
  const server = await makeServer(postgresUser(), { max_connections: '300', jit: 'off' });
  server.initialize();
  await server.start();
  const { stop } = scratch.owns(async () => {
    await server.end();
    server.remove();
  });
  const url = (database: string) => `postgres://assent@127.0.0.1:${server.port}/${database}`;
  return { url, postmasters: () => [server.pid()], stop };
}

async function startOne(scratch: Scratch): Promise<Side> {
  const { url, postmasters, stop } = await startPostgres(scratch);
  return sideOf('one PostgreSQL', await makeCast(scratch, { url }, 'one'), postmasters(), stop);
}

async function startThree(scratch: Scratch): Promise<Side> {
  const citus = await startCitus();
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
