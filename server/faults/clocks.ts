import { setTimeout as pause } from 'node:timers/promises';
import { ensureDatabase } from '../src/store/database/schema/migrate.ts';
import { keepArrivals, keepAttempts } from '../test/support/instants.ts';
import { freePort, isReady, makeDataFolder, type Program, startServer } from '../test/support/programs.ts';
import { startTemporary } from '../test/support/temporary-postgres.ts';
import { until } from '../test/support/waiting.ts';
import { skip, wrongClock } from '../test/support/wrong-clock.ts';
import { makeClient } from './client.ts';
import { command } from './commands.ts';
import { type Findings, judge } from './judge.ts';
import { makeLedger } from './ledger.ts';
import { startLoad } from './load.ts';
import { onDatabase } from './on-database.ts';

/** How far the clock of one of two nodes is off, in seconds. */
const offsets = [-3_600, -3, 3, 120, 86_400];
const wrongMs = 10_000;
const rightMs = 3_000;
const startMs = 300_000;
const noticedMs = 60_000;
const drainMs = 200_000;

/**
 * Two nodes with the same load on one database, whose clock is right. One node's clock is wrong for ten seconds, again and again; and it is
 * stopped for as long as was asked for.
 */
export async function tryClocks(stoppedSeconds: number, say: (line: string) => void): Promise<Findings | null> {
  if (skip) {
    say(`No clock can be set: ${skip}.`);
    return null;
  }
  const folder = makeDataFolder();
  const postgres = await startTemporary();
  const programs: Program[] = [];
  try {
    await ensureDatabase(postgres.url('postgres'), 'assent');
    const [DATABASE_URL, port] = [postgres.url('assent'), await freePort()];
    const env = {
      DATABASE_URL,
      ASSENT_DATA_DIR: folder.path,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      LOG_LEVEL: 'error',
    };
    const clock = wrongClock(folder.path);
    const right = await startServer({ ...env, PORT: String(port) }, undefined, startMs);
    programs.push(right);
    const wrong = await startServer({ ...env, ...clock.env }, undefined, startMs);
    programs.push(wrong);
    await onDatabase(DATABASE_URL, 'update api_keys set rate_per_second = null, burst = null');
    for (const keep of [keepAttempts, keepArrivals]) await onDatabase(DATABASE_URL, keep);
    const [ledger, sandbox] = [makeLedger(), folder.sandbox()];
    const loads = [];
    for (const program of programs) {
      const client = makeClient(`http://127.0.0.1:${program.port}`, sandbox, ledger);
      await client.authorize();
      loads.push(await startLoad(client, sandbox, ledger));
    }
    const goesOn = () => until('the node goes on', () => isReady(wrong), noticedMs);
    for (const seconds of offsets) {
      clock.set(seconds);
      await pause(wrongMs);
      if (await isReady(wrong)) ledger.surprises.push(`${seconds} s: the node takes requests`);
      clock.set(0);
      await goesOn();
      await pause(rightMs);
      say(`a clock ${seconds} s off: ${ledger.accepted} texts accepted`);
    }
    wrong.signal('SIGSTOP');
    await pause(stoppedSeconds * 1_000);
    wrong.signal('SIGCONT');
    await goesOn();
    say(`stopped for ${stoppedSeconds} s: ${ledger.accepted} texts accepted`);
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
    await command(env, ['archive', 'verify']).catch((error) => all.broken.push(String(error)));
    return all;
  } finally {
    for (const program of programs) if (!program.hasEnded()) await program.stop('SIGKILL');
    await postgres.stop();
    folder.remove();
  }
}
