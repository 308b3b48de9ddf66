import type { Next } from 'koa';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { inTransaction } from '../deps.ts';
import { tokenProblem } from '../domain/access/callers.ts';
import { inspectReuse, keepResponse, type OAuthTokenKind } from '../domain/access/oauth-tokens.ts';
import { revokeToken, type TokenVerifier } from '../domain/access/tokens.ts';
import { Problem, problem } from '../domain/problems.ts';
import { clientThrottles, takeAttempt } from '../domain/sign-in/throttles.ts';
import { explain, type OAuthError } from './explanations.ts';
import { currentRequest, runRequest } from './request.ts';
import { authorizePath, basicChallenge, isClientEndpoint, revokePath, tokenPath } from './routes.ts';

/**
 * A request that spends something (a code, a refresh token, the advisor's decision) is one transaction, committed before
 * the response is sent: a request that fails midway has spent nothing.
 */
export async function inOneTransaction(ctx: KoaContextWithOIDC, next: Next): Promise<void> {
  if (!isClientEndpoint(ctx.path) && !ctx.path.startsWith(`${authorizePath}/`)) return next();
  const request = currentRequest();
  let begun = false;
  await inTransaction(request.deps, async (deps) => {
    // The library handles a request only once, so the client has to retry after a deadlock.
    if (begun) throw problem('downstream_unavailable', 'Two requests collided.');
    begun = true;
    const inside = { ...request, deps };
    await runRequest(inside, async () => {
      await undoIfRefused(ctx, deps.db.savepoint, next);
      if (inside.fault === undefined && ctx.path === tokenPath) await settleReuse(ctx);
    });
    Object.assign(request, inside, { deps: request.deps });
    if (request.fault !== undefined) throw request.fault;
  });
}

/** The library finds some mistakes only after it has spent the code or the token; a mistake must not spend them. */
async function undoIfRefused(ctx: KoaContextWithOIDC, savepoint: Savepoint, work: Next): Promise<void> {
  const refused = new Error('The request is refused.');
  const done = savepoint(async () => {
    await work();
    if (ctx.status >= 400) throw refused;
  });
  await done.catch((error) => {
    if (error !== refused) throw error;
  });
}

type Savepoint = (work: () => Promise<void>) => Promise<void>;

function refuse(ctx: KoaContextWithOIDC, status: number, error: string, description: string): void {
  currentRequest().note(error);
  ctx.status = status;
  if (status !== 401) ctx.remove('www-authenticate');
  else if (ctx.get('authorization') !== '') ctx.set('www-authenticate', basicChallenge(error, description));
  ctx.body = { error, error_description: description };
}

/** A secret has no place in a browser, so the library's CORS headers are removed. */
export async function serverSideOnly(ctx: KoaContextWithOIDC, next: Next): Promise<void> {
  try {
    await next();
  } finally {
    const corsHeaders = ['access-control-allow-origin', 'access-control-expose-headers'];
    if (isClientEndpoint(ctx.path)) for (const header of corsHeaders) ctx.remove(header);
  }
}

/** The library's descriptions of a form that it can't read, or in which it finds no client: RFC 6749 has `invalid_client`. */
const unreadable = /^no client authentication mechanism provided$|content-type bodies are supported|^failed to parse/;
/** Its descriptions of an Authorization header that isn't Basic: RFC 6749, 5.2, has 401 for those, too. */
const notBasic = /in the authorization header|^invalid authorization header/i;
const isForm = /^application\/x-www-form-urlencoded\b/i;

export async function explainErrors(ctx: KoaContextWithOIDC, next: Next): Promise<void> {
  await next();
  const body = ctx.body as OAuthError | undefined;
  if (!isClientEndpoint(ctx.path) || ctx.status < 400 || !body?.error) return;
  const { error_description: given = '' } = body;
  if (notBasic.test(given)) refuse(ctx, 401, 'invalid_client', explain(body));
  else if (!unreadable.test(given)) refuse(ctx, ctx.status, body.error, explain(body, ctx.state.refusal));
  else if (isForm.test(ctx.get('content-type')) && !ctx.get('content-encoding'))
    refuse(ctx, 401, 'invalid_client', 'Send client_id and client_secret in the form, or by HTTP Basic.');
  else refuse(ctx, 400, body.error, 'Send a form: application/x-www-form-urlencoded in UTF-8, not compressed.');
  const { retryAfterSeconds } = (ctx.state.refusal ?? {}) as { retryAfterSeconds?: number };
  if (retryAfterSeconds) ctx.set('retry-after', String(retryAfterSeconds));
  if (ctx.status !== 401) return;
  await throttleWrongSecrets(ctx);
}

/**
 * Throttles wrong secrets. A right one always works: 190 random bits can't be guessed, and because a client id is no
 * secret, a lock would only let strangers lock a client out.
 */
async function throttleWrongSecrets(ctx: KoaContextWithOIDC): Promise<void> {
  const request = currentRequest();
  const throttles = clientThrottles(ctx.oidc.client?.clientId, request.address);
  const retryAfterSeconds = await takeAttempt(request.deps, throttles);
  if (retryAfterSeconds === null) return;
  ctx.set('retry-after', String(retryAfterSeconds));
  refuse(ctx, 429, 'temporarily_unavailable', 'Too many wrong client secrets: wait, then send the right one.');
}

/** The library revokes only tokens it stores; our access tokens are signed and not stored, but can be revoked too. */
export function revokeAccessTokens(verify: TokenVerifier) {
  return async (ctx: KoaContextWithOIDC, next: Next): Promise<void> => {
    await next();
    const { error } = (ctx.body ?? {}) as { error?: string };
    if (ctx.path !== revokePath || error !== 'unsupported_token_type') return;
    // If it isn't ours, or has expired, there is nothing to revoke: RFC 7009 answers 200.
    const token = await verify(String(ctx.oidc.params?.token)).catch(nullIfInvalid);
    if (token && token.clientId !== ctx.oidc.client?.clientId) {
      ctx.body = { error: 'invalid_request', error_description: 'The token was issued to a different client.' };
      return;
    }
    if (token) await revokeToken(currentRequest().deps, token);
    ctx.status = 200;
    ctx.remove('content-type');
    ctx.body = '';
  };
}

function nullIfInvalid(error: unknown): null {
  const refused = tokenProblem(error);
  if (refused instanceof Problem && refused.code === 'unauthorized') return null;
  throw error;
}

/** After a token request: keeps the response in case it gets lost, and decides about a reuse. */
async function settleReuse(ctx: KoaContextWithOIDC): Promise<void> {
  const { deps, log, reused, traceId } = currentRequest();
  const { grant_type: grantType, refresh_token: refreshToken, code } = (ctx.oidc.params ?? {}) as Form;
  if (!reused) {
    const { refresh_token: successor } = ctx.body as Form;
    if (ctx.status === 200 && grantType === 'refresh_token' && refreshToken && successor)
      await keepResponse(deps, { token: refreshToken, successor, response: ctx.body as object });
    return;
  }
  const kind: OAuthTokenKind = grantType === 'refresh_token' ? 'RefreshToken' : 'AuthorizationCode';
  const found = await inspectReuse(deps, { kind, value: refreshToken ?? code ?? '', traceId });
  if ('response' in found) {
    ctx.status = 200;
    ctx.body = found.response;
  } else if (found.ended !== 'nothing')
    log.warn(
      { kind, clientId: ctx.oidc.client?.clientId, ended: found.ended },
      'a code or refresh token was used twice',
    );
}

type Form = { grant_type?: string; refresh_token?: string; code?: string };
