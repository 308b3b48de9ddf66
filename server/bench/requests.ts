import { join } from 'node:path';
import { createHistogram } from 'node:perf_hooks';
import autocannon from 'autocannon';
import { writeContacts } from './files.ts';
import { assent, type Program, startProgram } from './program.ts';
import type { Scratch } from './scratch.ts';
import type { Sizes } from './sizes.ts';
import { heading, median, ms, ratio, table, whole } from './tables.ts';

type Route = { name: string; paths: string[] };
type Load = { perSecond: number; p50Ms: number; p99Ms: number };
type Credentials = Record<string, string>;

const advisor = 'avery@sandbox.example';
const contactsAsked = 50;
const warmUpSeconds = 1;

/**
 * Requests to the real server in a separate process, with the load from this one. `/core/enumerations` passes the same
 * checks but uses no database: the ratio to it, in the same round, shows a route's own cost.
 */
export async function measureRequests(scratch: Scratch, sizes: Sizes): Promise<string[]> {
  const program = await startProgram(scratch, join(scratch.folder, 'requests'));
  const file = join(scratch.folder, 'book.csv');
  await writeContacts(file, sizes.fileRows);
  await assent(program.dataDir, ['contacts', 'import', file, '--advisor', advisor]);
  const credentials = await credentialsOf(program);
  const routes = await routesOf(program, credentials);
  for (const route of routes) await load(program, credentials, route, 16, warmUpSeconds);

  heading(`Requests on a book of ${whole(sizes.fileRows)} contacts, medians of ${sizes.rounds} rounds`);
  const rows = [];
  for (const connections of sizes.connections) {
    const loads = routes.map(() => [] as Load[]);
    for (let round = 0; round < sizes.rounds; round++)
      for (const [index, route] of routes.entries())
        loads[index]?.push(await load(program, credentials, route, connections, sizes.roundSeconds));
    const [base, ...others] = loads.map(medianOf) as [Load, ...Load[]];
    rows.push(...[base, ...others].map((each, index) => row(connections, routes[index]?.name ?? '', each, base)));
  }
  table(rows);
  await program.stop();
  return [];
}

/** A key without a usage plan, which would limit the measurement, and a token. */
async function credentialsOf({ dataDir }: Program): Promise<Credentials> {
  const applications = JSON.parse(await assent(dataDir, ['applications', 'list', '--json']));
  const issued = await assent(dataDir, ['keys', 'issue', applications[0].clientId, '--unlimited', '--json']);
  const token = await assent(dataDir, ['token', '--advisor', advisor]);
  return { authorization: `Bearer ${token}`, 'x-api-key': JSON.parse(issued)[0].apiKey };
}

async function routesOf({ baseUrl }: Program, credentials: Credentials): Promise<[Route, ...Route[]]> {
  const contacts = '/core/contact/contacts';
  const response = await fetch(`${baseUrl}${contacts}?pageSize=${contactsAsked}&page=7`, { headers: credentials });
  const { data } = (await response.json()) as { data: { contactId: number }[] };
  return [
    { name: 'GET /core/enumerations (no database)', paths: ['/core/enumerations'] },
    { name: 'GET contact', paths: data.map(({ contactId }) => `${contacts}/${contactId}`) },
    { name: 'search contacts, first page of 25', paths: [contacts] },
  ];
}

async function load(
  { baseUrl }: Program,
  headers: Credentials,
  { name, paths }: Route,
  connections: number,
  seconds: number,
): Promise<Load> {
  const url = new URL(baseUrl);
  const microseconds = createHistogram();
  const began = performance.now();
  const run = autocannon({
    url: url.origin,
    connections,
    duration: seconds,
    headers,
    requests: paths.map((path) => ({ method: 'GET', path: `${url.pathname}${path}` })),
  });
  run.on('response', (_client, _status, _bytes, responseTimeMs) =>
    microseconds.record(Math.max(1, Math.round(responseTimeMs * 1000))),
  );
  const { errors, timeouts, non2xx } = await run;
  const elapsedSeconds = (performance.now() - began) / 1000;
  if (errors + timeouts + non2xx > 0)
    throw new Error(`${name}: ${errors} errors, ${timeouts} timeouts, ${non2xx} answers that are not 2xx.`);
  return {
    perSecond: microseconds.count / elapsedSeconds,
    p50Ms: microseconds.percentile(50) / 1000,
    p99Ms: microseconds.percentile(99) / 1000,
  };
}

function medianOf(loads: Load[]): Load {
  const of = (field: keyof Load) => median(loads.map((each) => each[field]));
  return { perSecond: of('perSecond'), p50Ms: of('p50Ms'), p99Ms: of('p99Ms') };
}

function row(connections: number, route: string, { perSecond, p50Ms, p99Ms }: Load, base: Load) {
  return {
    connections,
    route,
    'requests/s': whole(perSecond),
    'of the first': ratio(perSecond / base.perSecond),
    'p50 ms': ms(p50Ms),
    'p99 ms': ms(p99Ms),
    'p50 of the first': ratio(p50Ms / base.p50Ms),
    'p99 of the first': ratio(p99Ms / base.p99Ms),
  };
}
