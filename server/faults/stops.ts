import { setTimeout as pause } from 'node:timers/promises';
import { carrierCallsPath } from '../src/domain/ports.ts';
import type { SandboxAdvisor } from '../src/domain/sandbox/sandbox.ts';
import { type StandIn, startStandIn } from '../test/carriers/http/stand-in.ts';
import { twilioSettings } from '../test/carriers/http/vendors.ts';
import { makeClient, type Reply } from './client.ts';
import { command, connectSmsc } from './commands.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { type Findings, judge } from './judge.ts';
import { type Ledger, makeLedger } from './ledger.ts';
import { newPhone, sendToAll } from './load.ts';
import { faults } from './node-faults.ts';
import { drained } from './nodes.ts';
import { type Phones, startPhones } from './phones.ts';

export type StopsOptions = { stops: number; seconds: number; say(line: string): void; signal?: AbortSignal };

/** `waiting` of the STOPs came while texts to that person waited. */
export type StopsRun = { findings: Findings; stops: number; waiting: number; kills: number; seconds: number };

/** How texts of one advisor go out, and how STOPs come back. */
type Way = { advisor: SandboxAdvisor; reply: Reply };

const window = 10;
const perSecondMax = 25;
const boundMs = 60_000;
const times = { responseMs: 6_000, reconnectMs: 50, reconnectMsMax: 500 };
const carrierTimeoutMs = 7_000;
/** How long the carriers take for an answer, a wave after another. */
const answerMs = [300, 3_000, 0, 1_000];
const peopleEach = 60;
const textsEach = 4;
/** STOPs come from the moment that texts are accepted until this much later. */
const withinMs = 4_000;
const killEvery = 4;
const retryMs = 50;
const tokensMs = 8 * 60_000;

/**
 * Carriers that answer slowly, or that have a slow pace, over SMPP and over HTTP, with two nodes that work and are killed. People
 * say STOP while texts to them wait. Nothing may begin once that is acknowledged.
 */
export async function tryStops({ stops, seconds, say, signal }: StopsOptions): Promise<StopsRun> {
  const began = performance.now();
  const fleet = await startFleet({ api: 2, work: 2, carrierTimeoutMs, smsc: { window, times } });
  const standIn = await startStandIn();
  // A carrier's replies count only for its own numbers, so each has phones of its own.
  const pacedPhones = await startPhones();
  try {
    const ledger = makeLedger();
    const client = makeClient(fleet.origin, fleet.folder.sandbox(), ledger, fleet.phones.reply);
    await client.authorize();
    const ways = await makeWays(fleet, standIn, pacedPhones);
    const kill = faults.find(({ name }) => name === 'kill -9 of a node that works') ?? fail();
    const isOver = () => signal?.aborted || performance.now() - began > seconds * 1000;
    let [kills, authorizedAt] = [0, Date.now()];
    for (let wave = 0; ledger.replied.length < stops && !isOver(); wave++) {
      const ms = answerMs[wave % answerMs.length] ?? 0;
      for (const { answerIn } of [fleet.phones, pacedPhones]) await answerIn(ms);
      await standIn.behave({ times: 1_000_000, pauseMs: ms });
      const killing = wave % killEvery === 1 ? kill.act({ fleet, ledger, recover: async () => {} }) : 0;
      await Promise.all(ways.map((way) => stopWhileTextsWait(way, { client, ledger })));
      kills += await killing;
      if (wave % 10 === 9) say(`${ledger.replied.length} STOPs, ${kills} kills`);
      if (Date.now() < authorizedAt + tokensMs) continue;
      await client.authorize();
      authorizedAt = Date.now();
    }
    for (const { answerIn } of [fleet.phones, pacedPhones]) await answerIn(0);
    await standIn.behave();
    await drained(fleet);
    const received = [fleet.phones.received(), pacedPhones.received(), standIn.arrivals()];
    const waiting = await countWaiting(fleet);
    const { all: findings } = await judge(fleet.databaseUrl(), ledger, (await Promise.all(received)).flat());
    return { findings, stops: ledger.replied.length, waiting, kills, seconds: (performance.now() - began) / 1000 };
  } finally {
    await Promise.all([standIn.stop(), pacedPhones.stop()]);
    await fleet.stop();
  }
}

/** By SMPP as fast as it answers, by SMPP with a pace, and by HTTP. Nobody's consent is required, so everybody can be texted. */
async function makeWays(fleet: Fleet, standIn: StandIn, pacedPhones: Phones): Promise<Way[]> {
  const { advisors } = fleet.folder.sandbox();
  const [fast, paced, http] = ['casey', 'avery', 'devon'].map(
    (name) => advisors.find(({ email }) => email === `${name}@sandbox.example`) ?? fail(),
  ) as [SandboxAdvisor, SandboxAdvisor, SandboxAdvisor];
  await fleet.postgres.primary().query('update advisors set consent_required = false', 'assent');
  const env = { ...fleet.env, DATABASE_URL: fleet.databaseUrl() };
  const { port } = pacedPhones;
  await connectSmsc(env, { name: 'paced', port, numbers: [paced.textingNumber], window, perSecondMax, times, boundMs });
  const settings = { ...twilioSettings(standIn), window, responseMs: times.responseMs };
  await command(env, ['carriers', 'add', 'http', '--kind', 'twilio', '--settings', '-'], JSON.stringify(settings));
  await command(env, ['numbers', 'set', http.textingNumber, '--carrier', 'http']);
  const byHttp: Reply = async (from, to, text) => {
    const url = fleet.origin + carrierCallsPath('http');
    const told = await standIn
      .deliver('twilio', { url, from, to, text, id: `SM${digits(from).padStart(32, '0')}` })
      .catch(() => null);
    return told?.status === 200 ? told.at : null;
  };
  return [
    { advisor: fast, reply: fleet.phones.reply },
    { advisor: paced, reply: pacedPhones.reply },
    { advisor: http, reply: byHttp },
  ];
}

async function stopWhileTextsWait(
  { advisor, reply }: Way,
  stage: { client: ReturnType<typeof makeClient>; ledger: Ledger },
): Promise<void> {
  const people = Array.from({ length: peopleEach }, newPhone);
  for (let text = 0; text < textsEach; text++) await sendToAll(stage, advisor, people);
  await Promise.all(
    people.map(async (phone) => {
      await pause(Math.random() * withinMs);
      let answeredAt = await reply(phone, advisor.textingNumber, 'STOP');
      for (; answeredAt === null; await pause(retryMs)) answeredAt = await reply(phone, advisor.textingNumber, 'STOP');
      const { textingNumber } = advisor;
      stage.ledger.replied.push({ phone, textingNumber, word: 'STOP', answeredAt: new Date(answeredAt) });
    }),
  );
}

/** The people to whom a text didn't go because of their STOP. */
async function countWaiting(fleet: Fleet): Promise<number> {
  const [row] = await fleet.postgres
    .primary()
    .query<{ count: number }>(
      `select count(distinct (advisor_id, member_id))::integer as count from messages where failure_code = 'opted_out'`,
      'assent',
    );
  return row?.count ?? 0;
}

/** Each person says STOP once, so their number makes an id. */
function digits(phone: string): string {
  return phone.slice(1);
}

function fail(): never {
  throw new Error('The sandbox or the table of faults has changed.');
}
