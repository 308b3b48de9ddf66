import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { App } from '../../src/app.ts';
import { inject } from './world.ts';

export type Schema = Record<string, unknown> & {
  $ref?: string;
  properties?: Record<string, Schema>;
  examples?: unknown[];
};
export type Content = Record<
  string,
  { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }
>;
export type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
  description: string;
  example?: unknown;
};
export type Response = { description: string; headers: Record<string, unknown>; content?: Content };
export type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, Response>;
};
export type Components = Record<string, Record<string, Record<string, unknown>>>;
export type Document = {
  openapi: string;
  info: { title: string; version: string; contact: object; license: object };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components: Components;
};

/** The document as anyone can fetch it. */
export async function fetchDocument(app: App): Promise<Document> {
  const { status, headers, body } = await inject(app, { method: 'GET', url: '/openapi.json' });
  assert.equal(status, 200);
  assert.match(headers['content-type'] ?? '', /^application\/json\b/);
  return body;
}

/** The part that a reference points to, or the part itself. */
export function resolved<Part extends object>(document: Document, part: Part): Part {
  if (!('$ref' in part)) return part;
  const [, place = '', name = ''] = /^#\/components\/(\w+)\/(\w+)$/.exec(String(part.$ref)) ?? [];
  const found = document.components[place]?.[name];
  assert.ok(found, `${part.$ref} leads nowhere`);
  return found as Part;
}

/** Each operation, with its parameters and responses resolved. */
export function operationsOf(document: Document): (Operation & { method: string; path: string })[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      parameters: (operation.parameters ?? []).map((each) => resolved(document, each)),
      responses: Object.fromEntries(
        Object.entries(operation.responses).map(([status, each]) => [status, resolved(document, each)]),
      ),
    })),
  );
}

/** Compiles schemas of the document, as strictly as Ajv can: only keywords that begin with `x-` are added. */
export function strictAjv(document: Document): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  formats.default(ajv);
  const own = JSON.stringify(document).matchAll(/"(x-[a-z-]+)":/g);
  for (const keyword of new Set([...own].map(([, name = '']) => name))) ajv.addKeyword(keyword);
  for (const [name, schema] of Object.entries(document.components.schemas ?? {}))
    ajv.addSchema(schema, `#/components/schemas/${name}`);
  return ajv;
}

/** Every schema of the document, with its place in it. */
export function schemasOf(document: Document): [place: string, schema: Schema][] {
  const named = Object.entries(document.components.schemas ?? {});
  return [...named.map(([name, schema]): [string, Schema] => [`schemas/${name}`, schema]), ...inside(document, '')];
}

function inside(value: unknown, place: string): [string, Schema][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]): [string, Schema][] => {
    if (key === 'schemas' || key === 'example' || key === 'examples') return [];
    return key === 'schema' ? [[place, each]] : inside(each, `${place}/${key}`);
  });
}

/** Checks values against the document's schemas. A field that the document doesn't have is an error. */
export function exactly(document: Document): (schema: Schema, value: unknown) => void {
  const ajv = strictAjv(closed(document));
  return (schema, value) => {
    const validate = ajv.compile(closed(schema));
    assert.ok(validate(value), `${JSON.stringify(value)}: ${ajv.errorsText(validate.errors)}`);
  };
}

function closed<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(closed) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, closed(each)]));
  return (copy.type === 'object' && copy.properties ? { ...copy, additionalProperties: false } : copy) as Value;
}
