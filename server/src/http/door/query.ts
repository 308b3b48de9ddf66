import type { TSchema } from 'typebox';
import { invalid } from '../../domain/problems.ts';
import { nearestOf } from '../../domain/shared/text/distance.ts';

/**
 * Reads a route's query. Every name must be one that the route knows, and may come once: a paging loop whose `page_size` is
 * ignored would never end. A raw plus means a space: in free text that is intended, since forms write spaces that way;
 * anywhere else someone forgot to encode a plus.
 */
export function queryReader(schema: TSchema | undefined): (url: string) => Record<string, unknown> {
  const properties = propertiesOf(schema);
  return (url) => {
    const query: Record<string, unknown> = {};
    const start = url.indexOf('?');
    if (start < 0) return query;
    for (const pair of url.slice(start + 1).split('&')) {
      if (pair === '') continue;
      const equals = pair.indexOf('=');
      const name = decode(equals < 0 ? pair : pair.slice(0, equals));
      const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
      if (name.includes('\0') || value.includes('\0')) throw nul(name);
      const property = properties[name];
      if (pair.includes('+') && property && !property['x-free-text'])
        throw broken(name, 'plus', 'has a raw +, which means a space: in a query, write + as %2B');
      if (!property) throw unknownName(name, Object.keys(properties));
      if (query[name] !== undefined) throw broken(name, 'repeated', 'was given twice: give it once');
      query[name] = read(value, property);
    }
    return query;
  };
}

/** Reads a route's path parameters. */
export function pathReader(schema: TSchema | undefined): (params: Record<string, string>) => Record<string, unknown> {
  const properties = Object.entries(propertiesOf(schema));
  return (params) => {
    const path: Record<string, unknown> = {};
    for (const [name, property] of properties) path[name] = read(params[name] ?? '', property);
    return path;
  };
}

/** Path and query are text. Where the schema wants an integer, plain decimal digits become one, and nothing else does. */
function read(value: string, { type }: Property): unknown {
  return type === 'integer' && /^(0|-?[1-9]\d*)$/.test(value) ? Number(value) : value;
}

type Property = { type?: string; 'x-free-text'?: boolean };

export function propertiesOf(schema: TSchema | undefined): Record<string, Property> {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, Property> };
  return Object.assign(Object.create(null), properties);
}

/** The name may be what has the NUL, and then it isn't shown. */
function nul(name: string) {
  if (!name.includes('\0')) return broken(name, 'wellFormed', 'must not contain NUL (%00)');
  return invalid([{ path: '', rule: 'wellFormed', message: 'The query has a name that contains NUL (%00).' }]);
}

function unknownName(name: string, known: string[]) {
  const what = name === '' ? 'The query has a value without a name.' : `${name} is not known.`;
  const nearest = nearestOf(name, known);
  const guess = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  const names = known.length === 0 ? 'This route has no query parameters' : `This route knows ${known.join(', ')}`;
  const message = `${what}${guess} ${names}.`;
  return invalid([{ path: `/${name}`, rule: 'unknown', message }]);
}

function broken(name: string, rule: string, what: string) {
  return invalid([{ path: `/${name}`, rule, message: `${name} ${what}.` }]);
}

function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalid([
      { path: '', rule: 'percentEncoding', message: 'The query is not valid percent-encoded UTF-8: write % as %25.' },
    ]);
  }
}
