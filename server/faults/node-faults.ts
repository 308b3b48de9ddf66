import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Program, startServer } from '../test/support/programs.ts';
import { until } from '../test/support/waiting.ts';
import type { Fleet, Node } from './fleet.ts';
import { clockFault, type Ledger } from './ledger.ts';
import type { Fate } from './links.ts';

export type Stage = {
  fleet: Fleet;
  ledger: Ledger;
  /** Sends a text, now that the fault is over, and waits until it is on its phone. */
  recover(): Promise<void>;
};

export type Fault = {
  name: string;
  /** How often it comes in a round. */
  share: number;
  /** Makes it happen and repairs it. Returns how many processes it killed. */
  act(stage: Stage): Promise<number>;
  /** No request may fail while it lasts. */
  isUnnoticed?: true;
};

const pausedMsMax = 400;
const cutMs = 1_500;
const silentMs = 4_000;
const slowMs = 4_000;
const fullMs = 3_000;
const takenMs = 3_000;
const restartMsMax = 1_000;
/** Many start at once, beside the load. */
const startMs = 300_000;
const dayMs = 86_400_000;
const heldMax = 400;

/** Every kind of fault, in the order of the table. */
export const faults: Fault[] = [
  { name: 'kill -9 of a node that answers', share: 4, act: (stage) => killNode(stage, 'api') },
  { name: 'kill -9 of a node that works', share: 4, act: (stage) => killNode(stage, 'work') },
  { name: 'kill -9 of one of each', share: 2, act: killOneOfEach },
  { name: 'kill -9 of every node', share: 2, act: (stage) => killAll(stage) },
  { name: 'kill -9 of every node and PostgreSQL', share: 2, act: killAllAndDatabase },
  { name: 'SIGTERM of one after the other', share: 1, act: replaceAll, isUnnoticed: true },
  { name: 'PostgreSQL restarted', share: 2, act: (stage) => restartDatabase(stage, 'SIGQUIT') },
  { name: 'kill -9 of PostgreSQL', share: 2, act: (stage) => restartDatabase(stage, 'SIGKILL') },
  { name: 'PostgreSQL failed over', share: 2, act: failOver },
  ...linkFaults('database', 'to PostgreSQL'),
  ...linkFaults('nodes', 'to the nodes'),
  ...linkFaults('carrier', 'to the carrier'),
  { name: 'PostgreSQL’s disk full', share: 1, act: fillDisk },
  { name: 'no connections left', share: 1, act: takeConnections },
  { name: clockFault, share: 1, act: jump },
  { name: 'Redis gone', share: 1, act: loseRedis, isUnnoticed: true },
];

async function killNode(stage: Stage, role: Node['role']): Promise<number> {
  await killAndReplace(stage, [anyOf(stage.fleet.nodes.filter((node) => node.role === role))]);
  return 1;
}

async function killOneOfEach(stage: Stage): Promise<number> {
  const { nodes } = stage.fleet;
  await killAndReplace(
    stage,
    (['api', 'work'] as const).map((role) => anyOf(nodes.filter((node) => node.role === role))),
  );
  return 2;
}

async function killAll(stage: Stage, meanwhile = async () => {}): Promise<number> {
  const { nodes } = stage.fleet;
  await pause(Math.random() * pausedMsMax);
  for (const { program } of nodes) program.signal('SIGKILL');
  await meanwhile();
  await Promise.all(nodes.map((node) => replace(node)));
  await stage.recover();
  return nodes.length;
}

async function killAllAndDatabase(stage: Stage): Promise<number> {
  const primary = stage.fleet.postgres.primary();
  const killed = await killAll(stage, async () => {
    await primary.end('SIGKILL');
    await primary.start();
  });
  return killed + 1;
}

async function killAndReplace(stage: Stage, nodes: Node[]): Promise<void> {
  await pause(Math.random() * pausedMsMax);
  for (const { program } of nodes) program.signal('SIGKILL');
  const recovered = stage.recover();
  await Promise.all(nodes.map((node) => replace(node)));
  await recovered;
}

/** As a rolling deployment does. */
async function replaceAll(stage: Stage): Promise<number> {
  for (const node of stage.fleet.nodes) {
    const { program } = node;
    const code = await program.stop('SIGTERM');
    if (code !== 0) throw new Error(`${node.name} ended with ${code}: ${program.said()}`);
    await replace(node);
  }
  await stage.recover();
  return 0;
}

