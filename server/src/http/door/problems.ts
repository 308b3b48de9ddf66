import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { invalid, type Problem, problem, problemIn, problems } from '../../domain/problems.ts';
import type { ProblemBody } from '../../schemas/shared/problem.ts';
import { pathOf } from './headers.ts';
import { logOf } from './trace.ts';

const problemType = 'application/problem+json; charset=utf-8';

type Occurrence = { publicUrl: string; instance: string; traceId: string };

/** Any thrown value as one of the twelve problems. */
function asProblem(error: unknown): Problem {
  return (
    problemIn(error) ??
    fromFramework(error) ??
    problem('internal_error', 'Something went wrong on our side; nothing was done. Retry with backoff.', {
      cause: error,
    })
  );
}

/** Fastify's own refusals. Its messages may quote the request, so each gets our own text. */
function fromFramework(error: unknown): Problem | undefined {
  const { code = '', statusCode = 500 } = error as Partial<FastifyError>;
  if (statusCode === 415) return unsupportedMediaType('The Content-Type must be application/json.', error);
  if (statusCode === 413) return payloadTooLarge(error);
  if (code === 'FST_ERR_BAD_URL')
    return invalid(
      [{ path: '', rule: 'percentEncoding', message: 'The path is not valid percent-encoded UTF-8: write % as %25.' }],
      error,
    );
  if (statusCode >= 400 && statusCode < 500)
    return problem('invalid_request', 'The request is not valid HTTP.', { cause: error });
  return undefined;
}

export function unsupportedMediaType(detail: string, cause?: unknown): Problem {
  return problem('unsupported_media_type', detail, { cause });
}

export function payloadTooLarge(cause?: unknown): Problem {
  return problem('payload_too_large', 'The body is larger than 256 KiB: split it into several requests.', { cause });
}

export function problemBody(error: Problem, { publicUrl, instance, traceId }: Occurrence): Static<typeof ProblemBody> {
  const { status, title, retryable } = problems[error.code];
  return {
    type: `${publicUrl}/problems/${error.code}`,
    title,
    status,
    detail: error.detail,
    instance,
    code: error.code,
    traceId,
    retryable,
    ...(error.details === undefined ? {} : { details: error.details }),
  };
}

export function problemHeaders(error: Problem): Record<string, string> {
  return {
    'content-type': problemType,
    ...(error.code === 'rate_limited' ? { 'retry-after': String(error.retryAfterSeconds ?? 1) } : {}),
    ...(error.code === 'unauthorized' ? { 'www-authenticate': challenge(error) } : {}),
  };
}

function challenge({ isInvalidToken }: Problem): string {
  return isInvalidToken ? 'Bearer error="invalid_token"' : 'Bearer';
}

export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const found = asProblem(error);
  // A problem without a cause was asked for in the sandbox: there is nothing to investigate.
  if (found.status >= 500 && found.cause) logOf(request).error({ code: found.code, err: found.cause }, 'problem');
  request.problemCode = found.code;
  const { publicUrl } = reply.server;
  const body = problemBody(found, { publicUrl, instance: pathOf(request.raw), traceId: request.id });
  // A string is sent as it is: the route's response schemas don't apply to it.
  return reply.code(found.status).headers(problemHeaders(found)).send(JSON.stringify(body));
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the problem in the response, for the log and the metrics. */
    problemCode: string | null;
  }
}
