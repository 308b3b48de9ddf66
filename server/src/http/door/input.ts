import type { FastifyRequest } from 'fastify';
import { type BrokenRule, brokenRulesMax, invalid } from '../../domain/problems.ts';
import { type ValidationResult, validator } from '../../schemas/shared/validate.ts';
import { parseBody, type RawBody } from './body.ts';
import { pathReader, propertiesOf, queryReader } from './query.ts';
import type { Input, Route } from './route.ts';

export const idempotencyKeyLengthMax = 255;
const brokenIdempotencyKey = {
  path: '/Idempotency-Key',
  rule: 'length',
  message: `Idempotency-Key must have 1 to ${idempotencyKeyLengthMax} characters.`,
};

/**
 * Validates path, query and body by the row's schemas, and the Idempotency-Key. Reports every broken rule at once. Where it is strict, a
 * field that the body's schema doesn't know is one: without it, the rest may mean more than was asked for.
 */
export function inputValidator(
  row: Pick<Route, 'method' | 'params' | 'query' | 'body'>,
  isStrict = false,
): (request: FastifyRequest, raw: RawBody) => Input {
  const [params, query, body] = [row.params, row.query, row.body].map((schema) => schema && validator(schema));
  const [readPath, readQuery] = [pathReader(row.params), queryReader(row.query)];
  return (request, raw) => {
    const parsed = body && parseBody(raw, request.headers);
    const unknown = isStrict ? unknownIn(parsed, Object.keys(propertiesOf(row.body))) : [];
    const asked = readQuery(request.raw.url ?? '');
    const results = {
      params: params?.(readPath(request.params as Record<string, string>)),
      query: query?.(asked),
      body: body?.(parsed),
    };
    const broken = Object.values(results).flatMap((result) => (result && 'broken' in result ? result.broken : []));
    broken.push(...unknown);
    const key = request.headers['idempotency-key'];
    if (row.method === 'POST' && key !== undefined && !isIdempotencyKey(key)) broken.push(brokenIdempotencyKey);
    if (broken.length > 0) throw invalid(broken);
    return { params: parsedBy(results.params), query: parsedBy(results.query), body: parsedBy(results.body) };
  };
}

export function isIdempotencyKey(key: unknown): key is string {
  return typeof key === 'string' && key !== '' && key.length <= idempotencyKeyLengthMax;
}

function unknownIn(body: unknown, known: string[]): BrokenRule[] {
  const names = typeof body === 'object' && body !== null ? Object.keys(body) : [];
  return names
    .filter((name) => !known.includes(name))
    .slice(0, brokenRulesMax)
    .map((name) => {
      const message = `${name} is not known. This route knows ${known.join(', ')}.`;
      return { path: `/${name}`, rule: 'unknown', message };
    });
}

function parsedBy(result: ValidationResult<unknown> | undefined): unknown {
  return result && 'value' in result ? result.value : undefined;
}
