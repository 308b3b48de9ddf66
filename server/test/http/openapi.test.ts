import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { allScopes, scopes, textScopes } from '../../src/domain/access/scopes.ts';
import { type ProblemCode, problemCodes, problems } from '../../src/domain/problems.ts';
import type { Route } from '../../src/http/door/route.ts';
import { collectShapes } from '../../src/http/openapi/shapes.ts';
import { routes } from '../../src/http/partner/routes.ts';
import { anotherNode } from '../support/nodes.ts';
import {
  type Document,
  exactly,
  fetchDocument,
  type Operation,
  operationsOf,
  resolved,
  type Schema,
} from '../support/openapi.ts';
import { type Answer, makeWorld, type World } from '../support/world.ts';

const contacts = '/core/contact/contacts';
/** Statuses that every route can answer. */
const everywhere = [400, 401, 403, 429, 500, 502, 504];

suite('openapi.json', () => {
  let world: World;
  let document: Document;
  let operations: ReturnType<typeof operationsOf>;
  before(async () => {
    world = await makeWorld();
    document = await fetchDocument(world.app);
    operations = operationsOf(document);
  });
  after(() => world.close());

  const operationOf = ({ method, path }: Pick<Route, 'method' | 'path'>): Operation => {
    const template = path.replace(/:(\w+)/g, '{$1}');
    const operation = operations.find((each) => each.path === template && each.method === method);
    assert.ok(operation, `${method} ${path} is not documented`);
    return operation;
  };

  test('is OpenAPI 3.1, version 1.0.0, public, and has the API’s URL, a contact and a license', () => {
    assert.match(document.openapi, /^3\.1\./);
    assert.equal(document.info.version, '1.0.0');
    assert.ok(document.info.contact && document.info.license);
    assert.deepEqual(document.servers, [{ url: `${world.config.publicUrl}/v1` }]);
  });

  test('is small: what operations share is in components, and nothing else is', () => {
    assert.ok(JSON.stringify(document).length / routes.length < 5_000);
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference);
    assert.ok(references.length > 100);
    for (const $ref of references) resolved(document, { $ref });
    const { securitySchemes, ...components } = document.components;
    assert.deepEqual(Object.keys(securitySchemes ?? {}), ['oauth2', 'apiKey']);
    for (const [place, named] of Object.entries(components))
      for (const name of Object.keys(named)) assert.ok(references.includes(`#/components/${place}/${name}`), name);
  });

  test('has every route in the table and no other', () => {
    const documented = operations.map(({ method, path }) => `${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`);
    assert.deepEqual(documented.sort(), routes.map(({ method, path }) => `${method} ${path}`).sort());
  });

  test('each operation has a unique name for generated clients, and a tag that the document declares', () => {
    const ids = operations.map(({ operationId }) => operationId);
    assert.equal(new Set(ids).size, routes.length);
    for (const id of ids) assert.match(id, /^[a-z][A-Za-z]+$/);
    const tags = document.tags.map(({ name }) => name);
    for (const { tags: own } of operations) assert.ok(own.length === 1 && tags.includes(own[0] ?? ''), own.join());
  });

  test('both OAuth flows have this deployment’s URLs and the scopes that they can carry', () => {
    const { publicUrl } = world.config;
    const [tokenUrl, authorizationUrl] = [`${publicUrl}/oauth/token`, `${publicUrl}/oauth/authorize`];
    const described = (names: typeof allScopes) => Object.fromEntries(names.map((name) => [name, scopes[name]]));
    const { description, ...oauth2 } = document.components.securitySchemes?.oauth2 ?? {};
    assert.deepEqual(oauth2, {
      type: 'oauth2',
      flows: {
        authorizationCode: { authorizationUrl, tokenUrl, refreshUrl: tokenUrl, scopes: described(allScopes) },
        clientCredentials: { tokenUrl, scopes: described(textScopes) },
      },
    });
  });

  test('in production there is no x-sandbox-fault', async (t) => {
    const publicUrl = 'https://api.assent.test';
    const app = await anotherNode(world, { config: { ...world.config, environment: 'production', publicUrl } });
    t.after(() => app.close());
    const there = await fetchDocument(app);
    assert.deepEqual(there.servers, [{ url: `${publicUrl}/v1` }]);
    assert.ok(!JSON.stringify(there).includes('sandbox-fault'));
  });

  test('a problem’s details are broken rules, or an object of facts', () => {
    const check = exactly(document);
    const problem = { $ref: '#/components/schemas/Problem' };
    const { properties = {} } = resolved<Schema>(document, problem);
    const rule = { path: '/phone', rule: 'pattern', message: 'phone must be …' };
    for (const details of [[], [rule], {}, { scope: 'x' }]) check(properties.details ?? {}, details);
    for (const details of ['x', 1, null, [1], [{ path: '/phone' }], [{ ...rule, more: 1 }]])
      assert.throws(() => check(properties.details ?? {}, details), JSON.stringify(details));
  });

  for (const row of routes)
    suite(`${row.method} ${row.path}`, () => {
      test('needs both credentials and the row’s scope', () => {
        const { security, description, summary } = operationOf(row);
        assert.deepEqual(security, [{ oauth2: row.scope === 'any' ? [] : [row.scope], apiKey: [] }]);
        assert.ok(description.includes(row.scope === 'any' ? 'Any scope' : `\`${row.scope}\``));
        assert.ok(summary.length > 0);
      });

      test('has every parameter and every field', () => {
        const { parameters, requestBody } = operationOf(row);
        const named = (where: string) => parameters.filter((each) => each.in === where).map(({ name }) => name);
        assert.deepEqual(named('path'), fieldsOf(row.params));
        assert.deepEqual(named('query'), fieldsOf(row.query));
        assert.ok(
          parameters.every((each) => Boolean(each.required) === (each.in === 'path')),
          'only path parameters are required',
        );
        assert.ok(parameters.every(({ description }) => description));
        const headers = ['X-API-Version', 'traceparent', 'x-sandbox-fault'];
        assert.deepEqual(named('header'), [...(row.method === 'POST' ? ['Idempotency-Key'] : []), ...headers]);
        const body = requestBody?.content['application/json']?.schema;
        assert.deepEqual(body && fieldsOf(resolved(document, body)), row.body && fieldsOf(row.body));
        assert.equal(requestBody?.required, row.body ? true : undefined);
      });

      test('has the shape of its success', () => {
        const { responses } = operationOf(row);
        const [good] = Object.keys(responses).filter((status) => Number(status) < 400);
        assert.equal(good, row.response ? '200' : '204');
        const schema = responses[good ?? '']?.content?.['application/json']?.schema;
        assert.deepEqual(schema && fieldsOf(resolved(document, schema)), row.response && fieldsOf(row.response));
      });

      test('has every error it can answer, with an example of each code', () => {
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
        for (const status of documented) {
          const { content, description } = responses[status] ?? {};
          const { schema, examples = {} } = content?.['application/problem+json'] ?? {};
          assert.equal(schema?.$ref, '#/components/schemas/Problem');
          const codes = problemCodes.filter((code) => problems[code].status === status);
          assert.deepEqual(Object.keys(examples), codes);
          for (const code of codes) assert.ok(description?.includes(`\`${code}\``));
        }
      });
    });

  test('each field of a request body has an example, and a body made of the examples is accepted', async () => {
    const exampleOf = (name: string) => {
      const { properties = {} } = resolved<Schema>(document, { $ref: `#/components/schemas/${name}` });
      return Object.fromEntries(Object.entries(properties).map(([field, each]) => [field, each.examples?.[0]]));
    };
    for (const [name, path] of [
      ['ContactInput', contacts],
      ['GroupInput', '/core/contact/groups'],
    ] as const) {
      const example = exampleOf(name);
      assert.ok(
        Object.values(example).every((value) => value !== undefined),
        JSON.stringify(example),
      );
      assert.equal((await world.ann.call('POST', path, example)).status, 200);
    }
  });

  test('errors answer as documented, field by field and header by header', async () => {
    const check = exactly(document);
    const checkAnswer = (path: string, method: Route['method'], answer: Answer) => {
      const response = operationOf({ method, path }).responses[answer.status];
      const { schema } = response?.content?.['application/problem+json'] ?? {};
      assert.ok(schema, `${method} ${path} answers ${answer.status}, which is not documented`);
      check(schema, answer.body);
      for (const name of ['x-trace-id', 'retry-after', 'www-authenticate', 'ratelimit', 'ratelimit-policy'])
        if (answer.headers[name] !== undefined)
          assert.ok(
            Object.keys(response?.headers ?? {}).some((each) => each.toLowerCase() === name),
            `${answer.status} ${name}`,
          );
    };
    for (const fault of problemCodes.filter((code: ProblemCode) => everywhere.includes(problems[code].status)))
      checkAnswer(
        contacts,
        'GET',
        await world.ann.call('GET', contacts, undefined, { 'x-sandbox-fault': fault, 'x-api-key': world.apiKey }),
      );
    checkAnswer(contacts, 'POST', await world.ann.call('POST', contacts, { firstName: 1 }));
    checkAnswer(contacts, 'POST', await world.ann.call('POST', contacts, 'x', { 'content-type': 'text/plain' }));
    checkAnswer(`${contacts}/:contactId`, 'GET', await world.ann.call('GET', `${contacts}/999999`));
    const token = await world.token(world.ann.advisor.advisorId, ['openid']);
    const forbidden = await world.ann.call('GET', contacts, undefined, { authorization: `Bearer ${token}` });
    assert.deepEqual(forbidden.body.details, { scope: 'core.contacts.read' });
    checkAnswer(contacts, 'GET', forbidden);
  });

  test('the example of bad input is what the server answers', async () => {
    const path = '/text/messaging/messages';
    const { body } = await world.ann.call('POST', path, { phone: '+15005550006' });
    const { examples } =
      operationOf({ method: 'POST', path }).responses[400]?.content?.['application/problem+json'] ?? {};
    assert.deepEqual(body, { ...(examples?.invalid_request?.value as object), traceId: body.traceId });
  });
});

test('two different schemas can’t have one name', () => {
  const { refer } = collectShapes();
  refer({ title: 'Contact', properties: {} });
  refer({ title: 'Contact', properties: {} });
  assert.throws(() => refer({ title: 'Contact', properties: { name: {} } }), /Two schemas are called Contact/);
});

function fieldsOf(schema: unknown): string[] {
  return Object.keys((schema as Schema | undefined)?.properties ?? {});
}
