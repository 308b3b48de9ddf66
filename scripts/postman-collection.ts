// The API as a collection for Postman, which Bruno, Insomnia and Hoppscotch import too: a folder for each tag, a request for each operation.
// openapi-to-postmanv2 would do it with 18 packages of its own, two of them other versions of what we have.

type Parameter = {
  $ref?: string;
  name: string;
  in: string;
  description?: string;
  required?: boolean;
  example?: unknown;
  schema: { default?: unknown };
};
type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters?: Parameter[];
  requestBody?: { content: { 'application/json': { example: unknown } } };
};
type Document = {
  info: { title: string; description?: string };
  servers: { url: string }[];
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
};

const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

export function postmanCollection(openapi: string): string {
  const { info, servers, tags, paths } = JSON.parse(openapi) as Document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const item = tags.map(({ name, description }) => ({
    name,
    description,
    item: operations
      .filter(({ operation }) => operation.tags.includes(name))
      .map(({ path, method, operation }) => request(path, method, operation)),
  }));
  const collection = {
    info: { name: info.title, description: info.description, schema },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: servers[0]?.url },
      { key: 'apiKey', value: '' },
      { key: 'token', value: '' },
    ],
    item,
  };
  return `${JSON.stringify(collection, null, 2)}\n`;
}

function request(path: string, method: string, { summary, description, parameters = [], requestBody }: Operation) {
  const segments = path
    .slice(1)
    .replaceAll(/\{(\w+)\}/g, ':$1')
    .split('/');
  const of = (place: string) => parameters.filter((each) => each.in === place);
  const queries = of('query');
  // One filter to begin with; the others are there to be switched on.
  const first = queries.find(({ name, example }) => example !== undefined && name !== 'cursor');
  const query = queries.map((each) => ({ ...described(each), disabled: !each.required && each !== first }));
  const shown = query
    .filter(({ disabled }) => !disabled)
    .map(({ key, value }) => `${key}=${encodeURIComponent(value)}`);
  const url = {
    raw: `{{baseUrl}}/${segments.join('/')}${shown.length > 0 ? `?${shown.join('&')}` : ''}`,
    host: ['{{baseUrl}}'],
    path: segments,
    query: query.map((each) => ({ ...each, value: encodeURIComponent(each.value) })),
    variable: of('path').map(described),
  };
  const json = requestBody?.content['application/json'].example;
  return {
    name: summary,
    request: {
      method: method.toUpperCase(),
      description,
      header: [
        { key: 'x-api-key', value: '{{apiKey}}' },
        ...(json === undefined ? [] : [{ key: 'content-type', value: 'application/json' }]),
      ],
      url,
      ...(json !== undefined && { body: { mode: 'raw', raw: JSON.stringify(json, null, 2) } }),
    },
  };
}

function described({ name, description, example, schema }: Parameter) {
  return { key: name, value: String(example ?? schema.default ?? ''), description };
}
