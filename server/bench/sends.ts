import { join } from 'node:path';
import { startEmbedded } from '../src/store/database/embedded.ts';
import { ensureDatabase } from '../src/store/database/schema/migrate.ts';
import { cpuOfEach, cpuTime } from './cpu.ts';
import { hasKannel, startKannel } from './kannel.ts';
import { type Load, load, medianOf } from './load.ts';
import type { Scratch } from './scratch.ts';
import { type Cast, makeCast, type SendServer, startSendServer } from './send-cast.ts';
import { measureDispatch } from './send-dispatch.ts';
import { createFunction, pgbench, pgbenchProgram } from './send-function.ts';
import type { Shape } from './send-server.ts';
import type { Sizes } from './sizes.ts';
import { heading, median, ms, type Row, ratio, say, table, whole } from './tables.ts';
import { wrk } from './wrk.ts';

type Run = Load & { nodeUs?: number; postgresqlUs?: number };
type Contender = { name: Shape | 'pgbench' | 'Kannel'; connections: number[]; run(connections: number): Promise<Run> };
/** Each contender's median at one number of connections. */
type Standing = Map<Contender['name'], Run>;

const shapes: Shape[] = ['product', 'nowhere', 'function'];
const barConnections = 64;

/**
 * Durable sends through the real app, each answered after its commit; compared with the same app without a database,
 * which is the upper bound, with one function call per request, which the batches must beat, and with Kannel.
 */
export async function measureSends(scratch: Scratch, sizes: Sizes): Promise<string[]> {
  say(wrk ? 'The load comes from wrk.' : 'wrk is not installed: the load comes from this process.');
  if (!pgbenchProgram) say('pgbench is not installed, neither on the PATH nor under /usr/lib/postgresql.');
  if (!hasKannel) say('Kannel is not installed (Debian: kannel and kannel-extras).');
  const embedded = await startEmbedded(join(scratch.folder, 'sends'), say);
  const server = scratch.owns(() => embedded.stop());
  const cast = await makeCast(scratch, embedded, 'sends');
  const standings = await measureShapes(scratch, sizes, cast);
  const bars = barsOf(standings);
  await ensureDatabase(embedded.url('postgres'), 'peers');
  const accepted = standings.get(barConnections)?.get('product')?.perSecond;
  bars.push(...(await measureDispatch(scratch, sizes, cast, { peersUrl: embedded.url('peers'), accepted })));
  await cast.close();
  await server.stop();
  return bars;
}

async function measureShapes(scratch: Scratch, sizes: Sizes, cast: Cast): Promise<Map<number, Standing>> {
  const { rounds, roundSeconds } = sizes.sends;
  heading(`Sends, nothing dispatched, medians of ${rounds} rounds of ${roundSeconds} s`);
  await createFunction(cast);
  const contenders: Contender[] = [];
  const started: { stop(): Promise<void> }[] = [];
  for (const shape of shapes) {
    const server = await startSendServer(scratch, cast, shape);
    started.push(server);
    const run = (connections: number) => runServer(cast, server, { connections, seconds: roundSeconds });
    await runServer(cast, server, { connections: barConnections, seconds: sizes.sends.warmUpSeconds });
    contenders.push({ name: shape, connections: sizes.sends.connections, run });
  }
  if (pgbenchProgram) {
    const program = pgbenchProgram;
    const run = (clients: number) => pgbench(program, scratch, cast, { clients, seconds: roundSeconds });
    contenders.push({ name: 'pgbench', connections: sizes.sends.pgbenchClients, run });
  }
  if (hasKannel) {
    const kannel = await startKannel(scratch);
    started.push(kannel);
    const run = (connections: number) => load({ ...kannel, connections, seconds: roundSeconds });
    // Of more, it leaves some without a response.
    const answered = sizes.sends.connections.filter((connections) => connections <= barConnections);
    contenders.push({ name: 'Kannel', connections: answered, run });
  }

  const standings = new Map<number, Standing>();
  for (const connections of sizes.sends.connections) {
    // Rows from the previous round would make the next round's index larger.
    await cast.owner.query('truncate dispatches');
    await cast.owner.query('checkpoint');
    standings.set(connections, await compete(contenders, connections, rounds));
  }
  table([...standings].flatMap(([connections, standing]) => rowsOf(connections, standing)));
  for (const each of started) await each.stop();
  return standings;
}

/** With the CPU time that the server and PostgreSQL took for each send. */
async function runServer(
  cast: Cast,
  { port, pid }: SendServer,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Run> {
  const requests = await cast.requests();
  const before = await cpuTime([pid], cast.owner);
  const measured = await load({ port, requests, connections, seconds });
  const { node, postgresql } = cpuOfEach(before, await cpuTime([pid], cast.owner), measured.count);
  return { ...measured, nodeUs: node, postgresqlUs: postgresql };
}

/** Runs the contenders in turn, so that other load on the machine affects all of them. */
async function compete(contenders: Contender[], connections: number, rounds: number): Promise<Standing> {
  const taking = contenders.filter((each) => each.connections.includes(connections));
  const runs = taking.map(() => [] as Run[]);
  for (let round = 0; round < rounds; round++)
    for (const [index, { run }] of taking.entries()) runs[index]?.push(await run(connections));
  return new Map(taking.map(({ name }, index) => [name, medianRun(runs[index] ?? [])]));
}

function medianRun(runs: Run[]): Run {
  const of = (field: 'nodeUs' | 'postgresqlUs') =>
    runs.some((run) => run[field] === undefined) ? undefined : median(runs.map((run) => run[field] ?? 0));
  return { ...medianOf(runs), nodeUs: of('nodeUs'), postgresqlUs: of('postgresqlUs') };
}

function rowsOf(connections: number, standing: Standing): Row[] {
  const product = standing.get('product')?.perSecond ?? Number.NaN;
  return [...standing].map(([shape, { perSecond, p50Ms, p99Ms, nodeUs, postgresqlUs }]) => ({
    connections,
    shape,
    'sends/s': whole(perSecond),
    'p50 ms': ms(p50Ms),
    'p99 ms': ms(p99Ms),
    'Node µs': nodeUs === undefined ? undefined : whole(nodeUs),
    'PostgreSQL µs': postgresqlUs === undefined ? undefined : whole(postgresqlUs),
    'product / this': ratio(product / perSecond),
  }));
}

function barsOf(standings: Map<number, Standing>): string[] {
  const standing = standings.get(barConnections);
  const product = standing?.get('product');
  const to = (name: Contender['name'], connections = barConnections) => {
    const [own, other] = ['product' as const, name].map((each) => standings.get(connections)?.get(each)?.perSecond);
    return own && other ? ratio(own / other) : 'not measured';
  };
  return [
    `durable sends at ${barConnections} connections: ${whole(product?.perSecond)}/s, p99 ${ms(product?.p99Ms ?? Number.NaN)} ms`,
    `  to Kannel’s accepts: ${to('Kannel')}`,
    `  to pgbench with one function each: ${to('pgbench')}; one connection: ${to('pgbench', 1)} (bar 0.35)`,
    `  to the same server with no database: ${to('nowhere')}; with one function each: ${to('function')}`,
    `  the door with no database: ${whole(standing?.get('nowhere')?.nodeUs)} µs of Node a request (bar 140)`,
    `  PostgreSQL: ${whole(product?.postgresqlUs)} µs a text accepted`,
  ];
}
