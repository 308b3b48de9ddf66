import type { Adapter, AdapterPayload } from 'oidc-provider';
import { findClient } from '../domain/access/applications.ts';
import { endGrant, findGrant } from '../domain/access/grants.ts';
import { deleteInteraction, findInteraction, saveInteraction } from '../domain/access/interactions.ts';
import { findOAuthToken, type OAuthTokenKind, saveOAuthToken, useOAuthToken } from '../domain/access/oauth-tokens.ts';
import { audience, issuer } from '../domain/access/tokens.ts';
import { readSecret } from '../domain/shared/secrets.ts';
import { refreshThrottles, takeAttempt } from '../domain/sign-in/throttles.ts';
import { clientMetadata, refuseOtherEnvironment } from './clients.ts';
import { refreshedTooOften } from './explanations.ts';
import { errors } from './library.js';
import { currentRequest } from './request.ts';
import { authorizePath, tokenPath } from './routes.ts';

/** The library's storage, by model, on top of our domain: in the request's transaction, if it has one. */
export function adapterFor(model: string): Adapter {
  switch (model) {
    case 'Client':
      return { ...nothing, find: findClientMetadata };
    case 'Grant':
      return { ...nothing, find: findGrantPayload, destroy: destroyGrant };
    case 'Interaction':
      return interactions;
    case 'AuthorizationCode':
    case 'RefreshToken':
      return oauthTokens(model);
    default:
      // Access tokens are JWTs, and sessions are ours: the library's own session lives for one request only.
      return nothing;
  }
}

const nothing: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
};

async function findClientMetadata(clientId: string): Promise<AdapterPayload | undefined> {
  const { deps, path } = currentRequest();
  refuseOtherEnvironment(clientId, deps.config.environment, path);
  // A client id that can't be ours may hold anything, and PostgreSQL rejects NUL.
  if (readSecret('clientId', deps.config.environment, clientId) === 'malformed') return undefined;
  const application = await findClient(deps, clientId);
  return application ? clientMetadata(application) : undefined;
}

/** A grant as the library sees it: every scope is one of our API's, and OpenID's too if it is an OpenID scope. */
async function findGrantPayload(grantId: string): Promise<AdapterPayload | undefined> {
  const { deps } = currentRequest();
  const grant = await findGrant(deps, grantId);
  if (grant?.kind !== 'authorized') return undefined;
  const scope = grant.scopes.join(' ');
  return {
    kind: 'Grant',
    jti: grantId,
    iat: epochSeconds(grant.dateTimeCreated),
    accountId: String(grant.advisorId),
    clientId: grant.clientId,
    openid: { scope },
    resources: { [audience(deps)]: scope },
  };
}

/**
 * The library ends a grant in two cases. At the revocation endpoint the client asks for it. At the token endpoint a code
 * or a token was used twice, and the domain decides what that ends (reuse.ts).
 */
async function destroyGrant(grantId: string): Promise<void> {
  const request = currentRequest();
  if (request.path === tokenPath) request.reused = true;
  else await endGrant(request.deps, grantId, { reason: 'revoked', traceId: request.traceId });
}

/** Only the hash of its id is stored; the id is put back where the library expects it. */
const interactions: Adapter = {
  ...nothing,
  async upsert(uid, { jti: _uid, returnTo: _path, ...payload }, expiresInSeconds) {
    const { deps, browser } = currentRequest();
    await saveInteraction(deps, { uid, browser }, { payload, expires: inSeconds(expiresInSeconds) });
  },
  async find(uid) {
    const { deps, browser } = currentRequest();
    const payload = await findInteraction(deps, { uid, browser });
    return payload ? { ...payload, jti: uid, returnTo: `${issuer(deps)}${authorizePath}/${uid}` } : undefined;
  },
  async destroy(uid) {
    if (!(await deleteInteraction(currentRequest().deps, uid)))
      throw new errors.SessionNotFound('authorization request has expired');
  },
};

function oauthTokens(kind: OAuthTokenKind): Adapter {
  return {
    ...nothing,
    async upsert(value, { jti: _value, ...payload }, expiresInSeconds) {
      const { grantId = '' } = payload;
      await saveOAuthToken(currentRequest().deps, {
        kind,
        value,
        grantId,
        payload,
        expires: inSeconds(expiresInSeconds),
      });
    },
    async find(value) {
      const token = await findOAuthToken(currentRequest().deps, kind, value);
      if (!token) return undefined;
      const consumed = token.usedAt ? { consumed: epochSeconds(token.usedAt) } : {};
      return { ...token.payload, ...consumed, jti: value };
    },
    async consume(value) {
      const request = currentRequest();
      const grantId = await useOAuthToken(request.deps, value);
      if (grantId === null) {
        request.reused = true;
        throw new errors.InvalidGrant('already used');
      }
      if (kind === 'RefreshToken') await throttleRefresh(grantId);
    },
    // Used tokens are kept, because they are how a reuse is detected; they are deleted with their grant.
  };
}

/** Each refresh leaves a used token behind for months: refreshing without end would fill the database with them. */
async function throttleRefresh(grantId: string): Promise<void> {
  const retryAfterSeconds = await takeAttempt(currentRequest().deps, refreshThrottles(grantId));
  if (retryAfterSeconds !== null) throw refreshedTooOften(retryAfterSeconds);
}

function inSeconds(seconds = 0): Date {
  return new Date(Date.now() + seconds * 1000);
}

function epochSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
