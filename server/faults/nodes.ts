import { setTimeout as pause } from 'node:timers/promises';
import { runCommand } from '../test/support/commands.ts';
import { until } from '../test/support/waiting.ts';
import { type Client, makeClient } from './client.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { judge, type Verdict } from './judge.ts';
import { calm, isFailure, type Ledger, makeLedger } from './ledger.ts';
import { startLoad } from './load.ts';
import { allReady, type Fault, faults } from './node-faults.ts';

/** What one kind of fault did, over all of its runs. */
export type Row = { fault: string; runs: number; kills: number; recoverMs: number[] };

export type NodesOptions = {
  /** Nodes that answer, and nodes that work: three and two unless given. */
  api?: number;
  work?: number;
  /** At least so many processes are killed, and so many texts accepted, unless the time is up first. */
  kills: number;
  texts: number;
  seconds: number;
  /** Which faults; all unless given. */
  faults?: string[];
  /** How many send one text after another, and who texts many people at once. */
  senders?: number;
  bulk?: { senders: number; people: number };
  postgres?: Record<string, string>;
  say(line: string): void;
  signal?: AbortSignal;
};

export type NodesRun = { rows: Row[]; ledger: Ledger; verdict: Verdict; wrong: string[]; seconds: number };

const calmMs = 300;
const recoverMsMax = 300_000;
const drainMsMax = 180_000;
const tokensMs = 8 * 60_000;
const backlogMax = 300;
const backlogLookMs = 100;
const diskMegabytes = 6_000;

/**
 * Three nodes that answer and two that work, under load, with one fault after another. Afterwards every text that was accepted must
 * be on its phone once, or in doubt, or failed with a reason.
 */
export async function tryNodes(options: NodesOptions): Promise<NodesRun> {
  const began = performance.now();
  const wrong: string[] = [];
  const fleet = await startFleet({
    api: options.api ?? 3,
    work: options.work ?? 2,
    diskMegabytes,
    ...(options.postgres && { settings: options.postgres }),
  });
  let stopLoad = () => {};
  try {
    const ledger = makeLedger();
    const client = makeClient(fleet.origin, fleet.folder.sandbox(), ledger, fleet.phones.reply);
    await client.authorize();
    const backlog = watchBacklog(fleet, ledger);
    const bulk = { senders: 0, people: 0, ...options.bulk, isBehind: backlog.isBehind };
    const load = await startLoad(client, fleet.folder.sandbox(), ledger, {
      bulk,
      ...(options.senders && { senders: options.senders }),
    });
    stopLoad = () => {
      load.abandon();
      backlog.stop();
    };
    const rows = await breakThings(fleet, client, ledger, options, wrong);
    ledger.fault = calm;
    await load.stop();
    await drained(fleet);
    const verdict = await judge(fleet.databaseUrl(), ledger, await fleet.phones.received());
    wrong.push(...(await checkArchive(fleet, ledger)), ...failedUnnoticed(ledger));
    return { rows, ledger, verdict, wrong, seconds: (performance.now() - began) / 1000 };
  } finally {
    stopLoad();
    await fleet.stop();
  }
}

/** One fault after another, in rounds of all, until there were enough. */
async function breakThings(
  fleet: Fleet,
  client: Client,
  ledger: Ledger,
  { kills, texts, seconds, say, signal, faults: names }: NodesOptions,
  wrong: string[],
): Promise<Row[]> {
  const chosen = faults.filter(({ name }) => !names || names.includes(name));
  const rows = chosen.map(({ name }): Row => ({ fault: name, runs: 0, kills: 0, recoverMs: [] }));
  const killed = () => rows.reduce((sum, row) => sum + row.kills, 0);
  const deadline = performance.now() + seconds * 1000;
  let authorizedAt = Date.now();
  const isEnough = () => performance.now() > deadline || (killed() >= kills && ledger.accepted >= texts);
  for (const fault of rounds(chosen)) {
    if (isEnough() || signal?.aborted) break;
    const row = rows.find((each) => each.fault === fault.name) as Row;
    ledger.fault = fault.name;
    const recover = async () => void row.recoverMs.push(await untilOut(fleet, client));
    try {
      row.kills += await fault.act({ fleet, ledger, recover });
      await allReady(fleet, recoverMsMax);
    } catch (error) {
      wrong.push(`${fault.name}: ${(error as Error).message}`);
      break;
    }
    row.runs += 1;
    ledger.fault = calm;
    await pause(calmMs);
    if (Date.now() > authorizedAt + tokensMs) {
      await client.authorize();
      authorizedAt = Date.now();
    }
    const last = row.recoverMs.at(-1) ?? 0;
    say(
      `${fault.name}: out again after ${(last / 1000).toFixed(1)} s; ${killed()} kills, ${ledger.accepted} texts accepted`,
    );
  }
  return rows;
}

