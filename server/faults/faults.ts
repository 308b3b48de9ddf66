import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { keepArrivals, keepAttempts } from '../test/support/instants.ts';
import { freePort, launchServer, makeDataFolder, type Program, startServer } from '../test/support/programs.ts';
import { until } from '../test/support/waiting.ts';
import { type Client, makeClient } from './client.ts';
import { type Findings, judge } from './judge.ts';
import { type Ledger, makeLedger, requestsIn } from './ledger.ts';
import { type Running, startLoad } from './load.ts';

export type Kills = { server: number; whileStarting: number; database: number };
export type Run = Findings & { kills: Kills; requests: number; unanswered: number };
export type Options = { kills: number; say(line: string): void; signal?: AbortSignal };

type Folder = ReturnType<typeof makeDataFolder>;

/** The lease of a text that was being submitted ends a little after this. */
const carrierTimeoutMs = 1_000;
const aliveMs = { least: 50, spread: 1_500 };
/** Every other server lives until it has accepted this many texts, even on a slow machine; the others may accept none. */
const acceptedLeast = 30;
const acceptedWithinMs = 60_000;
const startingMsMax = 400;
const databaseBeforeMsMax = 1_500;
/** One kill in this many is of PostgreSQL, too, and one comes while the server starts. */
const databaseEvery = 5;
const startingEvery = 7;
const tokensMs = 8 * 60_000;
/** A text that failed often waits over a minute for its next try, and the sandbox's carrier fails once more in each process. */
const drainMsMax = 200_000;
const databaseStopMsMax = 10_000;

/**
 * Keeps the real server busy and kills it again and again, sometimes with PostgreSQL. Afterwards every accepted text must
 * be on a phone exactly once, or in doubt, or failed with a reason.
 */
export async function runFaults({ kills, say, signal }: Options): Promise<Run> {
  const folder = makeDataFolder();
  const port = await freePort();
  const env = {
    ASSENT_DATA_DIR: folder.path,
    PORT: String(port),
    CARRIER_TIMEOUT_MS: String(carrierTimeoutMs),
    LOG_LEVEL: 'error',
  };
  const ledger = makeLedger();
  let [program, load]: [Program?, Running?] = [];
  try {
    program = await startServer(env);
    await onDatabase(folder, 'update api_keys set rate_per_second = null, burst = null');
    await onDatabase(folder, keepAttempts);
    await onDatabase(folder, keepArrivals);
    const client = makeClient(`http://127.0.0.1:${port}`, folder.sandbox(), ledger);
    await client.authorize();
    load = await startLoad(client, folder.sandbox(), ledger);
    const done: Kills = { server: 0, whileStarting: 0, database: 0 };
    let authorizedAt = Date.now();
    while (done.server < kills) {
      await live(ledger, done);
      await killOnce(program, folder, done);
      signal?.throwIfAborted();
      if (done.server % startingEvery === 0 && done.server < kills) await killWhileStarting(env, done);
      program = await startServer(env);
      if (Date.now() > authorizedAt + tokensMs) authorizedAt = await authorizeAgain(client);
      if (done.server % 10 === 0) say(`${done.server} kills, ${ledger.accepted} texts accepted`);
    }
    await load.stop();
    await drained(folder);
    const { all } = await judge(databaseUrl(folder), ledger);
    const { requests, unanswered } = requestsIn(ledger);
    return { ...all, kills: done, requests, unanswered };
  } finally {
    load?.abandon();
    await program?.stop();
    await leave(folder);
  }
}

/** The server stops PostgreSQL, too, unless it was killed. */
async function leave(folder: Folder): Promise<void> {
  const postmaster = folder.postmaster();
  if (postmaster) process.kill(postmaster, 'SIGQUIT');
  await until('PostgreSQL has ended', () => folder.postmaster() === null, databaseStopMsMax).catch(() => {});
  folder.remove();
}

async function live(ledger: Ledger, { server }: Kills): Promise<void> {
  const enough = ledger.accepted + acceptedLeast;
  await pause(aliveMs.least + Math.random() * aliveMs.spread);
  if (server % 2 === 0) await until('texts are accepted', () => ledger.accepted >= enough, acceptedWithinMs);
}

async function killOnce(program: Program, folder: Folder, done: Kills): Promise<void> {
  const postmaster = done.server % databaseEvery === databaseEvery - 3 ? folder.postmaster() : null;
  if (postmaster) {
    process.kill(postmaster, 'SIGKILL');
    done.database += 1;
    // Sometimes long enough for the server to restart it.
    await pause(Math.random() * databaseBeforeMsMax);
  }
  await program.stop('SIGKILL');
  done.server += 1;
}

async function killWhileStarting(env: Record<string, string>, done: Kills): Promise<void> {
  const starting = await launchServer(env);
  await pause(Math.random() * startingMsMax);
  await starting.stop('SIGKILL');
  done.server += 1;
  done.whileStarting += 1;
}

async function authorizeAgain(client: Client): Promise<number> {
  await client.authorize();
  return Date.now();
}

/** Waits until no text is waiting, being submitted or due; the leases of killed servers expire first. */
async function drained(folder: Folder): Promise<void> {
  const isEmpty = async () => {
    const [row] = await onDatabase<{ left: boolean }>(
      folder,
      `select
         exists (select from dispatches)
         or exists (select from claims)
         or exists (select from scheduled_messages where status = 'scheduled') as left`,
    );
    return row?.left === false;
  };
  // The judge names what doesn't drain.
  await until('the outbox is empty', isEmpty, drainMsMax).catch(() => {});
}

async function onDatabase<Row extends object>(folder: Folder, sql: string): Promise<Row[]> {
  const owner = new pg.Client({ connectionString: databaseUrl(folder) });
  await owner.connect();
  return owner
    .query<Row>(sql)
    .then(({ rows }) => rows)
    .finally(() => owner.end());
}

export function databaseUrl({ path }: Pick<Folder, 'path'>): string {
  return `postgres://assent@localhost/assent?host=${encodeURIComponent(join(path, 'postgres'))}`;
}
