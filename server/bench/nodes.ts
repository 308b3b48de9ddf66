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

/** The role of each process. */
type Deployment = { of: string; roles: ('all' | 'api' | 'work')[] };

const deployments: Deployment[] = [
  { of: 'one process', roles: ['all'] },
  { of: 'one that answers, one that works', roles: ['api', 'work'] },
  { of: 'two that answer, one that works', roles: ['api', 'api', 'work'] },
  { of: 'one that answers, two that work', roles: ['api', 'work', 'work'] },
  { of: 'two of each', roles: ['api', 'api', 'work', 'work'] },
];

/**
 * The product as an operator starts it, as several processes on one PostgreSQL. On two cores more processes can't be faster: the
 * table shows what their number costs, and the CPU of a text is what counts where each has a machine of its own.
 */
export async function measureNodes(scratch: Scratch, { sends }: Sizes): Promise<string[]> {
  const embedded = await startEmbedded(join(scratch.folder, 'nodes'), say);
  const stopping = scratch.owns(() => embedded.stop());
  const cast = await makeCast(scratch, embedded, 'nodes');
  heading(`Sends with dispatch running, ${connections} connections, by number of processes, in turn`);
  const [flows, rows]: [Map<string, Flow[]>, Row[]] = [new Map(), []];
  for (let round = 0; round < sends.dispatchRounds; round++)
    for (const { of, roles } of deployments) {
      const { flow, row } = await measureDeployment(scratch, { sends }, cast, roles);
      flows.set(of, [...(flows.get(of) ?? []), flow]);
      rows.push({ of, ...row });
    }
  table(rows);
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
  roles: Deployment['roles'],
): Promise<{ flow: Flow; row: Row }> {
  const started: { role: string; program: Program }[] = [];
  for (const ROLE of roles) {
    const settings = { ROLE, DATABASE_URL: cast.databaseUrl, PUBLIC_URL: publicUrl };
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
