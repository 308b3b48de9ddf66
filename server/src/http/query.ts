import type { TSchema } from 'typebox';
import { invalid } from '../domain/problems.ts';

/** The query as strings; a name that is repeated becomes an array, which no schema of ours takes. */
export function parseQuery(url: string): Record<string, unknown> {
  const query: Record<string, string | string[]> = Object.create(null);
  const [, text = ''] = /\?(.*)$/s.exec(url) ?? [];
  for (const pair of text.split('&').filter(Boolean)) {
    const [, name = '', value = ''] = (/^([^=]*)=?(.*)$/s.exec(pair) ?? []).map(decode);
    const message = `${name} must be well-formed Unicode without NUL.`;
    if (`${name}${value}`.includes('\0')) throw invalid([{ path: `/${name}`, rule: 'wellFormed', message }]);
    query[name] = query[name] === undefined ? value : [query[name], value].flat();
  }
  return query;
}

/** Path and query are text: where the schema wants an integer, its plain decimal form becomes one, and nothing else does. */
export function withIntegers(schema: TSchema, given: Record<string, unknown>): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const isInteger = Object.hasOwn(properties, name) && properties[name]?.type === 'integer';
      return [name, isInteger && typeof value === 'string' && /^(0|-?[1-9]\d*)$/.test(value) ? Number(value) : value];
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
