import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { addAdvisor } from '../../src/domain/accounts/advisors.ts';
import { assertProblem } from '../support/problem.ts';
import type { Answer, Person, World } from '../support/world.ts';

/** Shared by the address book's tests: steps, and tests of what every route promises. */
export const contactsPath = '/core/contact/contacts';
export const groupsPath = '/core/contact/groups';
export const idMax = Number.MAX_SAFE_INTEGER;
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
/** Strings that are always refused: NUL can't be stored, and a lone surrogate isn't a character. */
export const illFormed = ['a\0b', '\0', 'a\ud83d', '\ude00a', '\ude00\ud83d'];

/** Another advisor in the same firm, with the same application and an empty book. */
export async function newcomer(world: World): Promise<Person> {
  const { firmId } = world.ann.advisor;
  const advisor = await addAdvisor(world.deps, { firmId, name: 'newcomer', email: `${randomUUID()}@test.example` });
  const token = await world.token(advisor.advisorId);
  return {
    advisor,
    token,
    call: (method, path, body, headers = {}) =>
      world.ann.call(method, path, body, { authorization: `Bearer ${token}`, ...headers }),
  };
}

export async function addContact(person: Person, fields: object = {}): Promise<number> {
  const answer = await person.call('POST', contactsPath, { firstName: 'Ann', lastName: 'Smith', ...fields });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.id;
}

export async function addGroup(person: Person, name = 'Retirees', externalGroupId?: string): Promise<number> {
  const answer = await person.call('POST', groupsPath, { name, externalGroupId });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.id;
}

export async function putInGroups(person: Person, contactId: number, groupIds: number[]): Promise<void> {
  const answer = await person.call('PUT', `${contactsPath}/${contactId}/groups`, { groupIds });
  assert.deepEqual([answer.status, answer.body], [200, { id: contactId }]);
}

export async function getContact(person: Person, contactId: number): Promise<Answer['body']> {
  const answer = await person.call('GET', `${contactsPath}/${contactId}`);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

type Query = Record<string, string | number | undefined>;

export async function search(person: Person, path: string, query: Query = {}): Promise<Answer['body']> {
  const answer = await person.call('GET', `${path}?${pairs(query)}`);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

/** The ids that a search finds, in order. */
export async function findIds(person: Person, query: Query = {}): Promise<number[]> {
  const { data } = await search(person, contactsPath, query);
  return data.map((each: { contactId: number }) => each.contactId);
}

export async function findGroups(person: Person, query: Query = {}): Promise<Answer['body'][]> {
  return (await search(person, groupsPath, query)).data;
}

/** Everything percent-encoded: a space as %20, a plus sign as %2B. */
export function pairs(query: Query): string {
  return Object.entries(query)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join('&');
}

/** A 400 whose details name this path. */
export function assertInvalid(answer: Answer, path: string): void {
  assertProblem(answer, 'invalid_request');
  const places = answer.body.details.map((each: { path: string }) => each.path);
  assert.ok(places.includes(path), `${path} is not among ${JSON.stringify(answer.body.details)}`);
}

export function assertNotFound(answer: Answer): void {
  assertProblem(answer, 'not_found');
}

type Call = { method: 'GET' | 'POST' | 'PUT' | 'DELETE'; path: string; scope: string; body?: object };

/** Tests credentials and scope, and for a route with a body its type, size and form. */
export function testDoor(world: World, { method, path, scope, body }: Call): void {
  const { ann } = world;

  test('without an access token it is 401', async () => {
    assertProblem(await ann.call(method, path, body, { authorization: '' }), 'unauthorized');
  });

  test('without an API key it is 401 and names x-api-key', async () => {
    const answer = await ann.call(method, path, body, { 'x-api-key': '' });
    assertProblem(answer, 'unauthorized');
    assert.match(answer.body.detail, /x-api-key/);
  });

  test(`without the scope ${scope} it is 403 and names it`, async () => {
    const others = ['core.contacts.read', 'core.contacts.write', 'core.content.read', 'openid'];
    const token = await world.token(
      ann.advisor.advisorId,
      others.filter((each) => each !== scope),
    );
    const answer = await ann.call(method, path, body, { authorization: `Bearer ${token}` });
    assertProblem(answer, 'forbidden');
    assert.ok(answer.body.detail.includes(scope), answer.body.detail);
  });

  if (!body) return;

  test('a body over 256 KiB is 413', async () => {
    const answer = await ann.call(method, path, { ...body, unknown: 'x'.repeat(256 * 1024) });
    assertProblem(answer, 'payload_too_large');
  });

  test('a body with a different type, charset or encoding is 415', async () => {
    const text = JSON.stringify(body);
    const refused: Record<string, string>[] = [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'application/json; charset=utf-16' },
      { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    ];
    for (const headers of refused) assertProblem(await ann.call(method, path, text, headers), 'unsupported_media_type');
  });

  test('a body that is not a JSON object is 400', async () => {
    for (const text of ['', '{', '{"a":}', 'nonsense', 'null', '[]', '"text"', '1', 'true', '[{}]'])
      assertProblem(await callRaw(ann, method, path, text), 'invalid_request');
  });

  test('a body that is not UTF-8 is 400', async () => {
    const bytes = Buffer.concat([Buffer.from('{"firstName":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]);
    assertProblem(await callRaw(ann, method, path, bytes), 'invalid_request');
  });

  test('a body that is nested a thousand levels deep is 400', async () => {
    const deep = `${'['.repeat(1000)}${']'.repeat(1000)}`;
    const answer = await callRaw(ann, method, path, JSON.stringify(body).replace(/}$/, `,"deep":${deep}}`));
    assertProblem(answer, 'invalid_request');
  });
}

/** Sends the body as it is, for what JSON.stringify can't write. */
export function callRaw(person: Person, method: Call['method'], path: string, body: string | Buffer): Promise<Answer> {
  return person.call(method, path, body, { 'content-type': 'application/json' });
}

type PathOf = (id: string | number) => string;

/** Ids are integers from 0 to 2^53−1: anything else is 400, an unknown id is 404. */
export function testIds(world: World, method: Call['method'], pathOf: PathOf, body?: object): void {
  test('an id that is not an integer from 0 to 2^53−1 is 400', async () => {
    const fullWidthOne = encodeURIComponent('１');
    const tooLarge = ['9007199254740992', '9007199254740993', '9223372036854775808', '1'.repeat(400)];
    const notPlain = [
      '-1',
      '-0',
      '1.5',
      '1.0',
      '01',
      '+1',
      '1e3',
      '0x1',
      'abc',
      'null',
      '%20',
      '1%0A',
      '%00',
      fullWidthOne,
    ];
    for (const id of [...tooLarge, ...notPlain])
      assertProblem(await world.ann.call(method, pathOf(id), body), 'invalid_request');
  });

  test('a path that is not well-formed is 400', async () => {
    for (const id of ['%ED%A0%80', '%FF', '%'])
      assertProblem(await world.ann.call(method, pathOf(id), body), 'invalid_request');
  });

  test('an unknown id from 0 to 2^53−1 is 404', async () => {
    for (const id of [0, 999_999, idMax]) assertNotFound(await world.ann.call(method, pathOf(id), body));
  });
}
