import type { FastifyInstance } from 'fastify';
import { type DocumentedRoute, type DocumentParts, operationOf, templateOf } from './operations.ts';
import type { Shapes } from './shapes.ts';

export type Document = {
  openapi: string;
  info: object;
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, object>>;
  webhooks?: Record<string, Record<string, object>>;
  components: Record<string, Record<string, object>>;
};

type Contents<Row> = {
  title: string;
  description: string;
  publicUrl: string;
  basePath: string;
  tags: Document['tags'];
  rows: Row[];
  partsOf(row: Row): DocumentParts;
  /** All that operations may refer to. The document has those that they do refer to. */
  components: Document['components'];
  shapes: Shapes;
  webhooks?: Document['webhooks'];
};

/** An OpenAPI document from a table of endpoints. */
export function makeDocument<Row extends DocumentedRoute>(contents: Contents<Row>): Document {
  const { title, description, publicUrl, basePath, tags, rows, partsOf, components, shapes, webhooks } = contents;
  const byPath = Map.groupBy(rows, templateOf);
  const paths = Object.fromEntries(
    [...byPath].map(([path, some]) => [
      path,
      Object.fromEntries(some.map((row) => [row.method.toLowerCase(), operationOf(row, partsOf(row), shapes)])),
    ]),
  );
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: '1.0.0',
      description,
      contact: { name: 'Assent', url: publicUrl },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: `${publicUrl}${basePath}` }],
    tags,
    paths,
    ...(webhooks ? { webhooks } : {}),
    components: used({ ...components, schemas: shapes.named() }, { paths, webhooks }),
  };
}

/** Only the components that something refers to. */
function used(components: Document['components'], by: object): Document['components'] {
  const { securitySchemes = {}, ...others } = components;
  const wanted = new Set<string>();
  const follow = (value: unknown): void => {
    for (const [, place = '', name = ''] of JSON.stringify(value).matchAll(/"#\/components\/(\w+)\/(\w+)"/g)) {
      if (wanted.has(`${place}/${name}`)) continue;
      wanted.add(`${place}/${name}`);
      follow(others[place]?.[name]);
    }
  };
  follow(by);
  const kept = Object.entries(others).map(([place, each]) => [
    place,
    Object.fromEntries(Object.entries(each).filter(([name]) => wanted.has(`${place}/${name}`))),
  ]);
  return { securitySchemes, ...Object.fromEntries(kept) };
}

/** Anyone may read it. It is built for its first reader, so that a start doesn't wait for it. */
export function serveDocument(app: FastifyInstance, path: string, build: () => Document): void {
  let text: string | undefined;
  app.get(path, (_request, reply) => {
    text ??= JSON.stringify(build());
    return reply.type('application/json; charset=utf-8').send(text);
  });
}
