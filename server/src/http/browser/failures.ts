import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem, problemIn, problems } from '../../domain/problems.ts';
import { FormRefused } from './forms.ts';
import { type Failure, sendErrorPage } from './page.ts';

/** What goes wrong on a page is told on a page. */
export function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof FormRefused) return sendErrorPage(reply, refusals[error.reason]);
  // What Fastify refuses by itself: a type that is none, a body that breaks off.
  const { statusCode = 500 } = error as { statusCode?: number };
  if (statusCode < 500) return sendErrorPage(reply, refusals.unreadable);
  const found = problemIn(error);
  request.problemCode = found?.code ?? 'internal_error';
  if (error instanceof Problem && error.status < 500) return sendErrorPage(reply, refused(error));
  request.log[found?.retryable ? 'warn' : 'error']({ code: request.problemCode, err: error }, 'problem');
  if (found) return sendErrorPage(reply.header('retry-after', '1'), unavailable);
  return sendErrorPage(reply, { ...failed, traceId: request.id });
}

const refusals: Record<FormRefused['reason'], Failure> = {
  foreign: {
    status: 403,
    title: 'That didn’t come from this page',
    message: 'The page you used was open for a while, or something other than this site sent it. Nothing was done.',
    next: 'Go back, reload the page and try again. Cookies must be on.',
  },
  unreadable: {
    status: 400,
    title: 'That can’t be read',
    message: 'What was sent is not a form of this site, or is too long. Nothing was done.',
    next: 'Go back, reload the page and try again.',
  },
};

const unavailable: Failure = {
  status: 503,
  title: 'Not available for a moment',
  message: 'Something we depend on doesn’t answer.',
  next: 'Wait a moment, then reload the page.',
};

const failed: Failure = {
  status: 500,
  title: 'Something went wrong',
  message: 'This is our fault, not yours.',
  next: 'Go back and try again.',
};

function refused({ code, status, detail }: Problem): Failure {
  return { status, title: problems[code].title, message: detail, next: 'Go back and try again.' };
}
