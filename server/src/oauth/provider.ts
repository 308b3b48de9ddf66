import type { Middleware, Next } from 'koa';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Deps } from '../deps.ts';
import type { SigningKey } from '../domain/access/signing-keys.ts';
import { audience, issuer, tokenVerifier } from '../domain/access/tokens.ts';
import { authorizeThrottles, takeAttempt } from '../domain/sign-in/throttles.ts';
import { compareSecretsByHash } from './clients.ts';
import { configuration, sessionCookie } from './configuration.ts';
import { explain, type OAuthError } from './explanations.ts';
import { responseFaults } from './faults.ts';
import { internals, Provider, type ResponseMode } from './library.js';
import { type ErrorPage, errorRenderer, sendErrorPage } from './pages.ts';
import { currentRequest } from './request.ts';
import { authorizePath, discoveryPaths, interactionPath } from './routes.ts';
import { explainErrors, inOneTransaction, revokeAccessTokens, serverSideOnly } from './token-endpoint.ts';

/** The library with these keys, wrapped, from the outside in, in our changes to its requests and responses. */
export function makeProvider(deps: Deps, keys: SigningKey[], errorPage: ErrorPage): Provider {
  const secure = deps.config.publicUrl.startsWith('https:');
  const setup = { keys, api: audience(deps), secure, renderError: errorRenderer(errorPage) };
  const provider = new Provider(issuer(deps), configuration(setup));
  provider.proxy = true;
  provider.silent = true;
  compareSecretsByHash(provider, deps.config.environment);
  respondInQueryOnly(provider);
  const steps = [
    responseFaults(errorPage),
    throttleRequests(errorPage),
    serverSideOnly,
    explainErrors,
    inOneTransaction,
    // With the keys at hand: looking them up inside a transaction would need a second connection.
    revokeAccessTokens(tokenVerifier(deps, async () => keys)),
    dropSessionCookie,
    markBrowser,
    advertiseQueryOnly,
  ];
  for (const step of steps) provider.use(step as unknown as Middleware);

  provider.on('server_error', (_ctx, error) => {
    currentRequest().fault = error;
  });
  const note = (ctx: KoaContextWithOIDC, error: Error) => {
    ctx.state.refusal = error;
    currentRequest().note(error.message);
  };
  provider.on('grant.error', note);
  provider.on('revocation.error', note);
  provider.on('authorization.error', note);
  return provider;
}

/** Our own session says who is signed in (domain/sign-in/sessions.ts); the library's lives for one request only. */
async function dropSessionCookie(ctx: KoaContextWithOIDC, next: Next): Promise<void> {
  await next();
  const cookies = [ctx.response.get('set-cookie') ?? []].flat();
  const ours = cookies.filter((cookie) => !cookie.startsWith(`${sessionCookie}=`));
  if (ours.length === cookies.length) return;
  if (ours.length > 0) ctx.set('set-cookie', ours);
  else ctx.remove('set-cookie');
}

/** The library advertises answers by form and fragment too; we only answer in the query. */
async function advertiseQueryOnly(ctx: KoaContextWithOIDC, next: Next): Promise<void> {
  await next();
  if (discoveryPaths.includes(ctx.path) && ctx.status === 200)
    Object.assign(ctx.body as object, { response_modes_supported: ['query'] });
}

/** Each request is stored until it expires, so nobody may make too many. */
function throttleRequests(errorPage: ErrorPage) {
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
async function markBrowser(ctx: KoaContextWithOIDC, next: Next): Promise<void> {
  await next();
  const { browserCookie } = currentRequest();
  if (browserCookie && String(ctx.response.get('location')).startsWith(interactionPath))
    ctx.append('set-cookie', browserCookie);
}

/**
 * Puts every response of the authorization endpoint in the query, errors too. If a request asked for it, or for a token,
 * the library would also post the response in a form with a script, or put it in the fragment. Errors come in our words.
 */
function respondInQueryOnly(provider: Provider): void {
  const { responseModes } = internals(provider);
  const query = responseModes.get('query');
  if (!query) throw new Error('The library has no response mode query.');
  const explained: ResponseMode = (ctx, redirectUri, response) => query(ctx, redirectUri, inOurWords(response));
  responseModes.delete('form_post');
  responseModes.set('query', explained);
  // The library relies on this mode to report an error in a request for a token.
  responseModes.set('fragment', explained);
  provider.Client.prototype.responseModeAllowed = (mode, type) => mode !== 'fragment' || type !== 'code';
}

function inOurWords(response: object): object {
  return 'error' in response ? { ...response, error_description: explain(response as OAuthError) } : response;
}
