import { setTimeout as pause } from 'node:timers/promises';
import { peakMemory } from '../bench/cpu.ts';
import { setWebhook } from '../src/domain/webhooks/webhooks.ts';
import { connect } from '../src/store/database/pool.ts';
import { appRole } from '../src/store/database/schema/migrate.ts';
import { castOf, type Findings, type Running, type StormNode, startStorm, wrongIn } from '../test/events/storm.ts';
import { globalSetup, globalTeardown } from '../test/support/global-setup.ts';
import { makeDataFolder, startServer } from '../test/support/programs.ts';
import { credentialsKey, makeWorld, type World } from '../test/support/world.ts';
import { makeReceiver } from '../test/webhooks/receiver.ts';

type Say = (line: string) => void;

/** Retries pause for seconds, so many events need many advisors, whose events don't wait for each other. */
const eventsOfEach = 20;
const advisorsMax = 10_000;
const nodeCount = 2;
const poolSize = 8;
const timeoutMs = 60_000;
const transaction = { subjects: 8, events: 8 };
const calls = 200;
const restMs = 200;
const reportMs = 15_000;
const pollMs = 200;
const publicUrl = 'http://localhost';
/** Tokens last 15 minutes. */
const tokenMs = 10 * 60_000;

/**
 * Two real servers, writers on both, five readers of the feed and an endpoint that fails a third of the time: everybody must
 * see every event, in order. Returns what is wrong.
 */
export async function tryEvents(events: number, say: Say): Promise<string[]> {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
  await globalSetup();
  try {
    return await storm(events, say, stopping.signal);
  } finally {
    await globalTeardown();
  }
}

async function storm(events: number, say: Say, stopping: AbortSignal): Promise<string[]> {
  const world = await makeWorld({ dispatch: false, env: { PUBLIC_URL: publicUrl }, database: { timeoutMs } });
  let secret = '';
  const receiver = await makeReceiver(() => secret, { keeps: false });
  const nodes: Node[] = [];
  try {
    const began = performance.now();
    const subjects = await castOf(world, Math.min(advisorsMax, Math.ceil(events / eventsOfEach)));
    secret = await setWebhook(world.deps, world.clientId, receiver.url);
    say(`${whole(subjects.length)} advisors in ${secondsSince(began)} s`);
    const tokenOf = makeTokens(world);
    for (let index = 0; index < nodeCount; index++) nodes.push(await openNode(world, tokenOf));
    const started = performance.now();
    const running = startStorm({ subjects, nodes, events, transaction, calls, restMs }, receiver);
    await over(running, started, say, stopping).finally(() => running.stop());
    show(running.soFar(), secondsSince(started), nodes, say);
    return wrongIn(running.soFar());
  } finally {
    for (const node of nodes) await node.close();
    await receiver.close();
    await world.close();
  }
}

async function over(running: Running, started: number, say: Say, stopping: AbortSignal): Promise<void> {
  for (let saidAt = started; !running.isOver() && !stopping.aborted; await pause(pollMs)) {
    if (performance.now() - saidAt < reportMs) continue;
    saidAt = performance.now();
    const { written, readers, endpoint, tries } = running.soFar();
    const read = Math.min(...readers.map(({ seen }) => seen));
    const counts = `${whole(written)} written, ${whole(read)} read by all`;
    say(`${secondsSince(started)} s: ${counts}, ${whole(endpoint.seen)} pushed in ${whole(tries)} tries`);
  }
}

type TokenOf = (advisorId: number) => Promise<string>;

function makeTokens(world: World): TokenOf {
  const tokens = new Map<number, { text: string; at: number }>();
  return async (advisorId) => {
    const known = tokens.get(advisorId);
    if (known && known.at > Date.now() - tokenMs) return known.text;
    const text = await world.token(advisorId, ['text.messaging.read']);
    tokens.set(advisorId, { text, at: Date.now() });
    return text;
  };
}

type Node = StormNode & { pid: number; close(): Promise<void> };

/** A server, and connections of its own for the writers of that node. */
async function openNode(world: World, tokenOf: TokenOf): Promise<Node> {
  const folder = makeDataFolder();
  const { url } = world.database;
  const program = await startServer({
    DATABASE_URL: url,
    ASSENT_DATA_DIR: folder.path,
    PUBLIC_URL: publicUrl,
    CREDENTIALS_KEY: credentialsKey,
    LOG_LEVEL: 'error',
  });
  const db = connect({ connectionString: url, size: poolSize, timeoutMs, role: appRole });
  return {
    db,
    pid: program.pid,
    read: async (advisorId, { cursor, ...query }) => {
      const params = new URLSearchParams({ pageSize: String(query.pageSize), wait: String(query.wait) });
      if (cursor) params.set('cursor', cursor);
      const headers = { authorization: `Bearer ${await tokenOf(advisorId)}`, 'x-api-key': world.apiKey };
      const answer = await program.fetch(`/v1/text/messaging/events?${params}`, { headers });
      if (answer.status !== 200) throw new Error(`A reader was answered ${answer.status}: ${await answer.text()}`);
      return (await answer.json()) as Awaited<ReturnType<StormNode['read']>>;
    },
    async close() {
      await db.end();
      await program.stop();
      folder.remove();
    },
  };
}

function show(found: Findings, seconds: number, nodes: Node[], say: Say): void {
  const { written, transactions, rolledBack, readers, calls, endpoint, tries } = found;
  const rows: [string, number, string?][] = [
    ['events', written, `by ${whole(transactions)} transactions, ${whole(rolledBack)} of them rolled back`],
    ...readers.map(({ seen, ...of }, index): [string, number, string] => [
      `reader ${index + 1} saw`,
      seen,
      wrongly(of),
    ]),
    ['pages', calls],
    ['the endpoint accepted', endpoint.seen, wrongly(endpoint)],
    ['tries', tries, `${whole(tries / seconds)} a second`],
    ...nodes.map(({ pid }, index): [string, number] => [`MB of node ${index + 1} at most`, peakMemory(pid) ?? 0]),
    ['MB of this process at most', peakMemory(process.pid) ?? 0],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, count, more] of rows)
    say(`${name.padEnd(width)}  ${whole(count).padStart(9)}${more ? `  ${more}` : ''}`);
  say(`in ${seconds} s`);
}

function wrongly({ skipped, outOfOrder, again }: Omit<Findings['endpoint'], 'seen'>): string {
  return `${whole(skipped)} skipped, ${whole(outOfOrder)} out of order, ${whole(again)} again`;
}

function secondsSince(began: number): number {
  return Math.round((performance.now() - began) / 1000);
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
