import { setTimeout as pause } from 'node:timers/promises';
import { cpuOfEach, cpuTime, peakMemory } from './cpu.ts';
import { hasKannel, type Kannel, startKannel } from './kannel.ts';
import { type Load, load, loadAll, openConnection } from './load.ts';
import { acceptedSince, drained, drainMsMax, everyOneDelivered, lastMessageId, waiting } from './outbox.ts';
import { type Peer, startPeers } from './peers.ts';
import type { Scratch } from './scratch.ts';
import { type Cast, type SendServer, startSendServer } from './send-cast.ts';
import type { SendSizes, Sizes } from './sizes.ts';
import { atShare, heading, median, ms, type Row, ratio, table, whole } from './tables.ts';

const connections = 64;
const pollMs = 100;
const arrivalMsMax = 10_000;
const arrivalPollMs = 1;
const idleMsMax = 60;
const idleBarMs = 50;

/** The rounds' medians: rates for a second, and the server's own figures. */
type Flow = { together: number; p99Ms: number; nodeUs?: number; postgresqlUs?: number; wal?: number };

/**
 * End to end: accepted, dispatched, accepted by the sandbox's carrier, on the phone, and its receipt recorded. `accepted` is
 * the rate of sends alone, `peersUrl` an empty database.
 */
export async function measureDispatch(
  scratch: Scratch,
  sizes: Sizes,
  cast: Cast,
  { peersUrl, accepted }: { peersUrl: string; accepted: number | undefined },
): Promise<string[]> {
  await cast.owner.query('truncate dispatches');
  await cast.owner.query('vacuum (analyze)');
  const server = await startSendServer(scratch, cast, 'product', 'running');
  const kannel = hasKannel ? await startKannel(scratch) : null;
  await kannel?.handOver();
  const peers = await startPeers(scratch, peersUrl, cast.owner);
  const { flow, byKannel } = await measureFlows(sizes, cast, server, { kannel, peers });
  for (const each of [...(kannel ? [kannel] : []), ...peers]) await each.stop();
  const memory = peakMemory(server.pid);
  const idle = await measureIdle(sizes, cast, server);
  const burst = await measureBurst(sizes, cast);
  await server.stop();
  const { together } = flow;
  return [
    `accepted and dispatched together: ${whole(together)}/s, p99 ${ms(flow.p99Ms)} ms (bar 50 ms)`,
    `  to Kannel accepting and handing over: ${byKannel ? ratio(together / byKannel) : 'not measured'} (aim 0.80)`,
    `  to sends alone: ${accepted ? ratio(together / accepted) : 'not measured'}`,
    `  PostgreSQL: ${whole(flow.postgresqlUs)} µs a text for the whole way; Node: ${whole(flow.nodeUs)} µs; ${whole(flow.wal)} bytes of WAL (bar 2,500)`,
    `  the server’s memory: ${whole(memory)} MB at most (bar 230 MB)`,
    `  from POST to the handset when idle: median ${ms(idle.p50Ms)} ms, p99 ${ms(idle.p99Ms)} ms (bar ${idleBarMs} ms)`,
    `  a burst of ${whole(sizes.sends.schedules)} due schedules: ${whole(burst)}/s, ${ratio(burst / together)} of that`,
  ];
}

/** Rounds of the product's flow and of the others', in turn. */
async function measureFlows(
  { sends }: Sizes,
  cast: Cast,
  server: SendServer,
  { kannel, peers }: { kannel: Kannel | null; peers: Peer[] },
) {
  heading(`Sends with dispatch running, ${connections} connections, in turn`);
  const flows: Flow[] = [];
  const byKannel: number[] = [];
  await load({ port: server.port, requests: await cast.requests(), connections, seconds: sends.warmUpSeconds });
  await drained(() => waiting(cast));
  const rows: Row[] = [];
  for (let round = 0; round < sends.dispatchRounds; round++) {
    const { flow, row } = await measureFlow(sends, cast, { ports: [server.port], pids: [server.pid] });
    flows.push(flow);
    rows.push({ of: 'product', ...row });
    for (const peer of peers) rows.push({ of: `Fastify and ${peer.name}`, ...(await measurePeerFlow(sends, peer)) });
    if (!kannel) continue;
    const { together, row: kannelRow } = await measureKannelFlow(sends, kannel);
    byKannel.push(together);
    rows.push({ of: 'Kannel', ...kannelRow });
  }
  table(rows);
  const of = (field: keyof Flow) => median(flows.map((flow) => flow[field] ?? Number.NaN));
  const fields = ['together', 'p99Ms', 'nodeUs', 'postgresqlUs', 'wal'] as const;
  const flow = Object.fromEntries(fields.map((field) => [field, of(field)])) as Flow;
  return { flow, byKannel: kannel ? median(byKannel) : null };
}

/** Texts per second, from the first acceptance until the last one is delivered. */
async function measureFlow(
  { dispatchSeconds: seconds }: SendSizes,
  cast: Cast,
  { ports, pids }: { ports: number[]; pids: number[] },
): Promise<{ flow: Flow; row: Row }> {
  const requests = await cast.requests();
  const mark = await lastMessageId(cast);
  const [cpuBefore, walBefore] = [await cpuTime(pids, cast.owner), await walBytes(cast)];
  const timed = await loadAndDrain(
    () => loadAll(ports, { requests, connections, seconds }),
    () => waiting(cast),
  );
  // The load generator doesn't count requests that were on their way when it ended.
  const count = await acceptedSince(cast, mark);
  await everyOneDelivered(cast, mark, count);
  const cpu = cpuOfEach(cpuBefore, await cpuTime(pids, cast.owner), count);
  const wal = ((await walBytes(cast)) - walBefore) / count;
  const { together, row } = rowOf({ ...timed, count });
  return {
    flow: { together, p99Ms: timed.p99Ms, nodeUs: cpu.node, postgresqlUs: cpu.postgresql, wal },
    row: { ...row, 'Node µs': whole(cpu.node), 'PostgreSQL µs': whole(cpu.postgresql), 'bytes of WAL': whole(wal) },
  };
}

