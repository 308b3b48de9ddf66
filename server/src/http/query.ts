import type { TSchema } from 'typebox';
import { invalid } from '../domain/problems.ts';

/** The query as strings; a name that is repeated becomes an array, which no schema of ours takes. */
export function parseQuery(url: string): Record<string, unknown> {
  const query: Record<string, unknown> = Object.create(null);
  const start = url.indexOf('?');
  for (const pair of start < 0 ? [] : url.slice(start + 1).split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const [name, value] = [equals < 0 ? pair : pair.slice(0, equals), equals < 0 ? '' : pair.slice(equals + 1)].map(
      decode,
    );
    query[name as string] = (name as string) in query ? [query[name as string], value].flat() : value;
  }
  return query;
}

/** Path and query are text: where the schema wants an integer, its plain decimal form becomes one, and nothing else does. */
export function withIntegers(schema: TSchema, given: Record<string, unknown>): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const isInteger = Object.hasOwn(properties, name) && properties[name]?.type === 'integer';
      return [name, isInteger && typeof value === 'string' && /^-?(0|[1-9]\d*)$/.test(value) ? Number(value) : value];
    }),
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalid([{ path: '', rule: 'percentEncoding', message: 'The query is not valid percent-encoded UTF-8.' }]);
  }
}
