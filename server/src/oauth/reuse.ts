import type { KoaContextWithOIDC } from 'oidc-provider';
import { inspectReuse, keepResponse, type OAuthTokenKind } from '../domain/access/oauth-tokens.ts';
import { currentRequest } from './request.ts';

/** After a token request: keeps the response in case it gets lost, and decides about a reuse. */
export async function settleReuse(ctx: KoaContextWithOIDC): Promise<void> {
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
