// Imports nothing from src/, so that it compares any two commits, whatever has moved between them.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { checkOut, type Running, startCheckout, thisCheckout } from './checkout.ts';
import { cpuOfEach, cpuTimeOf, peakMemory } from './cpu.ts';
import { load, postRequest } from './load.ts';
import type { Scratch } from './scratch.ts';
import type { Sizes } from './sizes.ts';
import { atShare, heading, median, ms, type Row, ratio, table, whole } from './tables.ts';

type Person = { advisorId: number; phone: string };
export type Side = Running & {
  apiKey: string;
  people: Person[];
  /** They get only the texts that are timed while the server is idle. */
  idlePeople: Person[];
};

/** CPU and WAL are those of a text: microseconds and bytes. */
export type Round = {
  node: number;
  postgresql: number;
  wal: number;
  perSecond: number;
  p99Ms: number;
  /** Shares of the machine that were taken meanwhile: by other machines on the same host, and by other programs on this one. */
  steal: number;
  others: number;
  vacuums: number;
};

const senders = ['avery', 'casey', 'devon', 'ellis'].map((name) => `${name}@sandbox.example`);
const peopleOfEach = 50;
const connections = 64;
const disturbedShare = 0.05;
const pollMs = 50;
const idleMsMax = 60;
const drainMsMax = 10 * 60_000;
const newestTexts = 200;
const linuxTickMs = 10;
const messages = '/v1/text/messaging/messages';
const sampleText = 'Your annual review is due. Does Tuesday at 10 suit you? Reply with a better time if it does not.';

/**
 * This checkout beside another commit of ours, both started by `npm start`, in turn: texts from their request until they are
 * delivered. The CPU of a text compares best, because it depends least on what else the machine does.
 */
export async function measureBeside(scratch: Scratch, { beside: sizes }: Sizes, ref: string): Promise<string[]> {
  const other = await prepare(await startCheckout(scratch, await checkOut(ref)));
  const own = await prepare(await startCheckout(scratch, thisCheckout));
  for (const side of [other, own]) await runRound(side, sizes.warmUpSeconds);

  const rounds = new Map<Side, Round[]>([
    [other, []],
    [own, []],
  ]);
  heading(
    `Texts from request to receipt, ${connections} connections, ${sizes.rounds} rounds of ${sizes.seconds} s in turn`,
  );
  for (let round = 0; round < sizes.rounds; round++)
    for (const side of round % 2 === 0 ? [other, own] : [own, other])
      rounds.get(side)?.push(await undisturbedRound(side, sizes.seconds, sizes.repeatsMax));
  table([...rounds].flatMap(([side, each]) => each.map((round) => rowOf(side, round))));

  // PostgreSQL looks for tables to vacuum once a minute.
  heading(`The same for ${sizes.longSeconds} s, with autovacuum`);
  const long = new Map<Side, Round>();
  for (const side of rounds.keys()) long.set(side, await undisturbedRound(side, sizes.longSeconds, sizes.repeatsMax));
  table([...long].map(([side, round]) => rowOf(side, round)));

  // One that only began the others has ended.
  const memory = [other, own].map(({ pids }) => pids.reduce((sum, pid) => sum + (peakMemory(pid) ?? 0), 0));
  const [theirIdle, ownIdle] = [await idleTimes(other, sizes.idleTexts), await idleTimes(own, sizes.idleTexts)];
  const figures: Figure[] = [
    ...roundFigures.map(({ what, of, bar }) => ({
      what,
      before: (rounds.get(other) ?? []).map(of),
      now: (rounds.get(own) ?? []).map(of),
      bar,
    })),
    ...roundFigures.map(({ what, of }) => ({
      what: `${what}, long round`,
      before: [long.get(other)].map((round) => (round ? of(round) : Number.NaN)),
      now: [long.get(own)].map((round) => (round ? of(round) : Number.NaN)),
    })),
    { what: 'memory at most, MB', before: memory.slice(0, 1), now: memory.slice(1), bar: '≤ 230' },
    { what: 'idle, until answered, p50 ms', ...at(0.5, theirIdle.answered, ownIdle.answered) },
    { what: 'idle, until answered, p99 ms', ...at(0.99, theirIdle.answered, ownIdle.answered) },
    { what: 'idle, until on the phone, p50 ms', ...at(0.5, theirIdle.arrived, ownIdle.arrived), bar: 'ratio ≤ 0.7' },
    { what: 'idle, until on the phone, p99 ms', ...at(0.99, theirIdle.arrived, ownIdle.arrived), bar: '≤ 50' },
  ];
  heading(`Medians, and the ratio of this checkout to ${other.name}`);
  table(figures.map((figure) => compared(other.name, figure)));
  return [];
}

