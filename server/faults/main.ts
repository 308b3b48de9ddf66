// Kills the server at random moments while it works, and counts what became of every text that it had accepted; then does
// to the archive whatever somebody might. `--kills 200` for a longer run, `--only kills` or `--only tampering` for one
// of the two. Exits with 1 when a text was lost, or came twice, or a promise was broken, or tampering was missed.
import { parseArgs } from 'node:util';
import { type Run, runFaults } from './faults.ts';
import { tryTamperings } from './tampering.ts';

const shownMax = 20;

const parts = ['kills', 'tampering'];
const { values } = parseArgs({ options: { kills: { type: 'string' }, only: { type: 'string' } } });
const kills = Number(values.kills ?? '50');
if (!Number.isSafeInteger(kills) || kills < 1) refuse(`--kills must be a whole number, not "${values.kills}".`);
if (values.only !== undefined && !parts.includes(values.only)) refuse(`--only must be one of ${parts.join(', ')}.`);

const wrong: string[] = [];
if (values.only !== 'tampering') wrong.push(...(await tryKills()));
if (values.only !== 'kills') wrong.push(...(await tryTamperings(say)));
for (const each of wrong.slice(0, shownMax)) process.stderr.write(`${each}\n`);
if (wrong.length > shownMax) process.stderr.write(`and ${wrong.length - shownMax} more\n`);
process.exitCode = wrong.length > 0 ? 1 : 0;

async function tryKills(): Promise<string[]> {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
  const began = performance.now();
  const run = await runFaults({ kills, say, signal: stopping.signal }).catch((error) => {
    if (!stopping.signal.aborted) throw error;
    // By now all is stopped and removed; who still waits for an answer waits in vain.
    return process.exit(130);
  });
  show(run, (performance.now() - began) / 1000);
  return [...run.lost.map((each) => `lost: ${each}`), ...run.doubled.map((each) => `doubled: ${each}`), ...run.broken];
}

function refuse(why: string): void {
  process.stderr.write(`${why}\n`);
  process.exit(2);
}

function show({ kills, requests, unansweredRequests, ...found }: Run, seconds: number): void {
  const rows: [string, number, string?][] = [
    ['kills', kills.server, `${kills.database} of them of PostgreSQL too, ${kills.whileStarting} while starting`],
    ['requests', requests, `${unansweredRequests} without an answer`],
    ['accepted', found.accepted, `and ${found.acceptedUnanswered} without an answer`],
    ['on the handset', found.onHandset],
    ['in doubt', found.inDoubt, `${found.inDoubtOnHandset} of them on the handset`],
    ['failed with a reason', found.failed],
    ['lost', found.lost.length],
    ['doubled', found.doubled.length],
    ['other promises broken', found.broken.length],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, count, more] of rows)
    say(`${name.padEnd(width)}  ${count.toLocaleString('en-US').padStart(9)}${more ? `  ${more}` : ''}`);
  say(`in ${Math.round(seconds)} s`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
