import type { Context, Next } from 'koa';
import { problemIn } from '../domain/problems.ts';
import { type ErrorPage, sendErrorPage } from './pages.ts';
import { currentRequest } from './request.ts';
import { isClientEndpoint } from './routes.ts';

const retryAfterSeconds = 1;

type Fault = {
  status: number;
  error: string;
  message: string;
  level: 'warn' | 'error';
  headers: Record<string, string>;
};

/**
 * A failure on our side. If the database is unavailable or too slow it is 503 with Retry-After, because nothing was done
 * and the same code or token will work; anything else is an honest 500.
 */
export function describeFault(fault: unknown): Fault {
  return problemIn(fault)?.retryable
    ? {
        status: 503,
        error: 'temporarily_unavailable',
        message: 'The authorization service is unavailable.',
        level: 'warn',
        headers: { 'retry-after': String(retryAfterSeconds) },
      }
    : {
        status: 500,
        error: 'server_error',
        message: 'Something failed on our side.',
        level: 'error',
        headers: {},
      };
}

export function responseFaults(errorPage: ErrorPage) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const request = currentRequest();
    try {
      await next();
    } catch (error) {
      request.fault = error;
    }
    if (request.fault === undefined) return;
    const { fault } = request;
    const { status, error, message, level, headers } = describeFault(fault);
    request.note(error);
    request.log[level]({ err: fault }, 'the authorization server failed');
    for (const header of ['location', 'set-cookie']) ctx.remove(header);
    ctx.status = status;
    ctx.set(headers);
    if (isClientEndpoint(ctx.path)) {
      // If it isn't known whether the last step took effect, a repeated refresh gets its response, and a code is spent.
      const next = 'outcome' in (problemIn(fault)?.details ?? {}) ? 'Try again.' : 'Nothing was done: try again.';
      ctx.body = { error, error_description: `${message} ${next}` };
      return;
    }
    sendErrorPage(ctx, errorPage, { title: 'Not available', message, next: 'Reload this page.' });
  };
}
