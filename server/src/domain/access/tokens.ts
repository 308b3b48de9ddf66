import { randomUUID } from 'node:crypto';
import {
  createLocalJWKSet,
  errors,
  importJWK,
  type JWTHeaderParameters,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose';
import { type Deps, inTransaction } from '../../deps.ts';
import type { TokenParts } from '../../store/access/api-keys.ts';
import { insertRevokedToken } from '../../store/access/oauth-tokens.ts';
import { archiveSetting } from '../accounts/settings.ts';
import { byOperator } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { makeIssuedGrant } from './grants.ts';
import {
  algorithm,
  type SigningKey,
  type SigningKeyRing,
  signingKeyRing,
  tokenLifetimeSeconds,
} from './signing-keys.ts';

/** A verified access token: issued to which application, for which advisor, with which scopes, and what can end it. */
export type AccessToken = TokenParts & { scopes: Set<string>; expiresAtMs: number };
export type TokenVerifier = (token: string) => Promise<AccessToken>;
type TokenRequest = { clientId: string; advisorId: number; scopes: string[] };

const tokenType = 'at+jwt';

/** A token for support, which acts for an advisor without asking them: the advisor's book says that the operator issued it. */
export async function issueArchivedToken(deps: Deps, request: TokenRequest): Promise<string> {
  const { clientId, advisorId, scopes } = request;
  return inTransaction(deps, async (deps) => {
    await archiveSetting(deps, byOperator, { advisorId, what: 'token issued', of: { clientId }, values: { scopes } });
    return issueToken(deps, request);
  });
}

/** A token for the sandbox's own pages and for tests. */
export async function issueToken(deps: Deps, request: TokenRequest): Promise<string> {
  const { clientId, advisorId, scopes } = request;
  const grantId = await makeIssuedGrant(deps, advisorId, request);
  const [key] = await signingKeyRing(deps)();
  if (!key?.privateJwk) throw new Error('There is no signing key.');
  return new SignJWT({ client_id: clientId, advisor_id: advisorId, grant_id: grantId, scope: scopes.join(' ') })
    .setProtectedHeader({ alg: algorithm, typ: tokenType, kid: key.kid })
    .setIssuer(issuer(deps))
    .setAudience(audience(deps))
    .setSubject(String(advisorId))
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime(`${tokenLifetimeSeconds}s`)
    .sign(await importJWK(key.privateJwk, algorithm));
}

/** Verifies tokens that our authorization server issued, with the keys it publishes. */
export function tokenVerifier(deps: Deps, keys: SigningKeyRing): TokenVerifier {
  let known: { kids: string; find: ReturnType<typeof createLocalJWKSet> } | undefined;

  async function keyFinder() {
    const published = await keys();
    const kids = published.map(({ kid }) => kid).join();
    if (known?.kids !== kids) known = { kids, find: createLocalJWKSet({ keys: published.map(publicJwk) }) };
    return known.find;
  }

  return async (token) => {
    const { payload, protectedHeader } = await jwtVerify(token, await keyFinder(), {
      issuer: issuer(deps),
      audience: audience(deps),
      typ: tokenType,
      algorithms: [algorithm],
      requiredClaims: ['exp', 'jti', 'client_id', 'advisor_id', 'grant_id', 'scope'],
    }).catch((error) => {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      throw problem(
        'unauthorized',
        'The access token was signed with a key that this server doesn’t have: get a new one.',
        { cause: error },
      );
    });
    return readToken(payload, protectedHeader);
  };
}

/** Revokes one access token, within a second on every node. The record is kept until the token would have expired. */
export async function revokeToken(deps: Deps, { tokenId, expiresAtMs }: AccessToken): Promise<void> {
  await insertRevokedToken(deps.db, tokenId, new Date(expiresAtMs));
}

export function issuer({ config }: Pick<Deps, 'config'>): string {
  return config.publicUrl;
}

export function audience({ config }: Pick<Deps, 'config'>): string {
  return `${config.publicUrl}/v1`;
}

export function publicJwk({ kid, publicJwk }: SigningKey) {
  return { ...publicJwk, kid, alg: algorithm, use: 'sig' };
}

function readToken(payload: JWTPayload, { kid }: JWTHeaderParameters): AccessToken {
  const { client_id: clientId, advisor_id: advisorId, grant_id: grantId, jti, authorization_id, scope, exp } = payload;
  if (typeof clientId !== 'string' || typeof advisorId !== 'number' || typeof grantId !== 'string' || !jti || !exp)
    throw new errors.JWTInvalid('A claim has the wrong type.');
  // With one key published, a token without a key's id verifies too; ours have one, by which they end with their key.
  if (!kid) throw new errors.JWTInvalid('The header names no key.');
  return {
    clientId,
    advisorId,
    scopes: new Set(String(scope).split(' ')),
    expiresAtMs: exp * 1000,
    grantId,
    tokenId: jti,
    authorizationId: typeof authorization_id === 'string' ? authorization_id : null,
    kid,
  };
}
