import type { FastifyRequest } from 'fastify';
import type { Credentials } from '../../domain/access/callers.ts';
import { problem } from '../../domain/problems.ts';
import { isRepeated } from './headers.ts';

/** The request's two credentials. */
export function credentialsOf(request: FastifyRequest): Credentials {
  if (isRepeated(request.raw, 'authorization'))
    throw problem('unauthorized', 'The Authorization header was sent twice: send one access token.', {
      isInvalidToken: true,
    });
  const { authorization = '' } = request.headers;
  const [, accessToken] = /^Bearer +([^\s]+) *$/i.exec(authorization) ?? [];
  if (accessToken) return { accessToken, apiKey: apiKeyOf(request) };
  const what = authorization === '' ? 'The access token is missing' : 'The Authorization header has no access token';
  throw problem('unauthorized', `${what}: send Authorization: Bearer <token>.`, {
    isInvalidToken: /^Bearer +\S/i.test(authorization),
  });
}

export function apiKeyOf(request: FastifyRequest): string {
  const apiKey = request.headers['x-api-key'];
  if (typeof apiKey !== 'string' || apiKey === '')
    throw problem('unauthorized', 'The API key is missing: send x-api-key: <key>.');
  // Node joins two headers with a comma, which no key contains.
  if (apiKey.includes(',') && isRepeated(request.raw, 'x-api-key'))
    throw problem('unauthorized', 'The x-api-key header was sent twice: send one API key.');
  return apiKey;
}
