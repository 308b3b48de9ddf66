import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { assertProblem } from '../support/problem.ts';
import { type Answer, inject, makeWorld, type World } from '../support/world.ts';

const contacts = '/core/contact/contacts';
const ann = { firstName: 'Ann', lastName: 'Smith' };
const tooLarge = ' '.repeat(256 * 1024 + 1);

/** Each test breaks two neighboring rules at once, and the earlier one answers. */
suite('order of checks', () => {
  let world: World;
  /** A key that is over its plan for as long as the test runs. */
  let spentKey: string;
  let tokenWithoutScope: string;
  before(async () => {
    world = await makeWorld();
    spentKey = (await world.newKey({ ratePerSecond: null, burst: null, dailyQuota: 1 })).apiKey;
    tokenWithoutScope = await world.token(world.ann.advisor.advisorId, ['openid']);
    assert.equal((await post(ann, { 'x-api-key': spentKey })).status, 200);
  });
  after(() => world.close());

  const post = (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    world.ann.call('POST', contacts, body, headers);
  const bare = (url: string, headers: Record<string, string> = {}): Promise<Answer> =>
    inject(world.app, { method: 'GET', url, headers });

  test('the version comes before the route', async () => {
    assertProblem(await bare('/v2/nowhere'), 'version_mismatch', /v2.*v1/);
    assertProblem(await bare('/v2'), 'version_mismatch');
    assertProblem(await bare('/v1/nowhere', { 'x-api-version': '2' }), 'version_mismatch', /X-API-Version/);
  });

  test('the version comes before the credentials', async () => {
    assertProblem(await bare(`/v2${contacts}`), 'version_mismatch');
    assertProblem(await bare(`/v1${contacts}`, { 'x-api-version': '1.1' }), 'version_mismatch');
    for (const served of ['1', 'v1', '1.0', '1.0.0'])
      assertProblem(await bare(`/v1${contacts}`, { 'x-api-version': served }), 'unauthorized');
  });

  test('the route comes before the credentials', async () => {
    assertProblem(await bare('/v1/core/contact/nowhere'), 'not_found', /no such route/);
    assertProblem(await inject(world.app, { method: 'PATCH', url: `/v1${contacts}` }), 'not_found', /no PATCH/);
  });

  test('the credentials come before a sandbox fault', async () => {
    assertProblem(await bare(`/v1${contacts}`, { 'x-sandbox-fault': 'conflict' }), 'unauthorized');
    assertProblem(await bare(`/v1${contacts}`, { 'x-sandbox-fault': 'nonsense' }), 'unauthorized');
  });

  test('the credentials come before the usage plan, and a refused request uses none of it', async () => {
    const { apiKey } = await world.newKey({ ratePerSecond: null, burst: null, dailyQuota: 1 });
    for (let i = 0; i < 3; i++)
      assertProblem(await post(ann, { 'x-api-key': apiKey, authorization: 'Bearer x' }), 'unauthorized');
    assert.equal((await post(ann, { 'x-api-key': apiKey })).status, 200);
  });

  test('a sandbox fault comes before the usage plan', async () => {
    assertProblem(await post(ann, { 'x-api-key': spentKey, 'x-sandbox-fault': 'conflict' }), 'conflict');
    assertProblem(await post(ann, { 'x-api-key': spentKey, 'x-sandbox-fault': 'nonsense' }), 'invalid_request');
  });

  test('the usage plan comes before the scope', async () => {
    const headers = { 'x-api-key': spentKey, authorization: `Bearer ${tokenWithoutScope}` };
    assertProblem(await post(ann, headers), 'rate_limited');
  });

  test('the scope comes before an idempotent replay', async () => {
    const headers = { 'idempotency-key': 'before-the-replay' };
    assert.equal((await post(ann, headers)).status, 200);
    assertProblem(await post(ann, { ...headers, authorization: `Bearer ${tokenWithoutScope}` }), 'forbidden');
  });

  test('the usage plan comes before an idempotent replay', async () => {
    const headers = { 'idempotency-key': 'before-the-plan' };
    assert.equal((await post(ann, headers)).status, 200);
    assertProblem(await post(ann, { ...headers, 'x-api-key': spentKey }), 'rate_limited');
  });

  test('an idempotent replay comes before the content type', async () => {
    const headers = { 'idempotency-key': 'whatever-the-type', 'content-type': 'application/json' };
    const first = await post(JSON.stringify(ann), headers);
    assert.equal(first.status, 200);
    for (const type of ['text/plain', 'application/json; charset=utf-16']) {
      const replay = await post(JSON.stringify(ann), { ...headers, 'content-type': type });
      assert.equal(replay.status, 200, `${type}: ${JSON.stringify(replay.body)}`);
      assert.equal(replay.headers['idempotent-replayed'], 'true');
      assert.deepEqual(replay.body, first.body);
      const other = await post('{}', { ...headers, 'content-type': type });
      assert.equal(other.status, 415, 'another body is no replay');
    }
  });

  test('the scope comes before the content type', async () => {
    const headers = { authorization: `Bearer ${tokenWithoutScope}`, 'content-type': 'text/plain' };
    assertProblem(await post('{', headers), 'forbidden');
  });

  test('the content type comes before the size', async () => {
    assertProblem(await post(tooLarge, { 'content-type': 'text/plain' }), 'unsupported_media_type');
    const compressed = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    assertProblem(await post(tooLarge, compressed), 'unsupported_media_type');
  });

  test('the content type comes before errors in path, query, headers and body', async () => {
    const plain = { 'content-type': 'text/plain' };
    assertProblem(await world.ann.call('PUT', `${contacts}/x`, '{', plain), 'unsupported_media_type');
    assertProblem(await post('{', { ...plain, 'idempotency-key': 'k'.repeat(256) }), 'unsupported_media_type');
  });

  test('the size comes before errors in path, headers and body', async () => {
    const json = { 'content-type': 'application/json' };
    assertProblem(await post(`{${tooLarge}`, json), 'payload_too_large');
    assertProblem(await world.ann.call('PUT', `${contacts}/x`, tooLarge, json), 'payload_too_large');
    assertProblem(await post(tooLarge, { ...json, 'idempotency-key': 'k'.repeat(256) }), 'payload_too_large');
  });

  test('errors in the input come before a missing record', async () => {
    assertProblem(await world.ann.call('PUT', `${contacts}/999999`, { firstName: 1 }), 'invalid_request');
    assertProblem(await world.ann.call('PUT', `${contacts}/999999`, '{', json()), 'invalid_request');
    assertProblem(await world.ann.call('PUT', `${contacts}/999999/groups`, {}), 'invalid_request');
    assertProblem(await world.ann.call('PUT', `${contacts}/999999/groups`, { groupIds: [7] }), 'invalid_request');
    assertProblem(await world.ann.call('PUT', `${contacts}/999999`, {}), 'not_found');
  });

  test('all errors in the input are reported at once', async () => {
    const answer = await world.ann.call('PUT', `${contacts}/x`, { firstName: '', gender: 9 });
    assertProblem(answer, 'invalid_request', /and 2 more/);
    assert.deepEqual(
      answer.body.details.map(({ path }: { path: string }) => path),
      ['/contactId', '/firstName', '/gender'],
    );
  });

  function json() {
    return { 'content-type': 'application/json' };
  }
});
