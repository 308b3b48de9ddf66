import type { Next } from 'koa';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { authorizeThrottles, takeAttempt } from '../domain/sign-in/throttles.ts';
import { type ErrorPage, sendErrorPage } from './pages.ts';
import { currentRequest } from './request.ts';
import { authorizePath, interactionPath } from './routes.ts';

/** Each request is stored until it expires, so nobody may make too many. */
export function throttleRequests(errorPage: ErrorPage) {
  return async (ctx: KoaContextWithOIDC, next: Next): Promise<void> => {
    if (ctx.path !== authorizePath) return next();
    const { deps, address, note } = currentRequest();
    const retryAfterSeconds = await takeAttempt(deps, authorizeThrottles(address));
    if (retryAfterSeconds === null) return next();
    note('temporarily_unavailable');
    ctx.status = 429;
    ctx.set('retry-after', String(retryAfterSeconds));
    sendErrorPage(ctx, errorPage, {
      title: 'Too many requests',
      message: 'There were too many authorization requests from your network.',
      next: 'Wait a moment, then go back to the application and try again.',
    });
  };
}

/** Gives the browser its own secret once it has a request to decide on. */
export async function markBrowser(ctx: KoaContextWithOIDC, next: Next): Promise<void> {
  await next();
  const { browserCookie } = currentRequest();
  if (browserCookie && String(ctx.response.get('location')).startsWith(interactionPath))
    ctx.append('set-cookie', browserCookie);
}
