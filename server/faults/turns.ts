import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Deps } from '../src/deps.ts';
import { startImport } from '../src/domain/address-book/contact-imports.ts';
import { createGroup } from '../src/domain/address-book/groups.ts';
import { receiveReply } from '../src/domain/consent/replies.ts';
import { indexArchive } from '../src/domain/record-keeping/archive-index.ts';
import { sandboxSource, setInitialConsent } from '../src/domain/sandbox/initial-consent.ts';
import type { SandboxAdvisor } from '../src/domain/sandbox/sandbox.ts';
import { seededContact, seededPhone } from '../src/domain/sandbox/seeded-people.ts';
import { setLexicon } from '../src/domain/supervision/lexicons.ts';
import { startStandIn } from '../test/carriers/http/stand-in.ts';
import { twilioSettings } from '../test/carriers/http/vendors.ts';
import { depsOn } from '../test/support/deps.ts';
import { globalSetup, globalTeardown } from '../test/support/global-setup.ts';
import { type Deployment, freePort, makeDeployment, type Program, startServer } from '../test/support/programs.ts';
import { Visitor } from '../test/support/visitor.ts';
import { command } from './commands.ts';

/** What somebody can ask of a server, as large as it may be, and how many times at once. */
type Load = { name: string; atOnce: number; ask(stage: Stage, signal?: AbortSignal): Promise<unknown> };

type Node = { program: Program; probePort: number };
type Stage = {
  deployment: Deployment;
  nodes: Node[];
  deps: Deps;
  advisor: SandboxAdvisor;
  groupId: number;
  phones: string[];
  app: Browser;
  console: Browser;
  /** Of an application's calls for the advisor. */
  partner: Record<string, string>;
};
type Browser = { headers: Record<string, string> };
type Probe = { longestMs: number; mostBytes: number };

const people = 10_000;
const textLength = 1_600;
const lexiconVersions = 30;
const longReplies = 60;
const replyLength = 39_000;
const tries = 3;
const stopsEach = 5;
const stopEveryMs = 400;
const [turnMsMax, grownBytesMax, stopMsMax] = [50, 100 * 1024 * 1024, 1_000];

const longText =
  `Dear {first name}, ${'the account that we spoke of is doing well, and so is yours. '.repeat(40)}`.slice(
    0,
    textLength - 60,
  );
const words = Array.from({ length: 2_000 }, (_, index) => `word${index} ${'loremipsum '.repeat(17)}`.slice(0, 195));
const fullLexicon = (version: number) => ({
  rules: Array.from({ length: 20 }, (_, rule) => ({
    name: `Rule ${rule} of version ${version}`,
    action: 'flag',
    phrases: words.slice(rule * 100, rule * 100 + 100),
  })),
});

