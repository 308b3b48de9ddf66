import { join } from 'node:path';
import { startEmbedded } from '../src/store/database/embedded.ts';
import { type Load, load, medianOf } from './load.ts';
import type { Scratch } from './scratch.ts';
import { type Cast, makeCast, startSendServer } from './send-cast.ts';
import { measureDispatch } from './send-dispatch.ts';
import { createFunction, findPgbench, pgbench } from './send-function.ts';
import { measureHistory } from './send-history.ts';
import type { Shape } from './send-server.ts';
import type { Sizes } from './sizes.ts';
import { heading, ms, type Row, ratio, say, table, whole } from './tables.ts';

type Contender = { name: Shape | 'pgbench'; connections: number[]; run(connections: number): Promise<Load> };
/** Each contender's median at one number of connections. */
type Standing = Map<Contender['name'], Load>;

const shapes: Shape[] = ['product', 'nowhere', 'function'];
const barConnections = 64;
const toNowhereMin = 0.9;
const toFunctionMin = 2.5;

/**
 * Durable sends through the real app, each answered after its commit; compared with the same app without a database,
 * which is the upper bound, and with one function call per request, which the batches must beat.
 */
export async function measureSends(scratch: Scratch, sizes: Sizes): Promise<string[]> {
  const embedded = await startEmbedded(join(scratch.folder, 'sends'), say);
  const server = scratch.owns(() => embedded.stop());
  const cast = await makeCast(scratch, embedded, 'sends');
  const bars = await measureShapes(scratch, sizes, cast);
  bars.push(...(await measureDispatch(scratch, sizes, cast)));
  bars.push(...(await measureHistory(scratch, sizes, embedded)));
  await cast.close();
  await server.stop();
  return bars;
}

async function measureShapes(scratch: Scratch, sizes: Sizes, cast: Cast): Promise<string[]> {
  heading(`Sends, nothing dispatched, medians of ${sizes.sends.rounds} rounds of ${sizes.sends.roundSeconds} s`);
  await createFunction(cast);
  const contenders: Contender[] = [];
  const servers = [];
  for (const shape of shapes) {
    const { port, stop } = await startSendServer(scratch, cast, shape);
    servers.push({ stop });
    const run = async (connections: number, seconds = sizes.sends.roundSeconds) =>
      load({ port, requests: await cast.requests(), connections, seconds });
    await run(barConnections, sizes.sends.warmUpSeconds);
    contenders.push({ name: shape, connections: sizes.sends.connections, run });
  }
  const program = findPgbench();
  if (program)
    contenders.push({
      name: 'pgbench',
      connections: sizes.sends.pgbenchClients,
      run: (clients) => pgbench(program, scratch, cast, { clients, seconds: sizes.sends.roundSeconds }),
    });
  else say('pgbench is missing: neither on the PATH nor under /usr/lib/postgresql.');

  const standings = new Map<number, Standing>();
  for (const connections of sizes.sends.connections) {
    // Rows from the previous round would make the next round's index larger.
    await cast.owner.query('truncate dispatches');
    await cast.owner.query('checkpoint');
    standings.set(connections, await compete(contenders, connections, sizes.sends.rounds));
  }
  table([...standings].flatMap(([connections, standing]) => rowsOf(connections, standing)));
  for (const each of servers) await each.stop();
  return barsOf(standings.get(barConnections));
}

/** Runs the contenders in turn, so that other load on the machine affects all of them. */
async function compete(contenders: Contender[], connections: number, rounds: number): Promise<Standing> {
  const taking = contenders.filter((each) => each.connections.includes(connections));
  const loads = taking.map(() => [] as Load[]);
  for (let round = 0; round < rounds; round++)
    for (const [index, { run }] of taking.entries()) loads[index]?.push(await run(connections));
  return new Map(taking.map(({ name }, index) => [name, medianOf(loads[index] ?? [])]));
}

function rowsOf(connections: number, standing: Standing): Row[] {
  const product = standing.get('product')?.perSecond ?? Number.NaN;
  return [...standing].map(([shape, { perSecond, p50Ms, p99Ms }]) => ({
    connections,
    shape,
    'sends/s': whole(perSecond),
    'p50 ms': ms(p50Ms),
    'p99 ms': ms(p99Ms),
    'product / this': ratio(product / perSecond),
  }));
}

function barsOf(standing: Standing | undefined): string[] {
  const of = (name: Contender['name']) => standing?.get(name)?.perSecond ?? Number.NaN;
  const product = of('product');
  const toPgbench = standing?.has('pgbench') ? ratio(product / of('pgbench')) : 'not measured';
  return [
    `durable sends at ${barConnections} connections: ${whole(product)}/s, p99 ${ms(standing?.get('product')?.p99Ms ?? 0)} ms`,
    `  to the same server with no database: ${ratio(product / of('nowhere'))} (bar ${ratio(toNowhereMin)})`,
    `  to a function for each request: ${ratio(product / of('function'))} (bar ${ratio(toFunctionMin)}); to pgbench with that function: ${toPgbench}`,
  ];
}
