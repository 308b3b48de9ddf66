import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { globalSetup, globalTeardown } from '../test/support/global-setup.ts';
import { makeDeployment } from '../test/support/programs.ts';
import { type Request, requestsFor } from './turns-inputs.ts';
import { type Door, fullLexicon, type Node, openStage, type Stage } from './turns-stage.ts';

/** What somebody can ask of a server, as much as they may, and how many times at once. */
type Load = {
  name: string;
  atOnce: number;
  /** Of those that are asked by hand, which. */
  routes: string[];
  ask(stage: Stage, signal?: AbortSignal): Promise<unknown>;
};

type Probe = { longestMs: number; mostBytes: number };

const textLength = 1_600;
const tries = 3;
const stopsEach = 5;
const [stopEveryMs, settleMs, retryMs] = [400, 100, 20];
/** A thread that has nothing to do has turns of that. */
const quietMs = 5;
const [turnMsMax, stopMsMax, idleMsMax] = [50, 1_000, 5_000];
/** What takes no longer isn't asked for all the time. */
const shortMs = 10;
const grownBytesMax = 100 * 1024 * 1024;

const monthMs = 30 * 24 * 60 * 60 * 1000;
const longText =
  `Dear {first name}, ${'the account that we spoke of is doing well, and so is yours. '.repeat(40)}`.slice(
    0,
    textLength - 60,
  );
const shortText = longText.slice(0, 1_500);
/** A GET, or a POST of what `body` makes. */
// biome-ignore format: a table
const requests: [name: string, atOnce: number, door: Door, path: (stage: Stage) => string, body?: (stage: Stage) => object][] = [
  ['a check of a text to a group',          6, 'app',     () => '/broadcasts/check',       ({ groupId }) => ({ groupId, text: longText })],
  ['a preview of a text to a group',        6, 'app',     () => '/broadcasts/preview',     ({ groupId }) => ({ groupId, text: longText, from: 9_900 })],
  ['a request for everybody’s consent',     6, 'app',     () => '/broadcasts/consent/check', () => ({ whom: {} })],
  ['an export of contacts',                 6, 'app',     () => '/contacts/export',        () => ({})],
  ['a list of contacts',                    6, 'app',     () => '/contacts?search=a'],
  ['a list of conversations',               6, 'app',     () => '/conversations'],
  ['a conversation of long replies',        6, 'app',     ({ memberId }) => `/conversations/${memberId}/items`],
  ['a conversation from an early reply on', 6, 'app',     ({ memberId, replyId }) => `/conversations/${memberId}/items?from=r${replyId}`],
  ['the evidence of a consent',             6, 'app',     ({ memberId }) => `/conversations/${memberId}/evidence`],
  ['a search of conversations',             6, 'app',     () => '/search?text=novel'],
  ['a check of a text to 1,000 numbers',   12, 'partner', () => '/text/messaging/messages/check', ({ phones }) => ({ text: shortText, phoneNumbers: phones.slice(0, 1_000) })],
  ['a text to 1,000 numbers',               2, 'partner', () => '/text/messaging/messages', ({ phones }) => ({ text: shortText, phoneNumbers: phones.slice(-1_000), scheduleDelivery: true, deliveryDate: Date.now() + monthMs })],
  ['a text to 1,000 numbers at once',       2, 'partner', () => '/text/messaging/messages', ({ phones }) => ({ text: shortText, phoneNumbers: phones.slice(-1_000) })],
  ['a search of 1,000 consents',           12, 'partner', () => '/text/messaging/consents/search', ({ phones }) => ({ phoneNumbers: phones.slice(0, 1_000) })],
  ['a page of contacts',                   12, 'partner', () => '/core/contact/contacts?pageSize=200&search=a'],
  ['a page of events',                     12, 'partner', () => '/text/messaging/events?pageSize=200'],
  ['a search of lexicon versions',          4, 'console', () => '/archive/search',         () => ({ kind: 'other' })],
  ['a search of long replies',              4, 'console', () => '/archive/search',         () => ({ kind: 'received', words: 'novel' })],
  ['an entry among long replies',           4, 'console', ({ advisor, entryNumber }) => `/archive/${advisor.id}/${entryNumber}`],
  ['the queue of reviews',                  4, 'console', () => '/reviews?view=all'],
  ['a review',                              4, 'console', ({ reviewId }) => `/reviews/${reviewId}`],
  ['a person’s consent',                    4, 'console', ({ advisor, memberId }) => `/people/${advisor.id}/${memberId}/consent`],
  ['the firm’s report',                     4, 'console', () => '/report?from=2024-06-01T00:00:00Z&until=2027-05-01T00:00:00Z'],
  ['a dry run of a lexicon',                4, 'console', () => '/lexicon/dry-run',        () => fullLexicon(0, 12)],
  ['a trial of a lexicon',                  4, 'console', () => '/lexicon/trial',          () => ({ ...fullLexicon(0, 12), text: longText.repeat(7).slice(0, 10_000) })],
];

