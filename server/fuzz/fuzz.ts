import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { type ContactInput, createContacts } from '../src/domain/address-book/contacts.ts';
import { clearDeletedGroups } from '../src/domain/address-book/groups.ts';
import { numberOf } from '../src/domain/shared/enumerations.ts';
import { partnerDocument } from '../src/http/openapi/partner.ts';
import { routes } from '../src/http/partner/routes.ts';
import { renewed } from '../test/support/renewed.ts';
import type { World } from '../test/support/world.ts';
import { type FuzzRequest, type FuzzResponse, makeClient } from './client.ts';
import { makeJudge } from './judge.ts';
import { judgmentMsMax } from './judgments.ts';
import { type Operation, operationsOf } from './operations.ts';
import { type Credentials, type Draft, drafts } from './requests.ts';
import { type KnownId, validValue } from './values.ts';
import { misplacedContact } from './whole-book.ts';
import { wired } from './wire.ts';

export type FuzzResult = {
  seed: number;
  /** How often each operation gave which answer: `400 invalid_request`. */
  counts: Map<string, Map<string, number>>;
  /** The smallest request found whose answer doesn't match the document, with that answer. */
  failure: string | undefined;
};

type Noun = KnownId['noun'];
type Ids = Record<Noun, number[]>;

/** Enough contacts for pages from both ends of the book; few groups, since a contact in very many is slow to show. */
const bookSize = 1_100;
const idsKept = { contact: { least: 6, most: 3_000 }, group: { least: 6, most: 40 } };
const shownMax = 2_000;
/**
 * The CPU for a request apart from judging texts, at the server and here. A page of 200 contacts with the longest names, a megabyte,
 * takes 9 to 27 ms on an idle machine.
 */
const responseMs = 40;
const bytesPerMs = 20_000;
/** On a machine that others use too, the same work took up to three times as long. What an attacker finds takes far longer. */
const slownessMax = 4;
const measuredMax = 5;
const quietMs = 100;
const quietTurnsMax = 100;

/** Sends requests made from the OpenAPI document, one after another, and checks each answer against it. */
export async function fuzz(world: World, { requests, seed }: { requests: number; seed: number }): Promise<FuzzResult> {
  const operations = operationsOf(partnerDocument(world.config, routes));
  const judge = makeJudge(operations);
  const client = makeClient(await listen(world));
  const credentials = renewed(() => credentialsOf(world));
  const ids: Ids = { contact: await makeBook(world, operations, seed), group: [] };
  const foreignIds = await makeForeignIds(world);
  const counts = new Map<string, Map<string, number>>();

  const resolve = ({ noun, index, foreign }: KnownId): number => {
    const list = foreign ? foreignIds[noun] : ids[noun];
    return list[index % list.length] ?? 0;
  };

  async function tryOut(draft: Draft): Promise<void> {
    await keepIds(world, ids);
    const sent = wired(draft, resolve);
    const headers = { ...sent.headers, ...(await credentials())[draft.credentials] };
    const { received, cpuMs } = await measured(() => client.send({ ...sent, headers })).catch((error: Error) => {
      throw new Error(`There was no answer: ${error.message}\n\n${shownRequest(draft, sent)}`);
    });
    count(counts, draft.operation.id, received);
    const wrong =
      judge(draft, sent, received) ??
      (await tooMuch({ cpuMs, received, draft }, () => client.send({ ...sent, headers })));
    if (wrong) throw new Error(`${wrong}\n\n${shownRequest(draft, sent)}\n\n${shownAnswer(received)}`);
    learn(ids, draft, sent, received);
  }

  async function search(): Promise<string | undefined> {
    const result = await fc.check(fc.asyncProperty(drafts(operations), tryOut), { seed, numRuns: requests });
    if (result.failed) return messageOf(result.errorInstance);
    await clearGroups(world);
    return misplacedContact(world);
  }

  try {
    const failure = await search().catch((error) => `The search itself failed: ${error.stack}`);
    return { seed, counts, failure };
  } finally {
    client.close();
  }
}

/** The CPU of this process, in which the server and the client run, one request after another. */
async function measured<Value>(send: () => Promise<Value>): Promise<{ received: Value; cpuMs: number }> {
  const start = process.cpuUsage();
  const received = await send();
  const { user, system } = process.cpuUsage(start);
  return { received, cpuMs: (user + system) / 1_000 };
}

/** Texts that earlier requests queued are delivered by this process, too. */
async function quiet(): Promise<void> {
  for (let turn = 0; turn < quietTurnsMax; turn++) {
    const { cpuMs } = await measured(() => pause(quietMs));
    if (cpuMs < quietMs / 10) return;
  }
}

