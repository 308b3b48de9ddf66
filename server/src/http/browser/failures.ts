import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem, problemIn, problems } from '../../domain/problems.ts';
import { logOf } from '../door/trace.ts';
import { noSuchRoute } from '../door/unknown-routes.ts';
import { FormRefused } from './forms.ts';
import { type FailurePage, sendErrorPage } from './page.ts';

/** An error on a page is shown on a page. */
export function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof FormRefused) return sendErrorPage(reply, refusals[error.reason]);
  // Fastify's own refusals: an invalid content type, an incomplete body.
  const { statusCode = 500 } = error as { statusCode?: number };
  if (statusCode < 500) return sendErrorPage(reply, refusals.unreadable);
  const found = problemIn(error);
  request.problemCode = found?.code ?? 'internal_error';
  if (error instanceof Problem && error.status < 500) return sendErrorPage(reply, refused(error));
  logOf(request)[found?.retryable ? 'warn' : 'error']({ code: request.problemCode, err: error }, 'problem');
  if (found) return sendErrorPage(reply.header('retry-after', '1'), unavailable);
  return sendErrorPage(reply, { ...failed, traceId: request.id });
}

/** A browser that opens an unknown path outside the API gets a page; programs get the Problem. */
export function sendUnknownPath(refused: unknown, request: FastifyRequest, reply: FastifyReply): boolean {
  if (!(refused instanceof Problem) || refused.code !== 'not_found') return false;
  if (/^\/v1(\/|\?|$)/.test(request.raw.url ?? '') || !wantsPage.test(request.headers.accept ?? '')) return false;
  request.problemCode = refused.code;
  const next =
    refused.detail === noSuchRoute().detail
      ? 'Check the address for typos, or start from the home page.'
      : refused.detail;
  sendErrorPage(reply, { ...unknownPath, next });
  return true;
}

const wantsPage = /\btext\/html\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i;

const unknownPath = {
  status: 404,
  title: 'Page not found',
  message: 'There is no page at this address.',
  home: true,
};

const refusals: Record<FormRefused['reason'], FailurePage> = {
  foreign: {
    status: 403,
    title: 'This form didn’t come from our page',
    message: 'The page was open for too long, or another site sent the form. Nothing was done.',
    next: 'Go back, reload the page and try again. Cookies must be enabled.',
  },
  unreadable: {
    status: 400,
    title: 'This form can’t be read',
    message: 'It is not a form from this site, or it is too long. Nothing was done.',
    next: 'Go back, reload the page and try again.',
  },
};

const unavailable: FailurePage = {
  status: 503,
  title: 'Temporarily unavailable',
  message: 'A system that we depend on isn’t responding.',
  next: 'Wait a moment, then reload the page.',
};

const failed: FailurePage = {
  status: 500,
  title: 'Something went wrong',
  message: 'This is our fault, not yours.',
  next: 'Go back and try again.',
};

function refused({ code, status, detail }: Problem): FailurePage {
  return { status, title: problems[code].title, message: detail, next: 'Go back and try again.' };
}