const roundFigures: { what: string; of(round: Round): number; bar?: string }[] = [
  { what: 'CPU of a text, µs', of: ({ node, postgresql }) => node + postgresql, bar: 'ratio ≤ 0.68' },
  { what: 'CPU of a text, Node, µs', of: ({ node }) => node },
  { what: 'CPU of a text, PostgreSQL, µs', of: ({ postgresql }) => postgresql, bar: 'ratio ≤ 0.60' },
  { what: 'WAL of a text, bytes', of: ({ wal }) => wal, bar: '≤ 2,500' },
  { what: 'texts/s', of: ({ perSecond }) => perSecond, bar: 'ratio ≥ 1.35' },
  { what: 'p99 of a send, ms', of: ({ p99Ms }) => p99Ms, bar: '≤ 50' },
];

/** Values of the rounds, in pairs. */
type Figure = { what: string; before: number[]; now: number[]; bar?: string | undefined };

function compared(name: string, { what, before, now, bar }: Figure): Row {
  const pairs = now.map((value, index) => value / (before[index] ?? Number.NaN));
  return {
    what,
    [name]: figure(median(before)),
    this: figure(median(now)),
    ratio: (median(now) / median(before)).toFixed(3),
    pairs: pairs.length > 1 ? `${ratio(Math.min(...pairs))}–${ratio(Math.max(...pairs))}` : undefined,
    bar,
  };
}

function at(share: number, before: number[], now: number[]): Omit<Figure, 'what'> {
  return { before: [atShare(before, share)], now: [atShare(now, share)] };
}

function figure(value: number): string {
  return value < 100 ? ms(value) : whole(value);
}

function rowOf({ name }: Side, { node, postgresql, wal, perSecond, p99Ms, steal, others, vacuums }: Round): Row {
  return {
    of: name,
    'Node µs': whole(node),
    'PostgreSQL µs': whole(postgresql),
    'WAL bytes': whole(wal),
    'texts/s': whole(perSecond),
    'p99 ms': ms(p99Ms),
    vacuums: whole(vacuums),
    'steal %': ratio(steal * 100),
    'others %': ratio(others * 100),
    '': steal + others > disturbedShare ? 'disturbed' : undefined,
  };
}

/** The sandbox's advisors who can ask for consent, each with people who have accepted, and a key without a usage plan. */
export async function prepare(running: Running): Promise<Side> {
  const { assent, sandbox } = running;
  const [{ apiKey }] = JSON.parse(await assent('keys', 'issue', sandbox.clientId, '--unlimited', '--json'));
  const side: Side = { ...running, apiKey, people: [], idlePeople: [] };
  for (const [index, { id: advisorId, email, textingNumber }] of sandbox.advisors.entries()) {
    if (!senders.includes(email)) continue;
    const phones = Array.from({ length: peopleOfEach + 1 }, (_, person) => `+1212555${3000 + index * 100 + person}`);
    await accept(side, advisorId, textingNumber, phones);
    const [idle, ...others] = phones.map((phone) => ({ advisorId, phone }));
    if (idle) side.idlePeople.push(idle);
    side.people.push(...others);
  }
  // Neighbors are of different advisors.
  side.people.sort((one, other) => Number(one.phone.slice(-2)) - Number(other.phone.slice(-2)));
  return side;
}

async function accept(side: Side, advisorId: number, number: string, phones: string[]): Promise<void> {
  const headers = await headersOf(side, advisorId);
  await call(side, '/v1/text/messaging/consent-requests', { headers, body: { phoneNumbers: phones } });
  for (const phone of phones) {
    const path = `/sandbox/handset/${encodeURIComponent(phone)}/replies`;
    await call(side, path, { headers, body: { to: number, text: 'ACCEPT' } });
  }
}

/** With a new token, which is good for a quarter of an hour. */
async function headersOf({ sandbox, apiKey }: Side, advisorId: number): Promise<Record<string, string>> {
  const form = {
    grant_type: 'client_credentials',
    client_id: sandbox.clientId,
    client_secret: sandbox.clientSecret,
    advisor_id: String(advisorId),
  };
  const response = await fetch(sandbox.tokenUrl, { method: 'POST', body: new URLSearchParams(form) });
  const { access_token: token } = (await response.json()) as { access_token?: string };
  if (!token) throw new Error(`A token was refused with ${response.status}.`);
  return { authorization: `Bearer ${token}`, 'x-api-key': apiKey, 'content-type': 'application/json' };
}

async function headersOfAll(side: Side): Promise<Map<number, Record<string, string>>> {
  const headers = new Map<number, Record<string, string>>();
  for (const { advisorId } of side.idlePeople) headers.set(advisorId, await headersOf(side, advisorId));
  return headers;
}

