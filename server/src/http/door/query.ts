import type { TSchema } from 'typebox';
import { invalid } from '../../domain/problems.ts';

/**
 * The query as strings. A repeated name becomes an array, which none of our schemas accepts. A raw plus means a space: in
 * free text that is intended, since forms write spaces that way; anywhere else someone forgot to encode a plus.
 */
export function parseQuery(url: string, schema: TSchema | undefined): Record<string, unknown> {
  const properties = propertiesOf(schema);
  const query: Record<string, string | string[]> = Object.create(null);
  const [, text = ''] = /\?(.*)$/s.exec(url) ?? [];
  for (const pair of text.split('&').filter(Boolean)) {
    const [, name = '', value = ''] = (/^([^=]*)=?(.*)$/s.exec(pair) ?? []).map(decode);
    if (`${name}${value}`.includes('\0')) throw broken(name, 'wellFormed', 'must be well-formed Unicode without NUL');
    if (pair.includes('+') && properties[name]?.freeText === false)
      throw broken(name, 'plus', 'has a raw +, which means a space: in a query, write + as %2B');
    query[name] = query[name] === undefined ? value : [];
  }
  return query;
}

/** Path and query are text. Where the schema wants an integer, plain decimal digits become one, and nothing else does. */
export function withIntegers(schema: TSchema, given: Record<string, unknown>): Record<string, unknown> {
  const properties = propertiesOf(schema);
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const isInteger = properties[name]?.type === 'integer';
      return [name, isInteger && typeof value === 'string' && /^(0|-?[1-9]\d*)$/.test(value) ? Number(value) : value];
    }),
  );
}

type Property = { type?: string; freeText: boolean };

function propertiesOf(schema: TSchema | undefined): Record<string, Property> {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, { type?: string; freeText?: boolean }> };
  const entries = Object.entries(properties).map(([name, each]) => [name, { freeText: false, ...each }]);
  return Object.assign(Object.create(null), Object.fromEntries(entries));
}

function broken(name: string, rule: string, what: string) {
  return invalid([{ path: `/${name}`, rule, message: `${name} ${what}.` }]);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalid([{ path: '', rule: 'percentEncoding', message: 'The query is not valid percent-encoded UTF-8.' }]);
  }
}