const loads: Load[] = [
  {
    name: 'a check of a text to a group',
    atOnce: 6,
    ask: (stage, signal) => ofApp(stage, '/broadcasts/check', { groupId: stage.groupId, text: longText }, signal),
  },
  {
    name: 'a preview of a text to a group',
    atOnce: 6,
    ask: (stage, signal) =>
      ofApp(stage, '/broadcasts/preview', { groupId: stage.groupId, text: longText, from: 9_900 }, signal),
  },
  { name: 'a text to a group', atOnce: 1, ask: textGroup },
  {
    name: 'a check of a text to 1,000 numbers',
    atOnce: 12,
    ask: (stage, signal) =>
      ofPartner(
        stage,
        '/text/messaging/messages/check',
        { text: longText.slice(0, 1_500), phoneNumbers: stage.phones.slice(0, 1_000) },
        signal,
      ),
  },
  {
    name: 'a text to 1,000 numbers',
    atOnce: 2,
    ask: (stage, signal) =>
      ofPartner(
        stage,
        '/text/messaging/messages',
        {
          text: longText.slice(0, 1_500),
          phoneNumbers: stage.phones.slice(-1_000),
          scheduleDelivery: true,
          deliveryDate: Date.now() + 30 * 86_400_000,
        },
        signal,
      ),
  },
  { name: 'an export of contacts', atOnce: 6, ask: (stage, signal) => ofApp(stage, '/contacts/export', {}, signal) },
  {
    name: 'a search of the archive: lexicon versions',
    atOnce: 4,
    ask: (stage, signal) => ofConsole(stage, '/archive/search', { kind: 'other' }, signal),
  },
  {
    name: 'a search of the archive: long replies',
    atOnce: 4,
    ask: (stage, signal) => ofConsole(stage, '/archive/search', { kind: 'received', words: 'novel' }, signal),
  },
  { name: 'an entry of the archive among long replies', atOnce: 4, ask: openEntry },
  {
    name: 'the queue of reviews',
    atOnce: 4,
    ask: (stage, signal) => ofConsole(stage, '/reviews?status=open', undefined, signal),
  },
  {
    name: 'a dry run of a lexicon',
    atOnce: 4,
    ask: (stage, signal) => ofConsole(stage, '/lexicon/dry-run', fullLexicon(0), signal),
  },
  {
    name: 'a trial of a lexicon',
    atOnce: 4,
    ask: (stage, signal) =>
      ofConsole(stage, '/lexicon/trial', { ...fullLexicon(0), text: longText.repeat(7).slice(0, 10_000) }, signal),
  },
  { name: 'unsigned calls of a carrier', atOnce: 12, ask: callUnsigned },
  { name: 'a file of contacts', atOnce: 2, ask: uploadFile },
];

/**
 * What keeps a server's thread busy must not keep people's STOPs waiting: the largest input of every route that does much, how
 * long the thread is kept at once, how much memory it takes, and how long a STOP takes while others ask for it all the time.
 */
export async function tryTurns(
  say: (line: string) => void,
  { nodes, only }: { nodes: number; only?: string | undefined },
): Promise<string[]> {
  await globalSetup();
  const stage = await openStage(nodes, say);
  const wrong: string[] = [];
  try {
    for (const load of loads.filter(({ name }) => !only || new RegExp(only).test(name)))
      wrong.push(...(await measure(stage, load, say)));
  } finally {
    for (const { program } of stage.nodes) await program.stop('SIGKILL');
    await stage.deployment.remove();
    await globalTeardown();
  }
  return wrong;
}