async function call<Answer>(
  { origin }: Side,
  path: string,
  { headers, body }: { headers: Record<string, string> | undefined; body?: object },
): Promise<Answer> {
  const response = await fetch(origin + path, {
    headers: headers ?? {},
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

/** The last of a few, if all of them were disturbed. */
async function undisturbedRound(side: Side, seconds: number, repeatsMax: number): Promise<Round> {
  for (let repeat = 0; ; repeat++) {
    const round = await runRound(side, seconds);
    if (round.steal + round.others <= disturbedShare || repeat === repeatsMax) return round;
  }
}

export async function runRound(side: Side, seconds: number): Promise<Round> {
  const headers = await headersOfAll(side);
  const requests = side.people.map(({ advisorId, phone }) =>
    postRequest(messages, headers.get(advisorId) ?? {}, { phone, text: sampleText }),
  );
  const began = new Date();
  const before = await countersOf(side);
  const { p99Ms } = await load({ port: side.port, requests, connections, seconds });
  await drained(side, headers);
  const after = await countersOf(side);
  const texts = await countDelivered(side, headers, began);
  const { node = Number.NaN, postgresql = Number.NaN } = cpuOfEach(before.cpu, after.cpu, texts);
  const machineMs = after.machine.totalMs - before.machine.totalMs;
  const oursMs = (texts * (node + postgresql)) / 1000 + after.benchMs - before.benchMs;
  return {
    node,
    postgresql,
    wal: (after.wal - before.wal) / texts,
    perSecond: (texts / (after.at - before.at)) * 1000,
    p99Ms,
    steal: (after.machine.stealMs - before.machine.stealMs) / machineMs,
    others: Math.max(0, after.machine.busyMs - before.machine.busyMs - oursMs) / machineMs,
    vacuums: after.vacuums - before.vacuums,
  };
}

async function countersOf({ pids, postmasters, statistics }: Side) {
  const { rows } = await statistics.query(
    `select
       pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal,
       (select sum(autovacuum_count)::integer from pg_stat_user_tables) as vacuums`,
  );
  const { user, system } = process.cpuUsage();
  return {
    at: performance.now(),
    cpu: cpuTimeOf(pids, postmasters),
    benchMs: (user + system) / 1000,
    machine: machineTime(),
    wal: rows[0].wal as number,
    vacuums: rows[0].vacuums as number,
  };
}

/** The whole machine's, by the first line of /proc/stat. */
function machineTime(): { totalMs: number; busyMs: number; stealMs: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const times = line
    .split(/\s+/)
    .slice(1, 9)
    .map((ticks) => Number(ticks) * linuxTickMs);
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, interrupts = 0, soft = 0, stealMs = 0] = times;
  const busyMs = user + nice + system + interrupts + soft;
  return { totalMs: busyMs + idle + wait + stealMs, busyMs, stealMs };
}

type Page = { data: { status: string }[]; pageInfo: { totalRecord: number } };

/** Texts go about in order, so the newest of each advisor are delivered last. */
async function drained(side: Side, headers: Map<number, Record<string, string>>): Promise<void> {
  const deadline = Date.now() + drainMsMax;
  for (const each of headers.values())
    for (;;) {
      const { data } = await call<Page>(side, `${messages}?pageSize=${newestTexts}`, { headers: each });
      if (data.every(({ status }) => status === 'delivered')) break;
      if (Date.now() > deadline) throw new Error('The texts were not all delivered.');
      await pause(pollMs);
    }
}

/** A rate that counts texts which failed would mean nothing. */
async function countDelivered(side: Side, headers: Map<number, Record<string, string>>, since: Date): Promise<number> {
  let count = 0;
  for (const each of headers.values()) {
    const path = `${messages}?pageSize=1&createdSince=${encodeURIComponent(since.toISOString())}`;
    const [all, delivered] = [
      await call<Page>(side, path, { headers: each }),
      await call<Page>(side, `${path}&status=delivered`, { headers: each }),
    ].map(({ pageInfo }) => pageInfo.totalRecord);
    if (all !== delivered) throw new Error(`Of ${all} texts ${delivered} were delivered.`);
    count += all ?? 0;
  }
  return count;
}

/** One text at a time, in milliseconds. The phone notes when it got it, by this machine's clock. */
async function idleTimes(side: Side, count: number): Promise<{ answered: number[]; arrived: number[] }> {
  const headers = await headersOfAll(side);
  const [answered, arrived]: [number[], number[]] = [[], []];
  for (let number = 0; number < count; number++) {
    const { advisorId, phone } = side.idlePeople[number % side.idlePeople.length] as Person;
    const text = `Idle ${number}`;
    await pause(idleMsMax * Math.random());
    const [began, sentAt] = [performance.now(), Date.now()];
    await call(side, messages, { headers: headers.get(advisorId), body: { phone, text } });
    answered.push(performance.now() - began);
    arrived.push((await arrivalOf(side, { phone, text }, headers.get(advisorId))) - sentAt);
  }
  return { answered: answered.toSorted((a, b) => a - b), arrived: arrived.toSorted((a, b) => a - b) };
}

async function arrivalOf(
  side: Side,
  { phone, text }: { phone: string; text: string },
  headers: Record<string, string> | undefined,
): Promise<number> {
  const path = `/sandbox/handset/${encodeURIComponent(phone)}/messages`;
  for (const deadline = Date.now() + drainMsMax; Date.now() < deadline; ) {
    await pause(pollMs);
    const { data } = await call<{ data: { text: string; dateTime: string }[] }>(side, path, { headers });
    const found = data.find((each) => each.text.startsWith(text) || each.text.endsWith(text));
    if (found) return Date.parse(found.dateTime);
  }
  throw new Error('A text did not arrive.');
}
