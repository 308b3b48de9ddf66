import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { issueToken } from '../src/domain/access/tokens.ts';
import { disableWebhook, setWebhook } from '../src/domain/webhooks/webhooks.ts';
import { startEmbedded } from '../src/store/database/embedded.ts';
import { type CpuTime, cpuOfEach, cpuTime } from './cpu.ts';
import { addEvents, newApplication, newListener, scopes } from './event-cast.ts';
import { measureWaiting } from './event-waiting.ts';
import { load } from './load.ts';
import type { Scratch } from './scratch.ts';
import { type Cast, makeCast, startSendServer } from './send-cast.ts';
import type { EventSizes, Sizes } from './sizes.ts';
import { heading, median, type Row, ratio, table, whole } from './tables.ts';
import type { SinkSays } from './webhook-sink.ts';

/** How many came so far. */
type Sink = { port: number; count(): number };
type Rate = { perSecond: number; nodeUs?: number; postgresqlUs?: number };

const pageSize = 200;
const connections = 64;
const deliveredMsMax = 10 * 60_000;
const pollMs = 5;
const warmUpShare = 0.1;
const program = fileURLToPath(new URL('webhook-sink.ts', import.meta.url));

/** Events and their two ways out: the feed, by a follower and by many who wait; and webhooks, to one endpoint and to many. */
export async function measureEvents(scratch: Scratch, { events: sizes }: Sizes): Promise<string[]> {
  const embedded = await startEmbedded(join(scratch.folder, 'events'), () => {});
  const server = scratch.owns(() => embedded.stop());
  const cast = await makeCast(scratch, embedded, 'events');
  const sink = await startSink(scratch);
  const bars = [
    ...(await measureFeed(scratch, sizes, cast)),
    ...(await measureWebhooks(scratch, sizes, cast, sink)),
    ...(await measureSendsBeside(scratch, sizes, cast, sink)),
    ...(await measureWaiting(scratch, sizes, cast)),
  ];
  await cast.close();
  await server.stop();
  return bars;
}

async function measureFeed(scratch: Scratch, { feed, rounds }: EventSizes, cast: Cast): Promise<string[]> {
  heading(`A feed of ${whole(feed)} events, read by a follower, ${pageSize} a page`);
  const [advisorId = 0] = cast.advisorIds;
  await addEvents(cast, [advisorId], feed);
  const server = await startSendServer(scratch, cast, 'product');
  const application = await newApplication(cast);
  const token = await issueToken(cast.runtime, { clientId: application.clientId, advisorId, scopes });
  const headers = { authorization: `Bearer ${token}`, 'x-api-key': application.apiKey };
  const rates: Rate[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = await cpuTime([server.pid], cast.owner);
    const began = performance.now();
    let [cursor, count, more] = ['', 0, true];
    while (more) {
      const query = `pageSize=${pageSize}${cursor && `&cursor=${cursor}`}`;
      const answer = await fetch(`http://127.0.0.1:${server.port}/v1/text/messaging/events?${query}`, { headers });
      const page = (await answer.json()) as { data: object[]; cursor: string; more: boolean };
      count += page.data.length;
      ({ cursor, more } = page);
    }
    if (count < feed) throw new Error(`Of ${feed} events ${count} were read.`);
    rates.push(rateOf(count, began, before, await cpuTime([server.pid], cast.owner)));
  }
  await server.stop();
  table([rowOf({ way: 'feed', events: whole(feed) }, medianOf(rates))]);
  return [`a follower reads ${whole(medianOf(rates).perSecond)} events/s`];
}

/** Each endpoint is told every event of every advisor; together they get as many as one. */
async function measureWebhooks(scratch: Scratch, sizes: EventSizes, cast: Cast, sink: Sink): Promise<string[]> {
  heading(`${whole(sizes.deliveries)} deliveries, to endpoints that answer at once`);
  const bars: string[] = [];
  const rows: Row[] = [];
  const clientIds: string[] = [];
  for (const endpoints of sizes.endpoints) {
    while (clientIds.length < endpoints) clientIds.push(await newListener(cast));
    const rates: Rate[] = [];
    for (let round = 0; round < sizes.rounds; round++) {
      for (const [index, clientId] of clientIds.entries())
        await setWebhook(cast.runtime, clientId, `http://127.0.0.1:${sink.port}/${index}`);
      rates.push(await deliverAll(scratch, sizes, cast, sink, endpoints));
    }
    const rate = medianOf(rates);
    rows.push(rowOf({ endpoints, deliveries: whole(sizes.deliveries) }, rate));
    bars.push(
      `webhooks to ${endpoints} endpoints: ${whole(rate.perSecond)} deliveries/s, ${whole(rate.nodeUs)} µs of Node each`,
    );
  }
  table(rows);
  for (const clientId of clientIds) await disableWebhook(cast.runtime, { clientId });
  return bars;
}

