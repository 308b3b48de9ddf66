import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ensureDatabase } from '../src/store/database/schema/migrate.ts';
import { postgresUser } from '../test/support/debian-postgres.ts';
import { keepArrivals, keepAttempts } from '../test/support/instants.ts';
import { freePort, isReady, makeDataFolder, type Program, startServer } from '../test/support/programs.ts';
import { makeServer, skip as skipPostgres } from '../test/support/replicated-postgres.ts';
import { until } from '../test/support/waiting.ts';
import { skip as skipClocks, wrongClock } from '../test/support/wrong-clock.ts';
import { makeClient } from './client.ts';
import { command } from './commands.ts';
import { type Findings, judge } from './judge.ts';
import { calm, clockFault, makeLedger } from './ledger.ts';
import { startLoad } from './load.ts';
import { onDatabase } from './on-database.ts';
import { consoleDoor, signIn } from './turns-stage.ts';

/** How far the clock of one of two nodes is off, in seconds. */
const offsets = [-3_600, -3, 3, 120, 86_400];
/** And that of the database's machine. Where it was ahead, it goes back by what was recorded already. */
const databaseOffsets = [-3_600, 3_600];
const wrongMs = 10_000;
const rightMs = 3_000;
const startMs = 300_000;
const noticedMs = 60_000;
const drainMs = 200_000;

const bootedSeconds = Date.now() / 1000 - Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
/** Whatever the database's clock says, phones get their texts by the clock that nobody can set. */
const arriveByRealTime = `
  create function real_now() returns timestamptz language sql volatile security definer as
    $$ select to_timestamp(${bootedSeconds} + split_part(pg_read_file('/proc/uptime'), ' ', 1)::float8) $$;
  alter table handset_messages alter column arrived_at set default real_now()`;

/**
 * Two nodes with the same load on one database. One node's clock is wrong for ten seconds, again and again, and it is stopped for as long
 * as was asked for; then the clock of the database's machine is wrong, and an operator accepts its step back and explains it.
 */
export async function tryClocks(stoppedSeconds: number, say: (line: string) => void): Promise<Findings | null> {
  const skip = skipClocks || skipPostgres;
  if (skip) {
    say(`No clock can be set: ${skip}.`);
    return null;
  }
  const folder = makeDataFolder();
  // PostgreSQL's user can't enter the other one.
  const shared = mkdtempSync(join(tmpdir(), 'assent-clock-'));
  chmodSync(shared, 0o755);
  const databaseClock = wrongClock(shared);
  const postgres = await makeServer(
    postgresUser(),
    { max_connections: '300', jit: 'off' },
    undefined,
    databaseClock.env,
  );
  const programs: Program[] = [];
  try {
    postgres.initialize();
    await postgres.start();
    const url = (database: string) => `postgres://assent@127.0.0.1:${postgres.port}/${database}`;
    await ensureDatabase(url('postgres'), 'assent');
    const [DATABASE_URL, port] = [url('assent'), await freePort()];
    const origin = `http://127.0.0.1:${port}`;
    const env = { DATABASE_URL, ASSENT_DATA_DIR: folder.path, PUBLIC_URL: origin, LOG_LEVEL: 'error' };
    const clock = wrongClock(folder.path);
    programs.push(await startServer({ ...env, PORT: String(port) }, undefined, startMs));
    const wrong = await startServer({ ...env, ...clock.env }, undefined, startMs);
    programs.push(wrong);
    await onDatabase(DATABASE_URL, 'update api_keys set rate_per_second = null, burst = null');
    for (const keep of [keepAttempts, keepArrivals, arriveByRealTime]) await onDatabase(DATABASE_URL, keep);
    const [ledger, sandbox] = [makeLedger(), folder.sandbox()];
    const loads = [];
    for (const program of programs) {
      const client = makeClient(`http://127.0.0.1:${program.port}`, sandbox, ledger);
      await client.authorize();
      loads.push(await startLoad(client, sandbox, ledger));
    }
    const allGoOn = () =>
      until('the nodes go on', async () => (await Promise.all(programs.map(isReady))).every(Boolean), noticedMs);
    /** It is wrong for a while; those nodes may take no requests. */
    async function beWrong(set: (seconds: number) => void, seconds: number, stopped: Program[]): Promise<void> {
      set(seconds);
      await pause(wrongMs);
      for (const node of stopped)
        if (await isReady(node)) ledger.surprises.push(`${seconds} s: a node takes requests, at port ${node.port}`);
      set(0);
      await pause(rightMs);
    }
    for (const seconds of offsets) {
      await beWrong(clock.set, seconds, [wrong]);
      await allGoOn();
      say(`a clock ${seconds} s off: ${ledger.accepted} texts accepted`);
    }
    wrong.signal('SIGSTOP');
    await pause(stoppedSeconds * 1_000);
    wrong.signal('SIGCONT');
    await allGoOn();
    say(`stopped for ${stoppedSeconds} s: ${ledger.accepted} texts accepted`);
    // What somebody does just before the step seems to come after what follows.
    ledger.fault = clockFault;
    for (const seconds of databaseOffsets) {
      await beWrong(databaseClock.set, seconds, programs);
      if (seconds > 0) await acceptStep(env);
      await allGoOn();
      await pause(rightMs);
      say(`the database’s clock ${seconds} s off: ${ledger.accepted} texts accepted`);
    }
    ledger.fault = calm;
    await pause(rightMs);
    await Promise.all(loads.map((load) => load.stop()));
    const left = `
      select
        exists (select from dispatches)
        or exists (select from claims)
        or exists (select from scheduled_messages where status = 'scheduled') as left`;
    // The judge names what doesn't drain.
    await until('the outbox is empty', async () => !(await onDatabase(DATABASE_URL, left))[0]?.left, drainMs).catch(
      () => {},
    );
    const { all } = await judge(DATABASE_URL, ledger);
    const verified = await command(env, ['archive', 'verify']).catch((error) => void all.broken.push(String(error)));
    if (verified) say(verified.trim());
    return all;
  } finally {
    for (const program of programs) if (!program.hasEnded()) await program.stop('SIGKILL');
    await postgres.end();
    postgres.remove();
    rmSync(shared, { recursive: true });
    folder.remove();
  }
}

type Env = { DATABASE_URL: string; PUBLIC_URL: string; ASSENT_DATA_DIR: string; LOG_LEVEL: string };

/** What the guide tells an operator to do. */
async function acceptStep(env: Env): Promise<void> {
  const { DATABASE_URL, PUBLIC_URL: publicUrl } = env;
  const [operator] = await onDatabase(DATABASE_URL, `select staff_id as id from staff where role = 'operator' limit 1`);
  const staffId = String(operator?.id);
  const reason = 'The database’s machine was an hour ahead';
  const accepted = await command(env, ['clock', 'accept', '--by', staffId, '--reason', reason, '--yes', '--json']);
  const [{ entry }] = JSON.parse(accepted);
  const headers = await signIn({ origin: publicUrl, publicUrl }, consoleDoor, { staffId, next: '/console' });
  const { status } = await fetch(`${publicUrl}/console/api/explanations`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ advisorId: 0, from: entry, to: entry, reason }),
  });
  if (status !== 200) throw new Error(`The step could not be explained: ${status}`);
}