/** What is wrong with the CPU that a request took. It is sent again while nothing else goes on, since other work may have counted. */
async function tooMuch(
  { cpuMs: tookMs, received, draft: { body } }: { cpuMs: number; received: FuzzResponse; draft: Draft },
  again: () => Promise<FuzzResponse>,
): Promise<string | undefined> {
  const { phoneNumbers } = ((body.kind === 'json' && body.value) || {}) as { phoneNumbers?: unknown };
  const recipients = Array.isArray(phoneNumbers) ? Math.max(1, phoneNumbers.length) : 1;
  const idleMs = responseMs + Math.round(received.text.length / bytesPerMs) + recipients * judgmentMsMax;
  const maxMs = idleMs * slownessMax;
  let leastMs = tookMs;
  for (let turn = 0; turn < measuredMax && leastMs > maxMs; turn++) {
    await quiet();
    leastMs = Math.min(leastMs, (await measured(again)).cpuMs);
  }
  return leastMs > maxMs ? `It took ${Math.round(leastMs)} ms of CPU, and ${maxMs} are allowed.` : undefined;
}

async function listen({ app }: World): Promise<number> {
  return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
}

async function credentialsOf({ ann, apiKey, token }: World): Promise<Record<Credentials, Record<string, string>>> {
  const bearer = (text: string) => ({ authorization: `Bearer ${text}` });
  const key = { 'x-api-key': apiKey };
  const own = await token(ann.advisor.advisorId);
  return {
    both: { ...bearer(own), ...key },
    'no token': key,
    'bad token': { ...bearer(`${own}x`), ...key },
    'no key': bearer(own),
    'bad key': { ...bearer(own), 'x-api-key': 'nonsense' },
    'no scope': { ...bearer(await token(ann.advisor.advisorId, ['openid'])), ...key },
  };
}

/** Another advisor's ids, which must behave like missing ones. */
async function makeForeignIds(world: World): Promise<Ids> {
  return { contact: [await make(world, 'bob', 'contact')], group: [await make(world, 'bob', 'group')] };
}

async function make(world: World, owner: 'ann' | 'bob', noun: Noun): Promise<number> {
  const input = noun === 'contact' ? { firstName: 'Fay', lastName: 'Fuzz', phone: '+12125550123' } : { name: 'Fuzzed' };
  const { status, body } = await world[owner].call('POST', `/core/contact/${noun}s`, JSON.stringify(input), {
    'content-type': 'application/json',
  });
  if (status !== 200) throw new Error(`A plain ${noun} was refused: ${status} ${JSON.stringify(body)}`);
  return body.id;
}

/** A book of valid contacts with names and emails as odd as allowed. */
async function makeBook({ deps, ann }: World, operations: Operation[], seed: number): Promise<number[]> {
  const input = operations.find(({ id }) => id === 'createContact')?.body;
  if (!input) throw new Error('The document has no createContact.');
  const contacts = fc.sample(validValue(input) as fc.Arbitrary<ContactInput>, { seed, numRuns: bookSize });
  return createContacts(deps, ann.advisor.advisorId, contacts, numberOf('source', 'API'));
}

/** Keeps enough ids for valid ones to occur, and not too many. */
async function keepIds(world: World, ids: Ids): Promise<void> {
  for (const noun of ['contact', 'group'] as const) {
    const { least, most } = idsKept[noun];
    while (ids[noun].length < least) ids[noun].push(await make(world, 'ann', noun));
    while (ids[noun].length > most) await world.ann.call('DELETE', `/core/contact/${noun}s/${ids[noun].shift()}`);
  }
}

/** Learns which ids were created or deleted. */
function learn(ids: Ids, { operation }: Draft, { url }: FuzzRequest, { status, text }: FuzzResponse): void {
  const noun: Noun = /\/groups(\/\d+)?$/.test(url.split('?')[0] ?? '') ? 'group' : 'contact';
  if (operation.method === 'POST' && status === 200) {
    const { id } = JSON.parse(text);
    if (!ids[noun].includes(id)) ids[noun].push(id);
  }
  if (operation.method === 'DELETE' && status === 204) {
    const gone = Number(url.split('?')[0]?.split('/').at(-1));
    ids[noun] = ids[noun].filter((id) => id !== gone);
  }
}

/** As the job does: until then the contacts of a deleted group still count it in their rows. */
async function clearGroups({ deps, database }: World): Promise<void> {
  do await clearDeletedGroups(deps);
  while ((await database.asOwner('select from deleted_groups limit 1')).length > 0);
}

function count(counts: FuzzResult['counts'], operation: string, { status, text }: FuzzResponse): void {
  const [, code] = status >= 400 ? (/"code":"(\w+)"/.exec(text) ?? []) : [];
  const kind = code ? `${status} ${code}` : String(status);
  const ofOperation = counts.getOrInsertComputed(operation, () => new Map());
  ofOperation.set(kind, (ofOperation.get(kind) ?? 0) + 1);
}

/** The request in a form that can be typed again. */
function shownRequest({ operation, credentials }: Draft, { method, url, headers, body, chunked }: FuzzRequest): string {
  return [
    `${operation.id}: ${method} ${short(url)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    `credentials: ${credentials}${chunked ? ', chunked' : ''}`,
    body.length > 0 ? `body: ${short(JSON.stringify(body.toString('utf8')))}` : 'no body',
  ].join('\n');
}

function shownAnswer({ status, headers, text }: FuzzResponse): string {
  return `${status} ${headers['content-type'] ?? ''}\n${short(text)}`;
}

function short(text: string): string {
  return text.length <= shownMax ? text : `${text.slice(0, shownMax)} … (${text.length} characters)`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