/** The first ones, which come while it starts, aren't counted. */
async function deliverAll(
  scratch: Scratch,
  { deliveries }: EventSizes,
  cast: Cast,
  sink: Sink,
  endpoints: number,
): Promise<Rate> {
  await addEvents(cast, cast.advisorIds, Math.ceil(deliveries / endpoints));
  const first = sink.count();
  const server = await startSendServer(scratch, cast, 'product', 'running');
  await until(() => sink.count() - first >= deliveries * warmUpShare);
  const before = await cpuTime([server.pid], cast.owner);
  const began = performance.now();
  const counted = sink.count();
  await until(() => sink.count() - first >= deliveries);
  const rate = rateOf(first + deliveries - counted, began, before, await cpuTime([server.pid], cast.owner));
  await server.stop();
  return rate;
}

/** Rounds in turn with an endpoint and without, so that other load on the machine affects both. */
async function measureSendsBeside(scratch: Scratch, sizes: EventSizes, cast: Cast, sink: Sink): Promise<string[]> {
  heading(`Sends with dispatch running, ${connections} connections, in turn`);
  const server = await startSendServer(scratch, cast, 'product', 'running');
  const seconds = sizes.sendSeconds;
  const rates: Record<'without' | 'with', number[]> = { without: [], with: [] };
  const run = async () =>
    (await load({ port: server.port, requests: await cast.requests(), connections, seconds })).perSecond;
  await run();
  for (let round = 0; round < sizes.rounds; round++) {
    rates.without.push(await run());
    await setWebhook(cast.runtime, cast.clientId, `http://127.0.0.1:${sink.port}/sends`);
    const first = sink.count();
    rates.with.push(await run());
    if (sink.count() === first) throw new Error('Nothing was pushed meanwhile.');
    await disableWebhook(cast.runtime, { clientId: cast.clientId });
  }
  await server.stop();
  const [without, beside] = [median(rates.without), median(rates.with)];
  table([
    { endpoint: 'none', 'sends/s': whole(without) },
    { endpoint: 'one, told about each', 'sends/s': whole(beside) },
  ]);
  return [`sends with an endpoint to those without: ${ratio(beside / without)}`];
}

async function startSink(scratch: Scratch): Promise<Sink> {
  const child = fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  scratch.owns(async () => {
    if (child.connected) child.disconnect();
    await exited;
  });
  let said = { port: 0, count: 0 };
  child.on('message', (message: SinkSays) => {
    said = message;
  });
  await once(child, 'message');
  return { port: said.port, count: () => said.count };
}

async function until(isTrue: () => boolean): Promise<void> {
  for (const deadline = Date.now() + deliveredMsMax; !isTrue(); await pause(pollMs))
    if (Date.now() > deadline) throw new Error('The events were not all delivered.');
}

function rateOf(count: number, began: number, before: CpuTime | undefined, after: CpuTime | undefined): Rate {
  const { node, postgresql } = cpuOfEach(before, after, count);
  return { perSecond: (count / (performance.now() - began)) * 1000, nodeUs: node, postgresqlUs: postgresql };
}

function medianOf(rates: Rate[]): Rate {
  const of = (field: keyof Rate) => median(rates.map((rate) => rate[field] ?? Number.NaN));
  return { perSecond: of('perSecond'), nodeUs: of('nodeUs'), postgresqlUs: of('postgresqlUs') };
}

function rowOf(what: Row, { perSecond, nodeUs, postgresqlUs }: Rate): Row {
  return { ...what, 'a second': whole(perSecond), 'Node µs': whole(nodeUs), 'PostgreSQL µs': whole(postgresqlUs) };
}
