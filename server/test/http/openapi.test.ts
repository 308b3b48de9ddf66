import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { problemCodes, problems } from '../../src/domain/problems.ts';
import type { Route } from '../../src/http/door/route.ts';
import { routes } from '../../src/http/partner/routes.ts';
import { type Answer, inject, makeWorld, type World } from '../support/world.ts';

type Schema = Record<string, unknown> & { properties?: Record<string, Schema>; $ref?: string; examples?: unknown[] };
type Content = Record<string, { schema: Schema; example?: Record<string, unknown> }>;
type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: object[];
  parameters?: { name: string; in: string; required: boolean; schema: Schema; description?: string }[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, { description: string; headers: object; content?: Content }>;
};
type Document = {
  openapi: string;
  info: { version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: object };
};

const contacts = '/core/contact/contacts';
/** Statuses that every route can answer. */
const everywhere = [400, 401, 403, 429, 500, 502, 504];
const formats = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  date: /^\d{4}-\d{2}-\d{2}$/,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
  uri: (text: string) => URL.canParse(text),
};

suite('openapi.json', () => {
  let world: World;
  let document: Document;
  before(async () => {
    world = await makeWorld();
    document = (await inject(world.app, { method: 'GET', url: '/openapi.json' })).body;
  });
  after(() => world.close());

  const operationOf = ({ method, path }: Pick<Route, 'method' | 'path'>): Operation => {
    const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    assert.ok(operation, `${method} ${path} is not documented`);
    return operation;
  };
  /** The schema that a reference points to. */
  const resolved = (schema: Schema): Schema => {
    const [, name] = /^#\/components\/schemas\/(\w+)$/.exec(schema.$ref ?? '') ?? [];
    if (!schema.$ref) return schema;
    assert.ok(name && document.components.schemas[name], `${schema.$ref} leads nowhere`);
    return document.components.schemas[name];
  };

  test('is OpenAPI 3.1, version 1.0.0, public, and has the API’s URL', async () => {
    assert.match(document.openapi, /^3\.1\./);
    assert.equal(document.info.version, '1.0.0');
    assert.deepEqual(document.servers, [{ url: `${world.config.publicUrl}/v1` }]);
    assert.deepEqual(Object.keys(document.components.securitySchemes), ['accessToken', 'apiKey']);
  });

  test('has every route in the table and no other', () => {
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    );
    assert.deepEqual(documented.sort(), routes.map(({ method, path }) => `${method} ${path}`).sort());
  });

  test('each reference resolves', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference);
    assert.ok(references.length > 0);
    for (const $ref of references) resolved({ $ref });
  });

  test('each operation has a unique name for generated clients', () => {
    const ids = routes.map((row) => operationOf(row).operationId);
    assert.equal(new Set(ids).size, routes.length);
    for (const id of ids) assert.match(id, /^[a-z][A-Za-z]+$/);
  });

  for (const row of routes)
    suite(`${row.method} ${row.path}`, () => {
      test('needs both credentials, and its description names the scope', () => {
        const { security, description, summary, tags } = operationOf(row);
        assert.deepEqual(security, [{ accessToken: [], apiKey: [] }]);
        assert.ok(description.includes(row.scope === 'any' ? 'Any scope' : `\`${row.scope}\``));
        assert.ok(summary.length > 0 && tags.length === 1);
      });

      test('has every parameter and every field', () => {
        const { parameters = [], requestBody } = operationOf(row);
        const named = (where: string) => parameters.filter((each) => each.in === where).map(({ name }) => name);
        assert.deepEqual(named('path'), fieldsOf(row.params));
        assert.deepEqual(named('query'), fieldsOf(row.query));
        assert.ok(
          parameters.every((each) => each.in === 'path' || !each.required),
          'only path parameters are required',
        );
        assert.deepEqual(named('header'), row.method === 'POST' ? ['Idempotency-Key'] : []);
        const body = requestBody?.content['application/json']?.schema;
        assert.deepEqual(body && fieldsOf(resolved(body)), row.body && fieldsOf(row.body));
        assert.equal(requestBody?.required, row.body ? true : undefined);
      });

      test('has the shape of its success', () => {
        const { responses } = operationOf(row);
        const [good] = Object.keys(responses).filter((status) => Number(status) < 400);
        assert.equal(good, row.answer ? '200' : '204');
        const schema = responses[good ?? '']?.content?.['application/json']?.schema;
        assert.deepEqual(schema && fieldsOf(resolved(schema)), row.answer && fieldsOf(row.answer));
      });

      test('has every error it can answer, each with an example', () => {
        const { responses } = operationOf(row);
        const expected = new Set([
          ...everywhere,
          ...(row.body ? [413, 415] : []),
          ...row.problems.map((code) => problems[code].status),
        ]);
        const documented = Object.keys(responses)
          .map(Number)
          .filter((status) => status >= 400);
        assert.deepEqual(documented, [...expected].sort());
        const problemSchema = validator('Problem');
        for (const status of documented) {
          const { content, description } = responses[status] ?? {};
          const { schema, example } = content?.['application/problem+json'] ?? {};
          assert.equal(schema?.$ref, '#/components/schemas/Problem');
          problemSchema(example);
          assert.equal(example?.status, status);
          const codes = problemCodes.filter((code) => problems[code].status === status);
          assert.ok(codes.some((code) => description?.includes(`\`${code}\``)));
        }
      });
    });

  test('each field of a request body has an example, and a body made of the examples is accepted', async () => {
    const exampleOf = ({ properties = {} }: Schema) =>
      Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, field.examples?.[0]]));
    for (const name of ['ContactInput', 'GroupInput']) {
      const example = exampleOf(document.components.schemas[name] ?? {});
      assert.ok(
        Object.values(example).every((value) => value !== undefined),
        JSON.stringify(example),
      );
      const path = name === 'ContactInput' ? contacts : '/core/contact/groups';
      assert.equal((await world.ann.call('POST', path, example)).status, 200);
    }
  });

  test('real calls answer as documented, field by field', async () => {
    const check = (method: Route['method'], path: string, answer: Answer) => {
      const content = operationOf({ method, path }).responses[answer.status]?.content ?? {};
      const type = (answer.headers['content-type'] ?? '').split(';', 1)[0] ?? '';
      if (answer.status === 204) return assert.equal(answer.body, '');
      const schema = content[type]?.schema;
      assert.ok(schema, `${method} ${path} answers ${answer.status} ${type}, which is not documented`);
      validator(schema)(answer.body);
    };
    const call = async (method: Route['method'], path: string, url: string, body?: unknown, headers = {}) => {
      const answer = await world.ann.call(method, url, body, headers);
      check(method, path, answer);
      return answer;
    };

    const full = {
      firstName: 'Ann',
      lastName: 'Smith',
      emailAddress: 'ann@example.org',
      nickname: 'Annie',
      birthDate: '1961-07-14',
      phone: '+12125550123',
      clientAnniversary: '2019-03-01',
      gender: 2,
      maritalStatus: 6,
      address1: '1 Main Street',
      address2: 'Apt 4',
      city: 'Springfield',
      state: 'IL',
      postalCode: '62701',
    };
    const { id } = (await call('POST', contacts, contacts, full)).body;
    const bare = (await call('POST', contacts, contacts, { firstName: 'B', lastName: 'C' })).body.id;
    const groups = '/core/contact/groups';
    const group = (await call('POST', groups, groups, { name: 'Retirees', externalGroupId: 'x-1' })).body.id;
    await call('PUT', `${contacts}/:contactId/groups`, `${contacts}/${id}/groups`, { groupIds: [group] });
    await call('PUT', `${contacts}/:contactId`, `${contacts}/${id}`, { nickname: null });
    await call('GET', `${contacts}/:contactId`, `${contacts}/${id}`);
    await call('GET', `${contacts}/:contactId`, `${contacts}/${bare}`);
    await call('GET', contacts, `${contacts}?pageSize=200&sortBy=email&sortDirection=desc`);
    await call('GET', contacts, `${contacts}?page=9`);
    await call('GET', groups, groups);
    await call('GET', '/core/enumerations', '/core/enumerations');
    await call('POST', contacts, contacts, { firstName: 1 });
    await call('POST', contacts, contacts, 'x', { 'content-type': 'text/plain' });
    await call('GET', `${contacts}/:contactId`, `${contacts}/999999`);
    for (const fault of problemCodes.filter((code) => everywhere.includes(problems[code].status)))
      await call('GET', contacts, contacts, undefined, { 'x-sandbox-fault': fault });
    await call('DELETE', `${contacts}/:contactId`, `${contacts}/${id}`);
    await call('DELETE', `${contacts}/:contactId`, `${contacts}/${id}`);
    await call('DELETE', `${groups}/:groupId`, `${groups}/${group}`);
  });

  test('the human-readable reference opens', async () => {
    const page = await inject(world.app, { method: 'GET', url: '/docs/' });
    assert.equal(page.status, 200);
    assert.match(page.headers['content-type'] ?? '', /^text\/html/);
    assert.match(page.headers['content-security-policy'] ?? '', /script-src/);
    const specification = await inject(world.app, { method: 'GET', url: '/docs/json' });
    assert.deepEqual(specification.body.servers, [{ url: '/v1' }]);
  });

  /** Checks a value against one of the document's schemas. An undocumented field is an error. */
  function validator(schema: Schema | string): (value: unknown) => void {
    const ajv = new Ajv2020({ strict: false, allErrors: true, formats });
    ajv.addSchema({ $id: 'document', ...closed(document) });
    const $ref = typeof schema === 'string' ? `document#/components/schemas/${schema}` : `document${schema.$ref}`;
    const validate = ajv.compile({ $ref });
    return (value) => assert.ok(validate(value), `${JSON.stringify(value)}: ${ajv.errorsText(validate.errors)}`);
  }
});

function fieldsOf(schema: unknown): string[] {
  return Object.keys((schema as Schema | undefined)?.properties ?? {});
}

function closed<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(closed) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, closed(each)]));
  return (copy.type === 'object' && copy.properties ? { ...copy, additionalProperties: false } : copy) as Value;
}
