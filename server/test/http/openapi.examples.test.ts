import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { makeSandbox } from '../../src/domain/sandbox/sandbox.ts';
import {
  type Document,
  exactly,
  fetchDocument,
  type Operation,
  operationsOf,
  type Response,
} from '../support/openapi.ts';
import { until } from '../support/waiting.ts';
import { type Answer, inject, makeWorld, type World } from '../support/world.ts';

/** Each example of the document, and what a new sandbox answers to it on behalf of Avery. */
suite('examples', () => {
  let world: World;
  let headers: Record<string, string>;
  let document: Document;
  /** Checks a value against a schema of the document. */
  let keep: ReturnType<typeof exactly>;
  before(async () => {
    world = await makeWorld();
    const [avery] = (await makeSandbox(world.deps, null)).advisors;
    assert.ok(avery);
    headers = { authorization: `Bearer ${await world.token(avery.id)}`, 'x-api-key': world.apiKey };
    document = await fetchDocument(world.app);
    keep = exactly(document);
    const groupId = (await call('POST', '/v1/core/contact/groups', exampleBody('createGroup'))).body.id;
    const [pia] = (await call('GET', '/v1/core/contact/contacts?search=pia')).body.data;
    await call('PUT', `/v1/core/contact/contacts/${pia.contactId}/groups`, { groupIds: [groupId] });
    await make.messageId?.();
    await make.scheduledMessageId?.();
  });
  after(() => world.close());

  const call = (method: string, url: string, body?: object): Promise<Answer> =>
    inject(world.app, { method: method as 'GET', url, headers, ...(body ? { payload: body } : {}) });

  /** Real values for what differs from sandbox to sandbox: each makes a record, and gives its id. */
  const make: Record<string, () => Promise<unknown>> = {
    async contactId() {
      const { id } = (await call('POST', '/v1/core/contact/contacts', exampleBody('createContact'))).body;
      await call('PUT', `/v1/core/contact/contacts/${id}/groups`, { groupIds: await make.groupIds?.() });
      return id;
    },
    async groupId() {
      const body = { ...exampleBody('createGroup'), externalGroupId: randomUUID() };
      return (await call('POST', '/v1/core/contact/groups', body)).body.id;
    },
    groupIds: async () => [await make.groupId?.()],
    async messageId() {
      const [{ messageId }] = (await call('POST', '/v1/text/messaging/messages', exampleBody('sendMessage'))).body
        .successes;
      const status = () => call('GET', `/v1/text/messaging/messages/${messageId}`);
      await until('the text is delivered', async () => (await status()).body.status === 'delivered');
      return messageId;
    },
    async scheduledMessageId() {
      const deliveryDate = world.clock.now().getTime() + 1e10;
      const body = { ...exampleBody('sendMessage'), scheduleDelivery: true, deliveryDate, frequency: 4 };
      return (await call('POST', '/v1/text/messaging/messages', body)).body.successes[0].scheduledMessageId;
    },
    async 'listContactChanges cursor'() {
      const { cursor } = await lastOf('/v1/core/contact/changes');
      await make.contactId?.();
      return cursor;
    },
    async 'listEvents cursor'() {
      const { cursor } = await lastOf('/v1/text/messaging/events');
      await make.messageId?.();
      return cursor;
    },
  };

  /** The end of a feed. */
  async function lastOf(path: string): Promise<{ cursor: string; more: boolean }> {
    let { body } = await call('GET', `${path}?pageSize=200`);
    while (body.more) ({ body } = await call('GET', `${path}?pageSize=200&cursor=${body.cursor}`));
    return body;
  }

  function exampleBody(operationId: string): object {
    const found = operationsOf(document).find((each) => each.operationId === operationId);
    return found?.requestBody?.content['application/json']?.example as object;
  }

  const forEachOperation = (name: string, check: (operation: ReturnType<typeof operationsOf>[number]) => unknown) =>
    test(name, async (t) => {
      for (const operation of operationsOf(document))
        await t.test(operation.operationId, async () => void (await check(operation)));
    });

  forEachOperation('each operation has examples, which keep to their schemas', ({ parameters, ...operation }) => {
    for (const { name, in: place, schema, example } of parameters)
      if (place === 'path' || example !== undefined) keep(schema, example ?? assert.fail(`${name} has no example`));
    const { requestBody, responses } = operation;
    const contents = [requestBody, ...Object.values(responses)].flatMap((each) => Object.values(each?.content ?? {}));
    for (const { schema, example, examples = {} } of contents) {
      const values = example === undefined ? Object.values(examples).map(({ value }) => value) : [example];
      assert.ok(values.length > 0, `there is no example of ${JSON.stringify(schema)}`);
      for (const value of values) keep(schema, value);
    }
  });

  forEachOperation('the sandbox answers the example of a request like the example of the response', async (each) => {
    const { status, body } = await call(each.method, `/v1${await urlOf(each)}`, await bodyOf(each));
    const [documented, response] = successOf(each);
    assert.equal(status, documented, JSON.stringify(body));
    const { schema, example } = response.content?.['application/json'] ?? {};
    if (!schema) return assert.equal(body, '');
    keep(schema, body);
    assert.deepEqual(shapeOf(example), shapeOf(body), JSON.stringify(body));
  });

  async function urlOf({ operationId, path, parameters }: Operation & { path: string }): Promise<string> {
    let url = path;
    const query = new URLSearchParams();
    for (const { name, in: place, example } of parameters) {
      if (place === 'path')
        url = url.replace(`{${name}}`, encodeURIComponent(String((await make[name]?.()) ?? example)));
      if (place === 'query' && example !== undefined)
        query.set(name, String((await make[`${operationId} ${name}`]?.()) ?? example));
    }
    return `${url}?${query}`;
  }

  async function bodyOf({ requestBody }: Operation): Promise<object | undefined> {
    const example = requestBody?.content['application/json']?.example as object | undefined;
    if (!example) return undefined;
    const body: Record<string, unknown> = { ...example };
    for (const name of Object.keys(body)) if (make[name]) body[name] = await make[name]();
    return body;
  }
});

function successOf({ responses }: Operation): [status: number, response: Response] {
  const [status, response] = Object.entries(responses).find(([each]) => Number(each) < 400) ?? [];
  assert.ok(response);
  return [Number(status), response];
}

/** Names and types, without the values. Items of a list that look the same count as one. */
function shapeOf(value: unknown): unknown {
  if (value === null) return 'null';
  if (typeof value !== 'object') return typeof value;
  if (!Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shapeOf(each)]));
  const shapes = value.map(shapeOf);
  return [...new Map(shapes.map((shape) => [JSON.stringify(shape), shape])).values()];
}
