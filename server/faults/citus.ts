import { setTimeout as pause } from 'node:timers/promises';
import { type Citus, startCitus } from '../test/support/citus.ts';
import { createDatabase } from '../test/support/clones.ts';
import { runCommand } from '../test/support/commands.ts';
import { keepArrivals } from '../test/support/instants.ts';
import { type DataFolder, freePort, makeDataFolder, type Program, startServer } from '../test/support/programs.ts';
import type { PostgresServer } from '../test/support/replicated-postgres.ts';
import { until } from '../test/support/waiting.ts';
import { type Client, makeClient } from './client.ts';
import { judge } from './judge.ts';
import { calm, makeLedger } from './ledger.ts';
import { type Running, startLoad } from './load.ts';
import type { NodesRun, Row } from './nodes.ts';
import { onDatabase } from './on-database.ts';

export type CitusOptions = { rounds: number; senders?: number; say(line: string): void; signal?: AbortSignal };

type Stage = { citus: Citus; program: Program; restart(): Promise<void> };
type Fault = { name: string; act(stage: Stage): Promise<number> };

/** The lease of a text that was being submitted ends a little after this. */
const carrierTimeoutMs = 1_000;
/** Some texts are accepted and handed over between two faults. */
const calmMs = 1_500;
const downMsMax = 2_000;
const recoverMsMax = 180_000;
const drainMsMax = 180_000;
const settings = { fsync: 'off', 'citus.recover_2pc_interval': '2s' };

const faults: Fault[] = [
  { name: 'a worker restarted', act: ({ citus }) => bounce(anyOf(citus.servers.slice(1)), 'SIGQUIT') },
  { name: 'kill -9 of a worker', act: ({ citus }) => bounce(anyOf(citus.servers.slice(1)), 'SIGKILL') },
  { name: 'the coordinator restarted', act: ({ citus }) => bounce(citus.servers[0], 'SIGQUIT') },
  { name: 'kill -9 of the coordinator', act: ({ citus }) => bounce(citus.servers[0], 'SIGKILL') },
  { name: 'kill -9 of all of them', act: killAll },
  { name: 'kill -9 of the server', act: killServer },
];

/**
 * A server on a coordinator of Citus with two workers, under load, with one fault after another. Afterwards every text that was
 * accepted must be on its phone once, or in doubt, or failed with a reason.
 */
export async function tryCitus({ rounds, senders, say, signal }: CitusOptions): Promise<NodesRun> {
  const began = performance.now();
  const folder = makeDataFolder();
  const citus = await startCitus(settings);
  let [stage, load]: [Stage?, Running?] = [];
  try {
    const databaseUrl = await createDatabase(citus.url('postgres'), 'assent');
    const env = {
      ASSENT_DATA_DIR: folder.path,
      DATABASE_URL: databaseUrl,
      PORT: String(await freePort()),
      CARRIER_TIMEOUT_MS: String(carrierTimeoutMs),
      LOG_LEVEL: 'error',
    };
    const made = await makeStage(citus, env);
    stage = made;
    await onDatabase(databaseUrl, 'update api_keys set rate_per_second = null, burst = null');
    await onDatabase(databaseUrl, keepArrivals);
    const ledger = makeLedger();
    const client = makeClient(`http://127.0.0.1:${env.PORT}`, folder.sandbox(), ledger);
    await client.authorize();
    load = await startLoad(client, folder.sandbox(), ledger, { ...(senders && { senders }) });
    const rows = faults.map(({ name }): Row => ({ fault: name, runs: 0, kills: 0, recoverMs: [] }));
    for (let round = 0; round < rounds && !signal?.aborted; round++)
      for (const [index, { name, act }] of faults.entries()) {
        const row = rows[index] as Row;
        await pause(calmMs);
        ledger.fault = name;
        row.kills += await act(made);
        row.recoverMs.push(await untilOut(folder, client));
        row.runs += 1;
        ledger.fault = calm;
        say(
          `${name}: out again after ${((row.recoverMs.at(-1) ?? 0) / 1000).toFixed(1)} s; ${ledger.accepted} texts accepted`,
        );
      }
    await load.stop();
    await drained(databaseUrl);
    const verdict = await judge(databaseUrl, ledger);
    const { status, stdout } = await runCommand(['archive', 'verify'], env);
    const wrong = status === 0 ? [] : [`The archive isn’t whole: ${stdout}`];
    return { rows, ledger, verdict, wrong, seconds: (performance.now() - began) / 1000 };
  } finally {
    load?.abandon();
    await stage?.program.stop();
    await citus.stop();
    folder.remove();
  }
}

async function makeStage(citus: Citus, env: Record<string, string>): Promise<Stage> {
  const stage: Stage = {
    citus,
    program: await startServer(env),
    async restart() {
      await stage.program.stop('SIGKILL');
      stage.program = await startServer(env);
    },
  };
  return stage;
}

async function bounce(server: PostgresServer | undefined, signal: NodeJS.Signals): Promise<number> {
  if (!server) throw new Error('There is no such server.');
  await server.end(signal);
  await pause(Math.random() * downMsMax);
  await server.start();
  return 1;
}

async function killAll({ citus: { servers } }: Stage): Promise<number> {
  await Promise.all(servers.map((server) => bounce(server, 'SIGKILL')));
  return servers.length;
}

async function killServer({ restart }: Stage): Promise<number> {
  await restart();
  return 1;
}

/** How long it takes until both advisors of the load, who may be on different workers, can send again and phones get it. */
async function untilOut(folder: DataFolder, client: Client): Promise<number> {
  const began = performance.now();
  const advisors = folder.sandbox().advisors.filter(({ email }) => /^(avery|casey)@/.test(email));
  for (const advisor of advisors) {
    const isListed = async () => typeof (await client.get(advisor, '/text/messaging/messages')) !== 'string';
    await until('messages are listed again', isListed, recoverMsMax, 50);
  }
  const [, casey] = advisors;
  if (!casey) throw new Error('There is no Casey.');
  const [phone, text, key] = ['+13125550100', `Probe of ${began}`, `probe-${began}`];
  const answer = () => client.post(casey, '/text/messaging/messages', { phone, text }, key);
  await until('a text is accepted again', async () => typeof (await answer()) !== 'string', recoverMsMax, 50);
  return performance.now() - began;
}

/** Waits until no text is waiting, being submitted or due. */
async function drained(databaseUrl: string): Promise<void> {
  const isEmpty = async () => {
    const left = ['dispatches', 'claims', `scheduled_messages where status = 'scheduled'`].map((rows) =>
      onDatabase(databaseUrl, `select from ${rows} limit 1`),
    );
    return (await Promise.all(left)).every((found) => found.length === 0);
  };
  // The judge names what doesn't drain.
  await until('the outbox is empty', isEmpty, drainMsMax, 500).catch(() => {});
}

function anyOf<Item>(list: Item[]): Item {
  return list[Math.floor(Math.random() * list.length)] as Item;
}
