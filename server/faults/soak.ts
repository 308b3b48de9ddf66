// Keeps a mixed load on a server for as long as one asks, `--minutes 60`, and prints its memory and its latency by the minute. Exits
// with 1 if they aren't flat: if memory grew, or answers took longer, from the first part of the run to the last.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { optionsGiven } from '../../scripts/options.ts';
import { started } from '../bench/program.ts';
import type { SandboxAdvisor } from '../src/domain/sandbox/sandbox.ts';
import { freePort, makeDataFolder, startServer } from '../test/support/programs.ts';
import { until } from '../test/support/waiting.ts';
import { type Client, makeClient } from './client.ts';
import { databaseUrl } from './faults.ts';
import { makeLedger, requestsIn } from './ledger.ts';
import { startLoad } from './load.ts';

type Minute = { megabytes: number; requests: number; medianMs: number; p99Ms: number; failed: number };

/** Caches fill and code is compiled. */
const warmUpMinutes = 1;
const restMs = 20;
const startMs = 300_000;
const tokensMs = 8 * 60_000;
/** Between the first and the last third of the run. Collecting garbage alone moves memory by this much. */
const growthMegabytesMax = 40;
const slowerMax = 1.5;
const reads = ['/text/messaging/messages?pageSize=20', '/text/messaging/events?pageSize=50', '/core/account'];

const { values } = optionsGiven({ options: { minutes: { type: 'string' } } });
const minutes = Number(values.minutes ?? '10');
if (!Number.isSafeInteger(minutes) || minutes < 1) {
  process.stderr.write('--minutes must be a whole number.\n');
  process.exit(2);
}
process.exitCode = (await soak()) ? 0 : 1;

async function soak(): Promise<boolean> {
  const folder = makeDataFolder();
  const port = await freePort();
  const env = {
    ...started.environment,
    NODE_OPTIONS: started.options.join(' '),
    ASSENT_DATA_DIR: folder.path,
    PORT: String(port),
    LOG_LEVEL: 'error',
  };
  const program = await startServer(env, undefined, startMs);
  const ledger = makeLedger();
  const client = makeClient(`http://127.0.0.1:${port}`, folder.sandbox(), ledger);
  try {
    await onDatabase(databaseUrl(folder), 'update api_keys set rate_per_second = null, burst = null');
    await client.authorize();
    const load = await startLoad(client, folder.sandbox(), ledger);
    const reading = keepReading(client, folder.sandbox().advisors);
    const seen = await watch(program.pid, client, ledger);
    reading.stop();
    await load.stop();
    const waiting = () => onDatabase(databaseUrl(folder), 'select from dispatches union all select from claims');
    await until('everything is handed over', async () => (await waiting()) === 0, 60_000, 500);
    return judge(seen, ledger.surprises);
  } finally {
    client.giveUp();
    await program.stop();
    folder.remove();
  }
}

async function watch(pid: number, client: Client, ledger: ReturnType<typeof makeLedger>): Promise<Minute[]> {
  const seen: Minute[] = [];
  let authorizedAt = Date.now();
  say('minute     MB  requests  failed  median ms  p99 ms');
  while (seen.length < minutes) {
    ledger.answers.clear();
    ledger.tookMs = [];
    // Only what is being sent is needed again.
    ledger.sends = ledger.sends.filter(({ outcome }) => outcome === undefined);
    await pause(60_000);
    const took = ledger.tookMs.toSorted((a, b) => a - b);
    const at = (share: number) => took[Math.floor(took.length * share)] ?? 0;
    const { requests, failed } = requestsIn(ledger);
    seen.push({ megabytes: memoryOf(pid), requests, failed, medianMs: at(0.5), p99Ms: at(0.99) });
    say(line(seen.length, seen.at(-1) as Minute));
    if (Date.now() < authorizedAt + tokensMs) continue;
    await client.authorize();
    authorizedAt = Date.now();
  }
  return seen;
}

function keepReading(client: Client, advisors: SandboxAdvisor[]) {
  let isOver = false;
  const read = async () => {
    for (let index = 0; !isOver; index++) {
      const advisor = advisors[index % advisors.length] as SandboxAdvisor;
      await client.get(advisor, reads[index % reads.length] as string);
      await pause(restMs);
    }
  };
  void read();
  return {
    stop() {
      isOver = true;
    },
  };
}

function judge(seen: Minute[], surprises: string[]): boolean {
  const steady = seen.length > 2 * warmUpMinutes ? seen.slice(warmUpMinutes) : seen;
  const third = Math.max(1, Math.floor(steady.length / 3));
  const change = (of: (minute: Minute) => number) =>
    [mean(steady.slice(0, third).map(of)), mean(steady.slice(-third).map(of))] as const;
  const [memory, median] = [change(({ megabytes }) => megabytes), change(({ medianMs }) => medianMs)];
  const p99 = change(({ p99Ms }) => p99Ms);
  for (const [name, [first, last], unit] of [
    ['memory', memory, 'MB'],
    ['median', median, 'ms'],
    ['p99', p99, 'ms'],
  ] as const)
    say(`${name}: ${first.toFixed(1)} ${unit} in the first third, ${last.toFixed(1)} ${unit} in the last`);
  for (const surprise of surprises.slice(0, 10)) say(surprise);
  const failed = seen.reduce((sum, minute) => sum + minute.failed, 0);
  const isFlat =
    memory[1] - memory[0] <= growthMegabytesMax && median[1] <= median[0] * slowerMax && p99[1] <= p99[0] * slowerMax;
  say(`${isFlat ? 'flat' : 'not flat'}; ${failed} requests failed, ${surprises.length} unexpected answers`);
  return isFlat && failed === 0 && surprises.length === 0;
}

function mean(numbers: number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}

function line(minute: number, { megabytes, requests, failed, medianMs, p99Ms }: Minute): string {
  const cells: [string | number, number][] = [
    [minute, 6],
    [Math.round(megabytes), 7],
    [requests.toLocaleString('en-US'), 10],
    [failed, 8],
    [medianMs.toFixed(1), 11],
    [p99Ms.toFixed(1), 8],
  ];
  return cells.map(([cell, width]) => String(cell).padStart(width)).join('');
}

/** What the process has in memory. */
function memoryOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

async function onDatabase(connectionString: string, sql: string): Promise<number> {
  const owner = new pg.Client({ connectionString });
  await owner.connect();
  return owner
    .query(sql)
    .then(({ rows }) => rows.length)
    .finally(() => owner.end());
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
