import type { Middleware, Next } from 'koa';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Deps } from '../deps.ts';
import type { SigningKey } from '../domain/access/signing-keys.ts';
import { audience, issuer, tokenVerifier } from '../domain/access/tokens.ts';
import { markBrowser, throttleRequests } from './authorize-endpoint.ts';
import { compareSecretsByHash } from './clients.ts';
import { configuration, sessionCookie } from './configuration.ts';
import { responseFaults } from './faults.ts';
import { Provider } from './library.js';
import { type ErrorPage, errorRenderer } from './pages.ts';
import { currentRequest } from './request.ts';
import { respondInQueryOnly } from './response-modes.ts';
import { discoveryPaths } from './routes.ts';
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
