// Kills the server at random moments under load and counts what happened to every accepted text; races STOPs against texts
// on two nodes; kills the server and an SMPP peer with texts between them; tampers with the archive; has many readers and a
// failing endpoint follow events that two nodes write; breaks everything that nodes depend on, one thing after another, in a
// deployment of five of them; has people say STOP while carriers answer slowly; kills nodes of a distributed database; asks one
// node and two for the most that every route gives, while people say STOP; and sets the clock of one of two nodes, stops it for
// ten minutes, and sets the clock of the database's machine.
// `--kills 200`, `--races 50`, `--rounds 20`, `--events 1000000`, `--texts 200000`, `--stops 10000` and `--seconds 3600` make
// longer runs; `--only kills`, `--only races`, `--only carriers`, `--only tampering`, `--only events`, `--only nodes`,
// `--only stops`, `--only citus`, `--only turns` or `--only clocks` runs one of the ten, `--fault` one kind of fault of the nodes, and
// `--load` what is asked for. Exits with 1 if a text was lost, sent twice or sent without consent, a promise was broken, tampering went
// undetected, somebody missed an event, or a STOP took more than a second.
import { optionsGiven } from '../../scripts/options.ts';
import { skip as skipCitus } from '../test/support/citus.ts';
import { tryCarriers } from './carriers.ts';
import { tryCitus } from './citus.ts';
import { tryClocks } from './clocks.ts';
import { tryEvents } from './events.ts';
import { type Run, runFaults } from './faults.ts';
import type { Findings } from './judge.ts';
import { tryNodes } from './nodes.ts';
import { tryRaces } from './races.ts';
import { tryStops } from './stops.ts';
import { table } from './table.ts';
import { tryTamperings } from './tampering.ts';
import { tryTurns } from './turns.ts';

const shownMax = 20;

const text = { type: 'string' } as const;
const { values } = optionsGiven({
  options: {
    kills: text,
    races: text,
    rounds: text,
    events: text,
    texts: text,
    stops: text,
    seconds: text,
    fault: { ...text, multiple: true },
    only: text,
    load: text,
    on: text,
  },
});
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
  nodes: breakNodes,
  stops: stopSlowCarriers,
  citus: breakCitus,
  turns: floodThread,
  clocks: setClocks,
};
const chosen = Object.entries(parts).filter(([name]) => values.only === undefined || values.only === name);
if (chosen.length === 0) refuse(`--only must be one of ${Object.keys(parts).join(', ')}.`);

const wrong: string[] = [];
for (const [, part] of chosen) wrong.push(...(await part()));
for (const each of wrong.slice(0, shownMax)) process.stderr.write(`${each}\n`);
if (wrong.length > shownMax) process.stderr.write(`and ${wrong.length - shownMax} more\n`);
process.exitCode = wrong.length > 0 ? 1 : 0;

/** Aborts when somebody wants us to stop. */
function untilStopped(): AbortController {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
  return stopping;
}

async function tryKills(): Promise<string[]> {
  const stopping = untilStopped();
  const began = performance.now();
  const run = await runFaults({ kills, say, signal: stopping.signal }).catch((error) => {
    if (!stopping.signal.aborted) throw error;
    // By now everything is stopped and removed, and nobody will answer the requests that still wait.
    return process.exit(130);
  });
  show(run, (performance.now() - began) / 1000);
  return wrongIn(run);
}

async function breakNodes(): Promise<string[]> {
  const run = await tryNodes({
    kills: atLeastOne('--kills', values.kills ?? '40'),
    texts: atLeastOne('--texts', values.texts ?? '20000'),
    seconds: atLeastOne('--seconds', values.seconds ?? '480'),
    ...(values.fault && { faults: values.fault }),
    senders: 8,
    bulk: { senders: 2, people: 25 },
    say,
    signal: untilStopped().signal,
  });
  for (const line of table(run)) say(line);
  return [...run.wrong, ...wrongIn(run.verdict.all)];
}

async function stopSlowCarriers(): Promise<string[]> {
  const run = await tryStops({
    stops: atLeastOne('--stops', values.stops ?? '500'),
    seconds: atLeastOne('--seconds', values.seconds ?? '480'),
    say,
    signal: untilStopped().signal,
  });
  const { accepted, onHandset, failed, inDoubt, withoutConsent } = run.findings;
  say(
    `carriers answer slowly, STOPs arrive: ${run.stops} STOPs, ${run.waiting} while texts waited, ${withoutConsent.length} texts after one`,
  );
  say(
    `${accepted} texts: ${onHandset} out, ${failed} not sent, ${inDoubt} in doubt; ${run.kills} kills, ${Math.round(run.seconds)} s`,
  );
  return wrongIn(run.findings);
}

async function floodThread(): Promise<string[]> {
  const wrong: string[] = [];
  for (const nodes of values.on === undefined ? [1, 2] : [atLeastOne('--on', values.on)])
    wrong.push(...(await tryTurns(say, { nodes, only: values.load })));
  return wrong;
}

async function breakCitus(): Promise<string[]> {
  if (skipCitus) {
    say(`Citus is not installed: ${skipCitus}.`);
    return [];
  }
  const run = await tryCitus({ rounds, say, signal: untilStopped().signal });
  for (const line of table(run)) say(line);
  return [...run.wrong, ...wrongIn(run.verdict.all)];
}

async function setClocks(): Promise<string[]> {
  const found = await tryClocks(atLeastOne('--seconds', values.seconds ?? '600'), say);
  if (!found) return [];
  const { accepted, onHandset, failed, inDoubt } = found;
  say(`wrong clocks: ${accepted} texts accepted, ${onHandset} out, ${failed} not sent, ${inDoubt} in doubt`);
  return wrongIn(found);
}

function wrongIn({ lost, doubled, withoutConsent, broken }: Findings): string[] {
  return [
    ...lost.map((each) => `lost: ${each}`),
    ...doubled.map((each) => `doubled: ${each}`),
    ...withoutConsent.map((each) => `without consent: ${each}`),
    ...broken,
  ];
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

function show({ kills, requests, unanswered, ...found }: Run, seconds: number): void {
  const rows: [string, number, string?][] = [
    ['kills', kills.server, `${kills.database} of them of PostgreSQL too, ${kills.whileStarting} while starting`],
    ['requests', requests, `${unanswered} without an answer`],
    ['accepted', found.accepted, `and ${found.acceptedUnanswered} without an answer`],
    ['on the handset', found.onHandset],
    ['in doubt', found.inDoubt, `${found.inDoubtOnHandset} of them on the handset`],
    ['failed with a reason', found.failed],
    ['lost', found.lost.length],
    ['doubled', found.doubled.length],
    ['without consent', found.withoutConsent.length],
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
