import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, importJWK, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { Deps } from '../deps.ts';
import { insertFirstSigningKey, listSigningKeys } from '../store/signing-keys.ts';
import { problem } from './problems.ts';

/** An access token of ours, verified: who it was issued to, for whom, and what it allows. */
export type AccessToken = { clientId: string; advisorId: number; scopes: Set<string>; expiresAtMs: number };

const algorithm = 'ES256';
const tokenType = 'at+jwt';
const lifetimeSeconds = 15 * 60;
const keysMs = 1_000;

export type TokenRequest = { clientId: string; advisorId: number; scopes: string[] };

export async function issueToken(deps: Deps, { clientId, advisorId, scopes }: TokenRequest): Promise<string> {
  const [key] = await signingKeys(deps);
  if (!key) throw new Error('There is no signing key.');
  return new SignJWT({ client_id: clientId, advisor_id: advisorId, scope: scopes.join(' ') })
    .setProtectedHeader({ alg: algorithm, typ: tokenType, kid: key.kid })
    .setIssuer(issuer(deps))
    .setAudience(audience(deps))
    .setSubject(String(advisorId))
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime(`${lifetimeSeconds}s`)
    .sign(await importJWK(key.privateJwk, algorithm));
}

/** Verifies locally with the keys of the database, which are read again only when a token names one that is new. */
export function tokenVerifier(deps: Deps): (token: string) => Promise<AccessToken> {
  const publicKeys = new Map<string, Awaited<ReturnType<typeof importJWK>>>();
  let reading = Promise.resolve();
  let readAtMs = Number.NEGATIVE_INFINITY;

  async function readKeys(): Promise<void> {
    for (const key of await listSigningKeys(deps.db)) {
      const { d: _private, ...publicJwk } = key.privateJwk;
      publicKeys.set(key.kid, await importJWK(publicJwk, algorithm));
    }
  }

  async function keyFor({ kid = '' }: { kid?: string }) {
    if (!publicKeys.has(kid)) {
      // At most once a second, whoever makes up key ids; those who come meanwhile wait for the same reading.
      if (performance.now() - readAtMs > keysMs) {
        readAtMs = performance.now();
        reading = readKeys();
      }
      await reading;
    }
    const key = publicKeys.get(kid);
    if (!key) throw problem('unauthorized', 'The access token was signed with a key that is not ours.');
    return key;
  }

  return async (token) => {
    const { payload } = await jwtVerify(token, keyFor, {
      issuer: issuer(deps),
      audience: audience(deps),
      typ: tokenType,
      algorithms: [algorithm],
      requiredClaims: ['exp', 'client_id', 'advisor_id', 'scope'],
    });
    return readClaims(payload);
  };
}

/** The keys that sign and verify, newest first; the first start of a database makes one. */
async function signingKeys(deps: Deps) {
  const keys = await listSigningKeys(deps.db);
  if (keys.length > 0) return keys;
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const privateJwk = (await exportJWK(privateKey)) as Record<string, string>;
  await insertFirstSigningKey(deps.db, { kid: randomUUID(), privateJwk }, new Date());
  return listSigningKeys(deps.db);
}

function readClaims(payload: JWTPayload): AccessToken {
  const { client_id: clientId, advisor_id: advisorId, scope, exp } = payload;
  if (typeof clientId !== 'string' || typeof advisorId !== 'number' || typeof scope !== 'string' || !exp)
    throw problem('unauthorized', 'The access token lacks a claim.');
  return { clientId, advisorId, scopes: new Set(scope.split(' ')), expiresAtMs: exp * 1000 };
}

function issuer(deps: Deps): string {
  return deps.config.publicUrl;
}

function audience(deps: Deps): string {
  return `${deps.config.publicUrl}/v1`;
}
