import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeContacts } from './contacts-file.ts';
import { cpuOfEach, cpuTimeOf } from './cpu.ts';
import { type Load, load } from './load.ts';
import { assent, type Program, startProgram } from './program.ts';
import type { Scratch } from './scratch.ts';
import type { Sizes } from './sizes.ts';
import { heading, median, ms, ratio, table, whole } from './tables.ts';

/** `expected` is in the body of every good answer. */
type Route = { name: string; paths: string[]; expected: string; bar?: number };
/** A round's load, with microseconds of CPU for each request. */
type Round = Load & { node: number; postgresql: number };
type Credentials = Record<string, string>;

const advisor = 'avery@sandbox.example';
const contactsAsked = 50;
const warmUpSeconds = 1;
/** The number of connections that the bars are for. */
const barConnections = 64;

/**
 * Requests to the real server in a separate process, with the load from this one. `/core/enumerations` passes the same
 * checks but uses no database: the ratio to it, in the same round, shows a route's own cost.
 */
export async function measureRequests(scratch: Scratch, sizes: Sizes): Promise<string[]> {
  const program = await startProgram(scratch, join(scratch.folder, 'requests'));
  const file = join(scratch.folder, 'book.csv');
  await writeContacts(file, sizes.bookRows);
  await assent(program.dataDir, ['contacts', 'import', file, '--advisor', advisor]);
  const credentials = await credentialsOf(program);
  const routes = await routesOf(program, credentials);
  for (const route of routes) await measure(program, credentials, route, 16, warmUpSeconds);

  heading(`Requests on a book of ${whole(sizes.bookRows)} contacts, medians of ${sizes.rounds} rounds`);
  const rows = [];
  const bars: string[] = [];
  for (const connections of sizes.connections) {
    const rounds = routes.map(() => [] as Round[]);
    for (let round = 0; round < sizes.rounds; round++)
      for (const [index, route] of routes.entries())
        rounds[index]?.push(await measure(program, credentials, route, connections, sizes.roundSeconds));
    const [base, ...others] = rounds.map(medianOf) as [Round, ...Round[]];
    for (const [index, each] of [base, ...others].entries()) {
      const { name, bar } = routes[index] as Route;
      rows.push(row(connections, name, each, base));
      const share = ratio(each.perSecond / base.perSecond);
      if (bar && connections === barConnections) bars.push(`${name}: ${share} of no database (bar ${bar})`);
    }
  }
  table(rows);
  await program.stop();
  return bars;
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
  const { data } = (await response.json()) as { data: { contactId: number; phone: string }[] };
  const phones = Array.from({ length: contactsAsked }, (_, index) => `+1212555${1000 + index}`);
  const consents = '/text/messaging/consent-requests';
  const asked = await fetch(`${baseUrl}${consents}`, {
    method: 'POST',
    headers: { ...credentials, 'content-type': 'application/json' },
    body: JSON.stringify({ phoneNumbers: phones }),
  });
  if (!asked.ok) throw new Error(`Consent requests were answered with ${asked.status}: ${await asked.text()}`);
  return [
    { name: 'GET /core/enumerations (no database)', paths: ['/core/enumerations'], expected: '"gender"' },
    {
      name: 'GET consents',
      paths: phones.map((phone) => `/text/messaging/consents?phone=${encodeURIComponent(phone)}`),
      expected: '"state":"pending"',
      bar: 0.7,
    },
    {
      name: 'GET contact',
      paths: data.map(({ contactId }) => `${contacts}/${contactId}`),
      expected: '"contactId":',
      bar: 0.7,
    },
    {
      name: 'search contacts, first page of 25',
      paths: [contacts],
      expected: '"pageInfo":{"page":1,"pageSize":25',
      bar: 0.45,
    },
    {
      name: 'search contacts, pages in the middle',
      paths: data.map((_, index) => `${contacts}?page=${60 + index}`),
      expected: '"pageInfo":{',
    },
    {
      name: 'search contacts by phone',
      paths: data.map(({ phone }) => `${contacts}?phone=${encodeURIComponent(phone)}`),
      expected: '"totalRecord":1,',
    },
  ];
}

async function measure(
  { baseUrl, dataDir, pid }: Program,
  credentials: Credentials,
  { paths, expected }: Route,
  connections: number,
  seconds: number,
): Promise<Round> {
  const { port, host, pathname } = new URL(baseUrl);
  const headers = Object.entries({ host, ...credentials }).map(([name, value]) => `${name}: ${value}\r\n`);
  const requests = paths.map((path) => Buffer.from(`GET ${pathname}${path} HTTP/1.1\r\n${headers.join('')}\r\n`));
  const postmaster = Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
  const before = cpuTimeOf([pid], [postmaster]);
  const run = await load({ port: Number(port), requests, connections, seconds, expected });
  const { node = Number.NaN, postgresql = Number.NaN } = cpuOfEach(before, cpuTimeOf([pid], [postmaster]), run.count);
  return { ...run, node, postgresql };
}

function medianOf(rounds: Round[]): Round {
  const of = (field: keyof Round) => median(rounds.map((each) => each[field]));
  return {
    count: of('count'),
    perSecond: of('perSecond'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    node: of('node'),
    postgresql: of('postgresql'),
  };
}

function row(connections: number, route: string, each: Round, base: Round) {
  return {
    connections,
    route,
    'requests/s': whole(each.perSecond),
    'of the first': ratio(each.perSecond / base.perSecond),
    'p50 ms': ms(each.p50Ms),
    'p99 ms': ms(each.p99Ms),
    'p99 of the first': ratio(each.p99Ms / base.p99Ms),
    'CPU of Node, µs': whole(each.node),
    'CPU of PostgreSQL, µs': whole(each.postgresql),
  };
}
