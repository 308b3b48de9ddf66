// Kills the server at random moments under load and counts what happened to every accepted text; races STOPs against texts
// on two nodes; kills the server and an SMPP peer with texts between them; tampers with the archive; and has many readers and a
// failing endpoint follow events that two nodes write. `--kills 200`, `--races 50`, `--rounds 20` and `--events 1000000` make longer
// runs; `--only kills`, `--only races`, `--only carriers`, `--only tampering` or `--only events` runs one of the five. Exits with 1
// if a text was lost or sent twice, a promise was broken, tampering went undetected, or somebody missed an event.
import { parseArgs } from 'node:util';
import { tryCarriers } from './carriers.ts';
import { tryEvents } from './events.ts';
import { type Run, runFaults } from './faults.ts';
import { tryRaces } from './races.ts';
import { tryTamperings } from './tampering.ts';

const shownMax = 20;

const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { kills: text, races: text, rounds: text, events: text, only: text } });
const kills = atLeastOne('--kills', values.kills ?? '50');
const races = atLeastOne('--races', values.races ?? '10');
const rounds = atLeastOne('--rounds', values.rounds ?? '8');
const events = atLeastOne('--events', values.events ?? '5000');
/** Each returns what is wrong. */
const parts = {
  kills: tryKills,
  races: () => tryRaces(races, say),
  carriers: () => tryCarriers(rounds, say),
  tampering: () => tryTamperings(say),
  events: () => tryEvents(events, say),
};
const chosen = Object.entries(parts).filter(([name]) => values.only === undefined || values.only === name);
if (chosen.length === 0) refuse(`--only must be one of ${Object.keys(parts).join(', ')}.`);

const wrong: string[] = [];
for (const [, part] of chosen) wrong.push(...(await part()));
for (const each of wrong.slice(0, shownMax)) process.stderr.write(`${each}\n`);
if (wrong.length > shownMax) process.stderr.write(`and ${wrong.length - shownMax} more\n`);
process.exitCode = wrong.length > 0 ? 1 : 0;

async function tryKills(): Promise<string[]> {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
  const began = performance.now();
  const run = await runFaults({ kills, say, signal: stopping.signal }).catch((error) => {
    if (!stopping.signal.aborted) throw error;
    // By now everything is stopped and removed, and nobody will answer the requests that still wait.
    return process.exit(130);
  });
  show(run, (performance.now() - began) / 1000);
  return [...run.lost.map((each) => `lost: ${each}`), ...run.doubled.map((each) => `doubled: ${each}`), ...run.broken];
}

function atLeastOne(name: string, given: string): number {
  const number = Number(given);
  if (!Number.isSafeInteger(number) || number < 1) refuse(`${name} must be a whole number, not "${given}".`);
  return number;
}

function refuse(why: string): never {
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
