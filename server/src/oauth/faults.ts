import type { Context, Next } from 'koa';
import { fromDatabase, Problem } from '../domain/problems.ts';
import { type ErrorPage, sendErrorPage } from './pages.ts';
import { currentRequest } from './request.ts';
import { revokePath, tokenPath } from './routes.ts';

const retryAfterSeconds = 1;

/**
 * What fails on our side. The database away or too slow is 503 with Retry-After, for nothing was done and the same
 * code or token will work; anything else is an honest 500.
 */
export function answerFaults(errorPage: ErrorPage) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const request = currentRequest();
    try {
      await next();
    } catch (error) {
      request.fault = error;
    }
    if (request.fault === undefined) return;
    const { fault } = request;
    const found = fault instanceof Problem ? fault : fromDatabase(fault);
    const transient = found?.retryable === true;
    const error = transient ? 'temporarily_unavailable' : 'server_error';
    request.note(error);
    request.log[transient ? 'warn' : 'error']({ err: fault }, 'the authorization server failed');
    for (const header of ['location', 'set-cookie']) ctx.remove(header);
    ctx.status = transient ? 503 : 500;
    if (transient) ctx.set('retry-after', String(retryAfterSeconds));
    const message = transient ? 'The authorization service is not available.' : 'Something failed on our side.';
    if ([tokenPath, revokePath].includes(ctx.path)) {
      // Whether the last step took effect may not be known: then a refresh gets its answer again, and a code is spent.
      const next = 'outcome' in (found?.details ?? {}) ? 'Try again.' : 'Nothing was done: try again.';
      ctx.body = { error, error_description: `${message} ${next}` };
      return;
    }
    sendErrorPage(ctx, errorPage, { title: 'Not available', message, next: 'Reload this page.' });
  };
}
