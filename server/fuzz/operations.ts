import type { Document } from '../src/http/openapi/partner.ts';

/** A JSON schema from the document, with its references resolved. */
export type Schema = {
  type?: string | string[];
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  format?: string;
  'x-format'?: string;
  'x-trim'?: boolean;
  /** Fields that are ignored if another one is true. */
  'x-ignored-when'?: Record<string, string>;
  'x-ignored-if-false'?: Record<string, string>;
  'x-empty-is-unset'?: Record<string, string>;
  'x-null-is-unset'?: boolean;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
};

export type Parameter = { name: string; in: 'path' | 'query' | 'header'; required?: boolean; schema: Schema };

/** One operation of the OpenAPI document: its input and its possible answers. */
export type Operation = {
  id: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `/core/contact/contacts/{contactId}` */
  path: string;
  parameters: Parameter[];
  body: Schema | undefined;
  /** By status, with the schema of the body, if it has one. */
  answers: Map<number, Schema | undefined>;
};

type Content = Record<string, { schema: Schema }>;
type DocumentedOperation = {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
};

export function operationsOf(document: Document): Operation[] {
  const paths = followed(document, document.paths) as Record<string, Record<string, DocumentedOperation>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase() as Operation['method'],
      path,
      parameters: operation.parameters ?? [],
      body: operation.requestBody?.content['application/json']?.schema,
      answers: new Map(
        Object.entries(operation.responses).map(([status, { content = {} }]) => [
          Number(status),
          Object.values(content)[0]?.schema,
        ]),
      ),
    })),
  );
}

function followed(document: object, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => followed(document, each));
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value) return followed(document, target(document, String(value.$ref)));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, followed(document, each)]));
}

function target(document: object, reference: string): unknown {
  const steps = reference.replace(/^#\//, '').split('/');
  return steps.reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], document);
}
