import type { FastifyRequest } from 'fastify';
import type { Credentials } from '../../domain/access/callers.ts';
import { problem } from '../../domain/problems.ts';
import { isRepeated } from './headers.ts';

/** The request's two credentials. */
export function credentialsOf(request: FastifyRequest): Credentials {
  if (isRepeated(request.raw, 'authorization'))
    throw problem('unauthorized', 'The Authorization header was sent twice: send one access token.');
  const [, accessToken] = /^Bearer +([^\s]+) *$/i.exec(request.headers.authorization ?? '') ?? [];
  if (!accessToken) throw problem('unauthorized', 'The access token is missing: send Authorization: Bearer <token>.');
  return { accessToken, apiKey: apiKeyOf(request) };
}

export function apiKeyOf(request: FastifyRequest): string {
  const apiKey = request.headers['x-api-key'];
  if (typeof apiKey === 'string' && apiKey !== '') return apiKey;
  throw problem('unauthorized', 'The API key is missing: send x-api-key: <key>.');
}
