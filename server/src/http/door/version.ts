import type { FastifyRequest } from 'fastify';
import { type Problem, problem } from '../../domain/problems.ts';
import { decoded } from './unknown-routes.ts';

export const versionsServed = ['1', 'v1', '1.0', '1.0.0'];
const versionInPath = /^\/v(\d[^/?]*)(?=[/?]|$)/i;

/** The version in the path, and in the header if it is sent, must be the one that we serve. */
export function versionProblem({ raw: { url = '/' }, headers }: FastifyRequest): Problem | null {
  const inPath = url.startsWith('/v1/') ? '/v1' : versionInPath.exec(decoded(url))?.[0];
  if (inPath !== undefined && inPath !== '/v1')
    return problem('version_mismatch', `The path asks for ${inPath.slice(1, 20)}; this server serves v1.`);
  const inHeader = headers['x-api-version'];
  if (inPath !== undefined && inHeader !== undefined && !versionsServed.includes(String(inHeader)))
    return problem('version_mismatch', `X-API-Version must be one of ${versionsServed.join(', ')}, or left out.`);
  return null;
}
