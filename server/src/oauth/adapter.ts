import type { Adapter, AdapterPayload } from 'oidc-provider';
import { findClient } from '../domain/access/applications.ts';
import { endGrant, findGrant } from '../domain/access/grants.ts';
import { deleteInteraction, findInteraction, saveInteraction } from '../domain/access/interactions.ts';
import { findOAuthToken, type OAuthTokenKind, saveOAuthToken, useOAuthToken } from '../domain/access/oauth-tokens.ts';
import { audience, issuer } from '../domain/access/tokens.ts';
import { readSecret } from '../domain/shared/secrets.ts';
import { refreshThrottles, takeAttempt } from '../domain/sign-in/throttles.ts';
import { clientMetadata, refuseOtherEnvironment } from './clients.ts';
import { tooOften } from './explanations.ts';
import { errors } from './library.js';
import { currentRequest } from './request.ts';
import { authorizePath, tokenPath } from './routes.ts';

/** What the library remembers, by model, on the domain of ours: within the transaction of the request, if it has one. */
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
      // Access tokens are JWTs, and the session at hand is ours: the library's own lives for one request only.
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
  // What can't be one of ours may be anything, and PostgreSQL takes no NUL.
  if (readSecret('clientId', deps.config.environment, clientId) === 'malformed') return undefined;
  const application = await findClient(deps, clientId);
  return application ? clientMetadata(application) : undefined;
}

/** A grant as the library has it: all its scopes are scopes of our API, and of OpenID where they are that. */
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
 * The library ends a grant in two cases. At the revocation endpoint that is what the client asks for. At the token
 * endpoint something was used twice, and whether that ends the grant is for the domain to judge (reuse.ts).
 */
async function destroyGrant(grantId: string): Promise<void> {
  const request = currentRequest();
  if (request.path === tokenPath) request.reused = true;
  else await endGrant(request.deps, grantId, { reason: 'revoked', traceId: request.traceId });
}

/** Its id is kept by its hash alone, and put back where the library wants it. */
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
      if (kind === 'RefreshToken') await requireCalm(grantId);
    },
    // Used ones are kept, since only they give a second use away; with their grant all of them go.
  };
}

/** Each refresh leaves a used token behind for months: one that never ends would fill the database with them. */
async function requireCalm(grantId: string): Promise<void> {
  const retryAfterSeconds = await takeAttempt(currentRequest().deps, refreshThrottles(grantId));
  if (retryAfterSeconds !== null) throw tooOften(retryAfterSeconds);
}

function inSeconds(seconds = 0): Date {
  return new Date(Date.now() + seconds * 1000);
}

function epochSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