async function replace(node: Node): Promise<void> {
  await node.program.ended();
  node.program = await started(node.env);
}

/** A service manager would start it again, as we do, if the database isn't there at the moment. */
async function started(env: Node['env']): Promise<Program> {
  for (let tries = 1; ; tries++) {
    try {
      return await startServer(env, undefined, startMs);
    } catch (error) {
      if (tries >= 10) throw error;
      await pause(restartMsMax);
    }
  }
}

async function restartDatabase(stage: Stage, signal: NodeJS.Signals): Promise<number> {
  const primary = stage.fleet.postgres.primary();
  await primary.end(signal);
  await pause(Math.random() * restartMsMax);
  await primary.start();
  await stage.recover();
  return 1;
}

async function failOver(stage: Stage): Promise<number> {
  const { postgres } = stage.fleet;
  await postgres.failOver(Math.random() < 0.5 ? 'SIGQUIT' : 'SIGKILL');
  await stage.recover();
  await postgres.rejoin();
  return 1;
}

function linkFaults(place: string, where: string): Fault[] {
  const act = (fate: Fate, ms: number) => async (stage: Stage) => {
    await stage.fleet.links.set(place, fate);
    await pause(ms);
    await stage.fleet.links.set(place, 'pass');
    await stage.recover();
    return 0;
  };
  return [
    { name: `connections ${where} cut`, share: 1, act: act('cut', cutMs) },
    { name: `connections ${where} slow`, share: 1, act: act('slow', slowMs) },
    { name: `connections ${where} silent`, share: 1, act: act('silent', silentMs) },
  ];
}

async function fillDisk(stage: Stage): Promise<number> {
  const { disk, postgres } = stage.fleet;
  if (!disk) return 0;
  // The small disk is the first server's.
  if (postgres.primary().port !== postgres.ports[0]) {
    await postgres.failOver('SIGQUIT');
    await postgres.rejoin();
  }
  disk.fill();
  await pause(fullMs);
  disk.free();
  await stage.recover();
  return 0;
}

/** Takes every connection that others may have, while the nodes lose theirs. */
async function takeConnections(stage: Stage): Promise<number> {
  const { fleet } = stage;
  const held: pg.Client[] = [];
  const connectionString = `postgres://stranger@127.0.0.1:${fleet.postgres.primary().port}/postgres`;
  await fleet.postgres
    .primary()
    .query(`do $$ begin create role stranger login; exception when duplicate_object then null; end $$`);
  const take = async () => {
    const client = new pg.Client({ connectionString });
    client.on('error', () => {});
    await client.connect();
    held.push(client);
  };
  const end = Date.now() + takenMs;
  try {
    await fleet.links.drop('database');
    while (Date.now() < end)
      if (
        held.length >= heldMax ||
        !(await take().then(
          () => true,
          () => false,
        ))
      )
        await pause(10);
  } finally {
    await Promise.all(held.map((client) => client.end().catch(() => {})));
  }
  await stage.recover();
  return 0;
}

/** What is due within a day is due now. The sandbox's clock only moves forward. */
async function jump(stage: Stage): Promise<number> {
  const { fleet, ledger } = stage;
  const answers = fleet.nodes.find(({ role }) => role === 'api')?.program;
  const moved = await answers?.fetch('/sandbox/clock', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': fleet.folder.sandbox().apiKey },
    body: JSON.stringify({ advanceMs: dayMs }),
  });
  // A 502 says that the clock was moved, but that what became due is still being handed over.
  if (moved?.status !== 200 && moved?.status !== 502) throw new Error(`The clock was not moved: ${moved?.status}`);
  ledger.aheadMs += dayMs;
  await pause(pausedMsMax * 3);
  await stage.recover();
  return 0;
}

async function loseRedis(stage: Stage): Promise<number> {
  const { redis } = stage.fleet;
  await redis.goDown();
  await pause(cutMs);
  await redis.comeBack();
  await pause(cutMs);
  redis.hang();
  await pause(cutMs);
  redis.goOn();
  await stage.recover();
  return 0;
}

function anyOf<Item>(list: Item[]): Item {
  return list[Math.floor(Math.random() * list.length)] as Item;
}

/** Waits until every node is ready. */
export async function allReady({ nodes }: Fleet, withinMs: number): Promise<void> {
  for (const { name, program } of nodes)
    await until(
      `${name} is ready`,
      async () => (await program.fetch('/readyz').catch(() => null))?.status === 200,
      withinMs,
      100,
    );
}
