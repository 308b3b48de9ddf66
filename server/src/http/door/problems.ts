import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { invalid, type Problem, problem, problemIn, problems } from '../../domain/problems.ts';

export const problemType = 'application/problem+json; charset=utf-8';

export type ProblemBody = {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  code: string;
  traceId: string;
  retryable: boolean;
  details?: unknown;
};

type Occurrence = { publicUrl: string; instance: string; traceId: string };

/** Whatever was thrown, as one of the twelve. */
function asProblem(error: unknown): Problem {
  return (
    problemIn(error) ??
    fromFramework(error) ??
    problem('internal_error', 'Something failed on our side; nothing was done.', { cause: error })
  );
}

/** What Fastify refuses by itself. Its messages may quote the request, so each gets words of ours. */
function fromFramework(error: unknown): Problem | undefined {
  const { code = '', statusCode = 500 } = error as Partial<FastifyError>;
  if (statusCode === 415) return unsupportedMediaType(error);
  if (statusCode === 413) return payloadTooLarge(error);
  if (code === 'FST_ERR_BAD_URL')
    return invalid(
      [{ path: '', rule: 'percentEncoding', message: 'The path is not valid percent-encoded UTF-8.' }],
      error,
    );
  if (statusCode >= 400 && statusCode < 500)
    return problem('invalid_request', 'The request is not valid HTTP.', { cause: error });
  return undefined;
}

export function unsupportedMediaType(cause?: unknown): Problem {
  return problem('unsupported_media_type', 'The body must be application/json in UTF-8, not compressed.', { cause });
}

export function payloadTooLarge(cause?: unknown): Problem {
  return problem('payload_too_large', 'The body is over 256 KiB.', { cause });
}

export function problemBody(error: Problem, { publicUrl, instance, traceId }: Occurrence): ProblemBody {
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
    ...(error.code === 'unauthorized' ? { 'www-authenticate': 'Bearer' } : {}),
  };
}

/** The path without its query, which may carry a phone number or a name. */
export function instanceOf(request: FastifyRequest): string {
  return request.raw.url?.split('?', 1)[0] ?? '/';
}

export function sendProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  publicUrl: string,
): FastifyReply {
  const found = asProblem(error);
  // One that the sandbox was asked for has no cause, and is none of ours to look into.
  if (found.status >= 500 && found.cause) request.log.error({ code: found.code, err: found.cause }, 'problem');
  request.problemCode = found.code;
  const body = problemBody(found, { publicUrl, instance: instanceOf(request), traceId: request.id });
  // A string goes out as it is: no schema of the route's answers applies to it.
  return reply.code(found.status).headers(problemHeaders(found)).send(JSON.stringify(body));
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the problem that was answered, for the log and the metrics. */
    problemCode: string | null;
  }
}