async function walBytes({ owner }: Cast): Promise<number> {
  const { rows } = await owner.query(`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as bytes`);
  return rows[0].bytes;
}

/** Texts per second, from the first acceptance until the fake SMSC has the last one. */
async function measureKannelFlow({ dispatchSeconds: seconds }: SendSizes, kannel: Kannel) {
  return rowOf(await loadAndDrain(() => load({ ...kannel, connections, seconds }), kannel.queued));
}

/** Texts per second, from the first acceptance until the last job is done. Redis counts as part of the program. */
async function measurePeerFlow({ dispatchSeconds: seconds }: SendSizes, peer: Peer): Promise<Row> {
  const before = await peer.cpu();
  const timed = await loadAndDrain(() => load({ ...peer, connections, seconds }), peer.waiting);
  const { node, postgresql } = cpuOfEach(before, await peer.cpu(), timed.count);
  return { ...rowOf(timed).row, 'Node µs': whole(node), 'PostgreSQL µs': whole(postgresql) };
}

type DispatchLoad = Load & { backlog: number; loadedMs: number; drainedMs: number };

async function loadAndDrain(loadOnce: () => Promise<Load>, waiting: () => Promise<number>): Promise<DispatchLoad> {
  const began = performance.now();
  const loaded = await loadOnce();
  const backlog = await waiting();
  const loadedMs = performance.now() - began;
  await drained(waiting);
  return { ...loaded, backlog, loadedMs, drainedMs: performance.now() - began };
}

function rowOf({ count, perSecond, p99Ms, backlog, loadedMs, drainedMs }: DispatchLoad): {
  together: number;
  row: Row;
} {
  const together = (count / drainedMs) * 1000;
  const row = {
    'accepted/s': whole(perSecond),
    'p99 ms': ms(p99Ms),
    'dispatched/s': whole(((count - backlog) / loadedMs) * 1000),
    'backlog at the end': whole(backlog),
    'drained in ms': whole(drainedMs - loadedMs),
    'together/s': whole(together),
  };
  return { together, row };
}

/** One text at a time on an idle server, timed until it is on the phone. */
async function measureIdle({ sends }: Sizes, cast: Cast, { port }: SendServer) {
  heading(`From POST to the handset, ${sends.idleSends} sends one after another`);
  const connection = await openConnection(port);
  const [answered, arrived]: number[][] = [[], []];
  for (let number = 0; number < sends.idleSends; number++) {
    const text = `Idle ${number}`;
    const request = await cast.request(text);
    await pause(Math.random() * idleMsMax);
    const began = performance.now();
    const answer = connection.post(request).then(() => answered?.push(performance.now() - began));
    while ((await lastOnHandset(cast)) !== text) {
      if (performance.now() - began > arrivalMsMax) throw new Error('A text did not arrive.');
      await pause(arrivalPollMs);
    }
    arrived?.push(performance.now() - began);
    await answer;
  }
  connection.close();
  table([summary('answered', answered ?? []), summary('on the handset', arrived ?? [])]);
  const sorted = arrived?.toSorted((a, b) => a - b) ?? [];
  return { p50Ms: median(sorted), p99Ms: atShare(sorted, 0.99) };
}

function summary(what: string, times: number[]) {
  const sorted = times.toSorted((a, b) => a - b);
  return { what, 'median ms': ms(median(sorted)), 'p99 ms': ms(atShare(sorted, 0.99)) };
}

/** Schedules that are all due at once, until the last text is sent. */
async function measureBurst({ sends }: Sizes, cast: Cast): Promise<number> {
  heading(`${whole(sends.schedules)} schedules that are due at once`);
  await drained(() => waiting(cast));
  const mark = await lastMessageId(cast);
  await cast.owner.query(
    `insert into scheduled_messages (
       advisor_id, member_id, text, first_date, time_zone, frequency, delivery_date, status, actor, date_time_created
     )
     select
       advisor_id, member_id, 'Happy birthday, number ' || number, $2, time_zone, 0, $2, 'scheduled', 'application:1', $2
     from (
       select advisor_id, member_id, time_zone, row_number() over () - 1 as place, count(*) over () as people
       from members
       join advisors using (advisor_id)
     ) as person
     join generate_series(1, $1::integer) as number on number % people = place`,
    [sends.schedules, new Date()],
  );
  const began = performance.now();
  let firedMs: number | undefined;
  for (;;) {
    const { rows } = await cast.owner.query(
      `select exists (select from scheduled_messages where status = 'scheduled') as due`,
    );
    if (!rows[0].due) firedMs ??= performance.now() - began;
    if (firedMs !== undefined && (await waiting(cast)) === 0) break;
    if (performance.now() - began > drainMsMax) throw new Error('The schedules did not go out.');
    await pause(pollMs);
  }
  const sentMs = performance.now() - began;
  await everyOneDelivered(cast, mark, sends.schedules);
  const perSecond = (sends.schedules / sentMs) * 1000;
  table([{ 'all fired in ms': whole(firedMs), 'all sent in ms': whole(sentMs), 'sent/s': whole(perSecond) }]);
  return perSecond;
}

async function lastOnHandset({ owner, firstPhone }: Cast): Promise<string | undefined> {
  const { rows } = await owner.query({
    name: 'last-on-handset',
    text: 'select text from handset_messages where phone = $1 order by handset_message_id desc limit 1',
    values: [firstPhone],
  });
  return rows[0]?.text;
}