/** Every route that a server has: what follows from schemas is refused by none of them, or the route is named as one that needs more. */
function loadsOf(stage: Stage): Load[] {
  const byHand: Load[] = [
    { name: 'nothing', atOnce: 0, routes: [], ask: async () => {} },
    ...requests.map(([name, atOnce, door, path, body]) => ({
      name,
      atOnce,
      routes: [`${body ? 'POST' : 'GET'} ${prefixes[door]}${path(stage)}`],
      ask: (stage: Stage, signal?: AbortSignal) => askDoor(stage, door, path(stage), body?.(stage), signal),
    })),
    { name: 'two hundred texts at once', atOnce: 1, routes: ['POST /v1/text/messaging/messages'], ask: sendMany },
    {
      name: 'a text to a group',
      atOnce: 1,
      routes: ['POST /app/api/broadcasts', 'POST /app/api/broadcasts/1/stop'],
      ask: textGroup,
    },
    { name: 'a lexicon that is saved', atOnce: 4, routes: ['PUT /console/api/lexicon'], ask: saveLexicon },
    { name: 'a file of contacts', atOnce: 2, routes: ['POST /app/api/imports'], ask: uploadFile },
    { name: 'unsigned calls of a carrier', atOnce: 12, routes: ['POST /carriers/http/calls'], ask: callUnsigned },
  ];
  const asked = byHand.flatMap(({ routes }) => routes);
  const isAsked = (method: string, url: string) => {
    const pattern = new RegExp(`^${method} ${url.replace(/:\w+/g, '[^/]+')}(\\?|$)`);
    return asked.some((each) => pattern.test(each));
  };
  return [...byHand, ...requestsFor(stage, isAsked).map(smallLoad)];
}

function smallLoad(request: Request): Load {
  const { method, path, body } = request;
  const name = `${method} ${path.split('?')[0]}${body instanceof URLSearchParams ? ', a form' : ''}`;
  return { name, atOnce: 6, routes: [], ask: (stage, signal) => askSmall(stage, request, signal) };
}

/**
 * What keeps a server's thread busy must not keep people's STOPs waiting: the largest input of every route that does much, how
 * long the thread is kept at once, how much memory it takes, and how long a STOP takes while others ask for it all the time.
 */
export async function tryTurns(
  say: (line: string) => void,
  { nodes, only }: { nodes: number; only?: string | undefined },
): Promise<string[]> {
  await globalSetup();
  const wrong: string[] = [];
  const started: Node[] = [];
  const deployment = await makeDeployment();
  try {
    const stage = await openStage(deployment, started, nodes);
    for (const load of loadsOf(stage).filter(({ name }) => !only || new RegExp(only).test(name)))
      wrong.push(...(await measure(stage, load, say).catch((error) => [`${load.name}: ${error}`])));
  } finally {
    for (const { program } of started) await program.stop('SIGKILL');
    await deployment.remove();
    await globalTeardown();
  }
  return wrong;
}

