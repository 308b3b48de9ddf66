import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startEmbedded } from '../src/store/database/embedded.ts';
import { loadAll } from './load.ts';
import { drained, waiting } from './outbox.ts';
import { type Program, startProgram } from './program.ts';
import type { Scratch } from './scratch.ts';
import { type Cast, makeCast, publicUrl } from './send-cast.ts';
import { type Flow, measureFlow } from './send-dispatch.ts';
import type { Sizes } from './sizes.ts';
import { heading, median, ms, type Row, ratio, say, table, whole } from './tables.ts';

const connections = 64;

/** The role of each process, and the share of texts that are traced. */
type Deployment = { of: string; roles: ('all' | 'api' | 'work')[]; traced?: number };

const deployments: Deployment[] = [
  { of: 'one process', roles: ['all'] },
  { of: 'one that answers, one that works', roles: ['api', 'work'] },
  { of: 'two that answer, one that works', roles: ['api', 'api', 'work'] },
  { of: 'one that answers, two that work', roles: ['api', 'work', 'work'] },
  { of: 'two of each', roles: ['api', 'api', 'work', 'work'] },
  { of: 'one process, a twentieth traced', roles: ['all'], traced: 0.05 },
  { of: 'one process, all traced', roles: ['all'], traced: 1 },
];

/**
 * The product as an operator starts it, as several processes on one PostgreSQL. On two cores more processes can't be faster: the
 * table shows what their number costs, and the CPU of a text is what counts where each has a machine of its own.
 */
export async function measureNodes(scratch: Scratch, { sends }: Sizes): Promise<string[]> {
  const embedded = await startEmbedded(join(scratch.folder, 'nodes'), say);
  const stopping = scratch.owns(() => embedded.stop());
  const cast = await makeCast(scratch, embedded, 'nodes');
  const collector = await startCollector(scratch);
  heading(`Sends with dispatch running, ${connections} connections, by number of processes, in turn`);
  const [flows, rows]: [Map<string, Flow[]>, Row[]] = [new Map(), []];
  for (let round = 0; round < sends.dispatchRounds; round++)
    for (const { of, roles, traced } of deployments) {
      const tracing = traced ? { ...collector.settings, OTEL_TRACES_SAMPLER_ARG: String(traced) } : {};
      const { flow, row } = await measureDeployment(scratch, { sends }, cast, { roles, tracing });
      flows.set(of, [...(flows.get(of) ?? []), flow]);
      rows.push({ of, ...row });
    }
  table(rows);
  await collector.stop();
  await cast.close();
  await stopping.stop();
  const middle = (of: string, field: keyof Flow) =>
    median((flows.get(of) ?? []).map((flow) => flow[field] ?? Number.NaN));
  const [one = ''] = deployments.map(({ of }) => of);
  return deployments.map(
    ({ of }) =>
      `${of}: ${whole(middle(of, 'together'))}/s accepted and dispatched, ${ratio(middle(of, 'together') / middle(one, 'together'))} of one process; ` +
      `p99 ${ms(middle(of, 'p99Ms'))} ms; Node ${whole(middle(of, 'nodeUs'))} µs, PostgreSQL ${whole(middle(of, 'postgresqlUs'))} µs a text`,
  );
}

async function measureDeployment(
  scratch: Scratch,
  { sends }: Pick<Sizes, 'sends'>,
  cast: Cast,
  { roles, tracing }: { roles: Deployment['roles']; tracing: Record<string, string> },
): Promise<{ flow: Flow; row: Row }> {
  const started: { role: string; program: Program }[] = [];
  for (const ROLE of roles) {
    const settings = { ROLE, DATABASE_URL: cast.databaseUrl, PUBLIC_URL: publicUrl, ...tracing };
    started.push({ role: ROLE, program: await startProgram(scratch, cast.dataDir, settings) });
  }
  const ports = started.flatMap(({ role, program }) => (role === 'work' ? [] : Number(new URL(program.baseUrl).port)));
  const pids = started.map(({ program }) => program.pid);
  const requests = await cast.requests();
  await loadAll(ports, { requests, connections, seconds: sends.warmUpSeconds });
  await drained(() => waiting(cast));
  const measured = await measureFlow(sends, cast, { ports, pids });
  for (const { program } of started) await program.stop();
  return measured;
}

/** It takes spans and forgets them. */
async function startCollector(scratch: Scratch): Promise<{ settings: Record<string, string>; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end('{}'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { stop } = scratch.owns(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { settings: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` }, stop };
}