async function measure(stage: Stage, load: Load, say: (line: string) => void): Promise<string[]> {
  let longestMs = Number.POSITIVE_INFINITY;
  let took = 0;
  for (let attempt = 0; attempt < tries; attempt++) {
    await pause(300);
    await probe(stage);
    const began = performance.now();
    await load.ask(stage);
    took = performance.now() - began;
    await pause(50);
    longestMs = Math.min(longestMs, (await probe(stage)).longestMs);
  }
  const { mostBytes: before } = await probe(stage);
  const flood = new AbortController();
  let asked = 0;
  const asking = Array.from({ length: load.atOnce }, async () => {
    while (!flood.signal.aborted) {
      await load.ask(stage, flood.signal).catch(() => pause(20));
      asked += 1;
    }
  });
  const delays: number[] = [];
  await pause(stopEveryMs);
  for (let count = 0; count < stopsEach; count++) {
    delays.push(await sayStop(stage));
    await pause(stopEveryMs);
  }
  flood.abort();
  await Promise.all(asking);
  const closed = performance.now();
  const { mostBytes } = await probe(stage);
  const idleMs = await untilIdle(stage, closed);
  const stopMs = Math.max(...delays);
  const grown = mostBytes - before;
  say(
    `${load.name}: ${longestMs.toFixed(0)} ms at once of ${took.toFixed(0)} ms; ${load.atOnce} at once (${asked} asked): a STOP takes ${stopMs.toFixed(0)} ms, ${Math.round(grown / 1024 / 1024)} MB more, idle ${idleMs.toFixed(0)} ms after they left`,
  );
  return [
    ...(longestMs > turnMsMax ? [`${load.name}: a turn takes ${longestMs.toFixed(0)} ms`] : []),
    ...(stopMs > stopMsMax ? [`${load.name}: a STOP takes ${stopMs.toFixed(0)} ms`] : []),
    ...(grown > grownBytesMax ? [`${load.name}: memory grows by ${Math.round(grown / 1024 / 1024)} MB`] : []),
  ];
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

/** How long after everybody closed their connection nothing long is done for them any more. */
async function untilIdle(stage: Stage, sinceMs: number): Promise<number> {
  for (;;) {
    await pause(100);
    if ((await probe(stage)).longestMs < 5) return performance.now() - sinceMs;
    if (performance.now() - sinceMs > 30_000) return performance.now() - sinceMs;
  }
}

let stops = 0;
async function sayStop(stage: Stage): Promise<number> {
  const phone = `+1646555${1_000 + stops++}`;
  const began = performance.now();
  const answer = await stage.nodes[0]?.program.fetch(`/sandbox/handset/${encodeURIComponent(phone)}/replies`, {
    method: 'POST',
    headers: { 'x-api-key': stage.partner['x-api-key'] ?? '', 'content-type': 'application/json' },
    body: JSON.stringify({ to: stage.advisor.textingNumber, text: 'STOP' }),
  });
  await answer?.arrayBuffer();
  if (answer?.status !== 202) throw new Error(`A STOP was answered ${answer?.status}.`);
  return performance.now() - began;
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
  if (answer.status >= 400) await pause(20);
  return body;
}

const posted = (headers: Record<string, string>, body: unknown, signal?: AbortSignal): RequestInit => ({
  ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  headers: { 'content-type': 'application/json', ...headers },
  ...(signal && { signal }),
});
const ofApp = (stage: Stage, path: string, body: unknown, signal?: AbortSignal) =>
  ask(stage, `/app/api${path}`, posted(stage.app.headers, body, signal));
const ofConsole = (stage: Stage, path: string, body: unknown, signal?: AbortSignal) =>
  ask(stage, `/console/api${path}`, posted(stage.console.headers, body, signal));
const ofPartner = (stage: Stage, path: string, body: unknown, signal?: AbortSignal) =>
  ask(stage, `/v1${path}`, posted(stage.partner, body, signal));

async function textGroup(stage: Stage, signal?: AbortSignal): Promise<void> {
  const text = longText.slice(0, 1_000);
  const { version } = JSON.parse(
    String(await ofApp(stage, '/broadcasts/check', { groupId: stage.groupId, text }, signal)),
  );
  const { broadcastId } = JSON.parse(
    String(await ofApp(stage, '/broadcasts', { groupId: stage.groupId, text, version }, signal)),
  );
  await ofApp(stage, `/broadcasts/${broadcastId}/stop`, {}, signal);
}

let entryNumber = 0;
async function openEntry(stage: Stage, signal?: AbortSignal): Promise<void> {
  if (!entryNumber) {
    const { data } = JSON.parse(
      String(await ofConsole(stage, '/archive/search', { kind: 'received', words: 'novel' }, signal)),
    );
    entryNumber = data.at(-1).number;
  }
  await ofConsole(stage, `/archive/${stage.advisor.id}/${entryNumber}`, undefined, signal);
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
  const headers = { ...stage.app.headers, 'content-type': 'text/csv' };
  return ask(stage, '/app/api/imports', { method: 'POST', body: file, headers, ...(signal && { signal }) });
}

async function openStage(count: number, say: (line: string) => void): Promise<Stage> {
  const deployment = await makeDeployment();
  const nodes: Node[] = [];
  const probe = new URL('turns-probe.ts', import.meta.url).href;
  for (let index = 0; index < count; index++) {
    const probePort = await freePort();
    const env = { ...deployment.env, NODE_OPTIONS: `--import ${probe}`, TURNS_PORT: String(probePort) };
    nodes.push({ program: await startServer(env), probePort });
  }
  const { database, folder } = deployment;
  await database.asOwner('update api_keys set rate_per_second = null, burst = null');
  const sandbox = folder.sandbox();
  const advisor = sandbox.advisors.find(({ email }) => email === 'casey@sandbox.example') as SandboxAdvisor;
  const deps = depsOn(database.pool);
  say('filling a book and an archive');
  const contacts = startImport(deps, advisor.id, { dryRun: false });
  const indexes = Array.from({ length: people }, (_, index) => index);
  for (let from = 0; from < people; from += 2_500)
    await contacts.save(indexes.slice(from, from + 2_500).map(seededContact));
  const phones = indexes.map(seededPhone);
  for (let from = 0; from < people; from += 500)
    await setInitialConsent(deps, advisor.id, phones.slice(from, from + 500), 'accepted');
  const groupId = await addGroup(deployment, deps, advisor.id);
  const [firm] = await database.asOwner<{ firmId: number }>(
    'select firm_id as "firmId" from advisors where advisor_id = $1',
    [advisor.id],
  );
  const firmId = Number(firm?.firmId);
  for (let version = 0; version < lexiconVersions; version++)
    await setLexicon(deps, firmId, JSON.stringify(fullLexicon(version)));
  const long = `novel 4111 1111 1111 1112 ${'1234 5678 9012 34 '.repeat(3_000)}`.slice(0, replyLength);
  for (let index = 0; index < longReplies; index++)
    await receiveReply(deps, sandboxSource, {
      carrierMessageId: randomUUID(),
      from: phones[1_999] ?? '',
      to: advisor.textingNumber ?? '',
      text: long,
      sentAt: new Date(),
    });
  await indexArchive(deps);
  const stage = { deployment, nodes, deps, advisor, groupId, phones };
  const origin = `http://127.0.0.1:${nodes[0]?.program.port}`;
  const { stdout } = { stdout: await command(deployment.env, ['token', '--advisor', advisor.email]) };
  const standIn = await startStandIn();
  await command(
    deployment.env,
    ['carriers', 'add', 'http', '--kind', 'twilio', '--settings', '-'],
    JSON.stringify(twilioSettings(standIn)),
  );
  await standIn.stop();
  const app = await signIn(origin, '/sign-in', { advisorId: String(advisor.id) }, '/app/api/session');
  const [officer] = await database.asOwner<{ staffId: number }>(
    `select staff_id as "staffId" from staff where firm_id = $1 and role = 'compliance_officer' limit 1`,
    [firmId],
  );
  const ofConsole = await signIn(
    origin,
    '/console/sign-in',
    { staffId: String(officer?.staffId), next: '/console' },
    '/console/api/session',
  );
  say('ready');
  return {
    ...stage,
    app,
    console: ofConsole,
    partner: { authorization: `Bearer ${stdout.trim()}`, 'x-api-key': sandbox.apiKey },
  };
}

async function addGroup({ database }: Deployment, deps: Deps, advisorId: number): Promise<number> {
  const groupId = await createGroup(deps, advisorId, { name: 'Everybody' }, 0);
  await database.asOwner(
    `insert into memberships (advisor_id, group_id, contact_id)
     select advisor_id, $2, contact_id
     from contacts
     where advisor_id = $1
     order by contact_id desc
     limit $3`,
    [advisorId, groupId, people],
  );
  return groupId;
}

async function signIn(origin: string, path: string, fields: Record<string, string>, session: string): Promise<Browser> {
  const visitor = new Visitor(origin, { headers: { origin } });
  await visitor.get(path);
  await visitor.post(`${path}/sandbox`, fields);
  const { formToken } = (await visitor.get(session)).body;
  return { headers: { cookie: visitor.cookies.sentTo(session), 'x-form-token': formToken, origin } };
}