async function measure(stage: Stage, load: Load, say: (line: string) => void): Promise<string[]> {
  const longestMs = await longestTurn(stage, load);
  if (load.routes.length === 0 && load.atOnce > 0 && longestMs < shortMs) {
    say(`${load.name}: ${longestMs.toFixed(0)} ms at once`);
    return [];
  }
  let best: FloodResult | undefined;
  // Other programs of the machine delay a STOP, too.
  for (let attempt = 0; attempt < tries && (best?.stopMs ?? Number.POSITIVE_INFINITY) > stopMsMax; attempt++) {
    const flooded = await flood(stage, load);
    if (!best || flooded.stopMs < best.stopMs) best = flooded;
  }
  const { stopMs = 0, grown = 0, idleMs = 0, asked = 0 } = best ?? {};
  const [turn, stop, idle] = [longestMs, stopMs, idleMs].map((ms) => `${ms.toFixed(0)} ms`);
  const megabytes = `${Math.round(grown / 1024 / 1024)} MB`;
  say(
    `${load.name}: ${turn} at once; ${load.atOnce} of them, ${asked} asked: a STOP takes ${stop}, ${megabytes} more, idle ${idle} after they left`,
  );
  return [
    ...(longestMs > turnMsMax ? [`${load.name}: a turn takes ${turn}`] : []),
    ...(stopMs > stopMsMax ? [`${load.name}: a STOP takes ${stop}`] : []),
    ...(grown > grownBytesMax ? [`${load.name}: memory grows by ${megabytes}`] : []),
    ...(idleMs > idleMsMax ? [`${load.name}: it goes on for ${idle} after everybody left`] : []),
  ];
}

/** The best of a few: what else the machine does makes none shorter. */
async function longestTurn(stage: Stage, { ask }: Load): Promise<number> {
  let longestMs = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < tries; attempt++) {
    await pause(settleMs);
    await probe(stage);
    await ask(stage);
    await pause(settleMs);
    longestMs = Math.min(longestMs, (await probe(stage)).longestMs);
  }
  return longestMs;
}

type FloodResult = { asked: number; stopMs: number; grown: number; idleMs: number };

/** Asks for it all the time, so many at once, and says STOP meanwhile. Then all of them leave. */
async function flood(stage: Stage, { atOnce, ask }: Load): Promise<FloodResult> {
  const { mostBytes: before } = await probe(stage);
  const leaving = new AbortController();
  let asked = 0;
  const asking = Array.from({ length: atOnce }, async () => {
    while (!leaving.signal.aborted) {
      await ask(stage, leaving.signal).catch(() => pause(retryMs));
      asked += 1;
    }
  });
  let stopMs = 0;
  for (let count = 0; count < stopsEach; count++) {
    await pause(stopEveryMs);
    stopMs = Math.max(stopMs, await sayStop(stage));
  }
  leaving.abort();
  await Promise.all(asking);
  const left = performance.now();
  const grown = (await probe(stage)).mostBytes - before;
  return { asked, stopMs, grown, idleMs: await idleAfter(stage, left) };
}

/** How long after everybody left the thread has nothing long to do. */
async function idleAfter(stage: Stage, leftMs: number): Promise<number> {
  let tookMs = 0;
  do {
    await pause(settleMs);
    tookMs = performance.now() - leftMs;
  } while ((await probe(stage)).longestMs > quietMs && tookMs < idleMsMax);
  return tookMs;
}

async function probe({ nodes }: Stage): Promise<Probe> {
  const all = await Promise.all(
    nodes.map(async ({ probePort }) => (await fetch(`http://127.0.0.1:${probePort}`)).json() as Promise<Probe>),
  );
  return {
    longestMs: Math.max(...all.map((each) => each.longestMs)),
    mostBytes: Math.max(...all.map((each) => each.mostBytes)),
  };
}

let stops = 0;
/** Says it again until it is acknowledged, as a carrier does. */
async function sayStop(stage: Stage): Promise<number> {
  const phone = `+1646555${1_000 + stops++}`;
  const began = performance.now();
  for (;;) {
    const answer = await stage.nodes[0]?.program.fetch(`/sandbox/handset/${encodeURIComponent(phone)}/replies`, {
      method: 'POST',
      headers: { 'x-api-key': stage.headers.partner['x-api-key'] ?? '', 'content-type': 'application/json' },
      body: JSON.stringify({ to: stage.advisor.textingNumber, text: 'STOP' }),
    });
    await answer?.arrayBuffer();
    if (answer?.status === 202) return performance.now() - began;
    if (answer && answer.status < 500) throw new Error(`A STOP was answered ${answer.status}.`);
    await pause(retryMs);
  }
}

