import type { PartnerRoute } from '../door/route.ts';
import { parametersOf } from './parameters.ts';
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