/** Accepting a text costs less than handing it over: without a pause, texts would wait longer and longer. */
function watchBacklog({ phones }: Fleet, ledger: Ledger) {
  let behind = false;
  const look = async () => {
    behind = ledger.accepted - (await phones.count()) > backlogMax;
  };
  const looking = setInterval(() => void look(), backlogLookMs);
  return { isBehind: () => behind, stop: () => clearInterval(looking) };
}

/** Each fault as often as its share says, one of each kind after another, again and again. */
function* rounds(chosen: Fault[]): Generator<Fault> {
  for (;;)
    for (let turn = 0; turn < Math.max(...chosen.map(({ share }) => share)); turn++)
      yield* chosen.filter(({ share }) => share > turn);
}

let probes = 0;

/** How long it takes from now until a new text is accepted and on its phone. */
async function untilOut({ folder, phones }: Fleet, client: Client): Promise<number> {
  const began = performance.now();
  const casey = folder.sandbox().advisors.find(({ email }) => email === 'casey@sandbox.example');
  if (!casey) throw new Error('There is no Casey.');
  probes += 1;
  const [phone, text, key] = ['+13125550100', `Probe ${probes} of ${began}`, `probe-${process.pid}-${probes}`];
  const isAccepted = async () =>
    typeof (await client.post(casey, '/text/messaging/messages', { phone, text }, key)) !== 'string';
  await until('a text is accepted again', isAccepted, recoverMsMax, 50);
  await until('it is on its phone', () => phones.has(phone, text), recoverMsMax, 20);
  return performance.now() - began;
}

/** Waits until no text is waiting, being handed over or due; the leases of killed nodes expire first. */
export async function drained({ postgres }: Pick<Fleet, 'postgres'>): Promise<void> {
  const isEmpty = async () => {
    const rows = await postgres.primary().query(
      `select
       where exists (select from dispatches)
         or exists (select from claims)
         or exists (select from scheduled_messages where status = 'scheduled')`,
      'assent',
    );
    return rows.length === 0;
  };
  // The judge names what doesn't drain.
  await until('the outbox is empty', isEmpty, drainMsMax, 500).catch(() => {});
}

/**
 * The archive must be whole, whatever happened to the database. While the sandbox's clock moves, nodes disagree about the time by as
 * much as it moves, and so do the entries that they write at that moment.
 */
async function checkArchive({ env, databaseUrl }: Fleet, { aheadMs }: Ledger): Promise<string[]> {
  const { status, stdout } = await runCommand(['archive', 'verify'], { ...env, DATABASE_URL: databaseUrl() });
  const [summary, ...findings] = stdout.trim().split('\n');
  const isExpected = (finding: string) => aheadMs > 0 && /its time is before/.test(finding);
  if (status === 0 || (findings.length > 0 && findings.every(isExpected))) return [];
  return [`The archive isn’t whole: ${summary}`, ...findings];
}

/** Where nobody may notice, every request was answered, and none of them with a fault of ours. */
function failedUnnoticed(ledger: Ledger): string[] {
  return faults
    .filter(({ isUnnoticed }) => isUnnoticed)
    .flatMap(({ name }) =>
      [...(ledger.answers.get(name) ?? [])]
        .filter(([answered]) => isFailure(answered))
        .map(([answered, count]) => `${name}: ${count} requests were answered with ${answered}`),
    );
}