let turn = 0;
async function ask({ nodes }: Stage, path: string, init: RequestInit): Promise<Buffer> {
  const { program } = nodes[turn++ % nodes.length] as Node;
  const answer = await program.fetch(path, init);
  const body = Buffer.from(await answer.arrayBuffer());
  if (
    answer.status >= 400 &&
    answer.status !== 429 &&
    answer.status !== 502 &&
    answer.status !== 409 &&
    !path.startsWith('/carriers')
  )
    throw new Error(`${path} was answered ${answer.status}: ${body.subarray(0, 300)}`);
  if (answer.status >= 400) await pause(retryMs);
  return body;
}

const posted = (headers: Record<string, string>, body: unknown, signal?: AbortSignal): RequestInit => ({
  ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  headers: { 'content-type': 'application/json', ...headers },
  ...(signal && { signal }),
});
const prefixes: Record<Door, string> = {
  app: '/app/api',
  console: '/console/api',
  operator: '/console/api',
  partner: '/v1',
};

function askDoor(stage: Stage, door: Door, path: string, body?: object, signal?: AbortSignal): Promise<Buffer> {
  return ask(stage, prefixes[door] + path, posted(stage.headers[door], body, signal));
}

/** It may find nothing of what it asks for, but not be refused for what is in it: then the route needs an input by hand. */
async function askSmall({ nodes, headers }: Stage, request: Request, signal?: AbortSignal): Promise<void> {
  const { door, method, path, body, isBySchema } = request;
  const { program } = nodes[turn++ % nodes.length] as Node;
  const isForm = body instanceof URLSearchParams;
  if (isForm) body.set('formToken', headers[door]['x-form-token'] ?? '');
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  const answer = await program.fetch(path, {
    method,
    headers: { ...headers[door], ...(body && { 'content-type': type }) },
    redirect: 'manual',
    ...(body && { body: isForm ? String(body) : JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  const text = await answer.text();
  if (answer.status === 500 || (isBySchema && answer.status === 400 && text.includes('"rule"')))
    throw new Error(`${method} ${path.slice(0, 100)} was answered ${answer.status}: ${text.slice(0, 500)}`);
}

/** They share transactions, as those of many partners do. */
async function sendMany(stage: Stage, signal?: AbortSignal): Promise<void> {
  const headers = () => ({ ...stage.headers.partner, 'idempotency-key': randomUUID() });
  const sends = stage.phones.slice(2_000, 2_200).map((phone) => ({ phone, text: shortText }));
  await Promise.all(sends.map((body) => ask(stage, '/v1/text/messaging/messages', posted(headers(), body, signal))));
}

/** After somebody else has. */
function saveLexicon(stage: Stage, signal?: AbortSignal) {
  const init = posted(stage.headers.console, { ...fullLexicon(0, 12), basedOn: 0 }, signal);
  return ask(stage, '/console/api/lexicon', { ...init, method: 'PUT' });
}

async function textGroup(stage: Stage, signal?: AbortSignal): Promise<void> {
  const text = longText.slice(0, 1_000);
  const { version } = JSON.parse(
    String(await askDoor(stage, 'app', '/broadcasts/check', { groupId: stage.groupId, text }, signal)),
  );
  const { broadcastId } = JSON.parse(
    String(await askDoor(stage, 'app', '/broadcasts', { groupId: stage.groupId, text, version }, signal)),
  );
  await askDoor(stage, 'app', `/broadcasts/${broadcastId}/stop`, {}, signal);
}

const megabyte = 'Body='.padEnd(1024 * 1024, 'a=%41&');
function callUnsigned(stage: Stage, signal?: AbortSignal) {
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-twilio-signature': 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=',
  };
  return ask(stage, '/carriers/http/calls', { method: 'POST', body: megabyte, headers, ...(signal && { signal }) });
}

const file = `First Name,Last Name,Phone,Notes\n${Array.from({ length: 200_000 }, (_, index) => `Ann${index},Smith,+1312555${String(index % 10_000).padStart(4, '0')},${'x'.repeat(80)}`).join('\n')}`;
function uploadFile(stage: Stage, signal?: AbortSignal) {
  const headers = { ...stage.headers.app, 'content-type': 'text/csv' };
  return ask(stage, '/app/api/imports', { method: 'POST', body: file, headers, ...(signal && { signal }) });
}
