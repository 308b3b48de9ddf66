import { randomUUID } from 'node:crypto';
import { createLocalJWKSet, errors, importJWK, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { Deps } from '../../deps.ts';
import { insertRevokedToken } from '../../store/access/revoked-tokens.ts';
import { problem } from '../problems.ts';
import { issuedGrant } from './grants.ts';
import { algorithm, type KeyRing, keyRing, type SigningKey, tokenLifetimeSeconds } from './signing-keys.ts';

/** A verified access token: who it was issued to, for whom, what it allows, and what it ends with. */
export type AccessToken = {
  /** The application, by its client id, here or with another identity provider. */
  client: string;
  /** The advisor, by id or, with another identity provider, by email. */
  advisor: string;
  scopes: Set<string>;
  expiresAtMs: number;
  /** Ours end with their grant, or with the key that signed them, and can be revoked one by one; another's can't. */
  grantId: string | null;
  tokenId: string | null;
  keyId: string | null;
};
export type TokenVerifier = (token: string) => Promise<AccessToken>;
export type TokenRequest = { clientId: string; advisorId: number; scopes: string[] };

const tokenType = 'at+jwt';

/** A token by the operator's word alone: for the sandbox, for tests and for support. */
export async function issueToken(deps: Deps, request: TokenRequest): Promise<string> {
  const { clientId, advisorId, scopes } = request;
  const grantId = await issuedGrant(deps, advisorId, request);
  const [key] = await keyRing(deps)();
  if (!key) throw new Error('There is no signing key.');
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

/** Verifies what our own authorization server issued, by the keys it publishes. */
export function tokenVerifier(deps: Deps, keys: KeyRing): TokenVerifier {
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
      throw problem('unauthorized', 'The access token was signed with a key that is not ours.', { cause: error });
    });
    return { ...readClaims(payload), keyId: protectedHeader.kid ?? null };
  };
}

/** Ends one access token, within a second on every node. It is noted until it would have expired by itself. */
export async function revokeToken(deps: Deps, { tokenId, expiresAtMs }: AccessToken): Promise<void> {
  if (tokenId) await insertRevokedToken(deps.db, tokenId, new Date(expiresAtMs));
}

export function issuer({ config }: Pick<Deps, 'config'>): string {
  return config.publicUrl;
}

export function audience({ config }: Pick<Deps, 'config'>): string {
  return `${config.publicUrl}/v1`;
}

export function publicJwk({ kid, privateJwk: { d: _private, ...jwk } }: SigningKey) {
  return { ...jwk, kid, alg: algorithm, use: 'sig' };
}

function readClaims({ client_id: client, advisor_id: advisor, grant_id, jti, scope, exp }: JWTPayload) {
  if (typeof client !== 'string' || typeof advisor !== 'number' || typeof grant_id !== 'string' || !jti || !exp)
    throw problem('unauthorized', 'The access token lacks a claim.');
  return {
    client,
    advisor: String(advisor),
    scopes: new Set(String(scope).split(' ')),
    expiresAtMs: exp * 1000,
    grantId: grant_id,
    tokenId: jti,
  };
}
