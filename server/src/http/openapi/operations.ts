import type { TSchema } from 'typebox';
import { problemCodes } from '../../domain/problems.ts';
import { versionsServed } from '../door/hooks.ts';
import { idempotencyKeyLengthMax } from '../door/input.ts';
import type { PartnerRoute } from '../door/route.ts';
import type { Schema, Shapes } from './shapes.ts';

/** What stands around an operation. */
export type DocumentParts = {
  tag: string;
  security: object[];
  /** Names of header parameters, in components. */
  headers: string[];
  responseHeaders: object;
  problems: Record<number, object>;
};

export function operationOf(row: PartnerRoute, around: DocumentParts, shapes: Shapes): object {
  const parameters = [
    ...parametersOf('path', row.params, shapes),
    ...parametersOf('query', row.query, shapes),
    ...around.headers.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
  return {
    operationId: camelCase(row.summary),
    tags: [around.tag],
    summary: row.summary,
    description: row.description,
    security: around.security,
    ...(parameters.length > 0 && { parameters }),
    ...(row.body && { requestBody: { required: true, content: json(row.body, shapes) } }),
    responses: { ...success(row, around, shapes), ...around.problems },
  };
}

/** `/core/contact/contacts/:contactId` as `/core/contact/contacts/{contactId}`. */
export function templateOf({ path }: PartnerRoute): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function success({ response }: PartnerRoute, { responseHeaders: headers }: DocumentParts, shapes: Shapes) {
  if (!response) return { 204: { description: 'Done.', headers } };
  return { 200: { description: 'Done.', headers, content: json(response, shapes) } };
}

function json(schema: Schema, { refer }: Shapes): object {
  const [example] = schema.examples ?? [];
  return { 'application/json': { schema: refer(schema), ...(example === undefined ? {} : { example }) } };
}

function camelCase(words: string): string {
  return words
    .replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase())
    .replace(/^./, (letter) => letter.toLowerCase());
}

/** Headers that many operations take. */
export const headerParameters = {
  ApiVersion: {
    name: 'X-API-Version',
    in: 'header',
    description: 'The version that you expect. Any other version is 400 `version_mismatch`.',
    schema: { type: 'string', enum: versionsServed },
  },
  Traceparent: {
    name: 'traceparent',
    in: 'header',
    description:
      'Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one.',
    schema: { type: 'string' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes the request safe to retry for 24 hours: a retry gets the first response. A UUID is a good choice.',
    schema: { type: 'string', minLength: 1, maxLength: idempotencyKeyLengthMax },
  },
  SandboxFault: {
    name: 'x-sandbox-fault',
    in: 'header',
    description:
      'For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done.',
    schema: { type: 'string', enum: problemCodes },
  },
};

/** A parameter for each field of the schema. Only those in the path are required. */
function parametersOf(place: 'path' | 'query', schema: TSchema | undefined, { refer }: Shapes): object[] {
  const { properties = {} } = (schema ?? {}) as Schema;
  return Object.entries(properties).map(([name, { description, examples, ...rest }]) => ({
    name,
    in: place,
    ...(place === 'path' ? { required: true } : {}),
    description,
    schema: refer(rest),
    ...(examples ? { example: examples[0] } : {}),
  }));
}
