import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose';
import type { Config } from '../../config.ts';
import { problem } from '../problems.ts';
import { askForDocument, discover, ProviderFault, providerTimeoutMs, sparing } from './identity-provider.ts';
import type { AccessToken, TokenVerifier } from './tokens.ts';

export type ExternalIssuer = Pick<
  Config,
  'oauthIssuer' | 'oauthAudience' | 'oauthAdvisorClaim' | 'oauthApplicationClaim' | 'oauthScopeClaim'
>;

/** Signatures by a private key only: a shared secret or none at all never vouches for a token. */
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
/** RFC 9068's type, and the one of providers from before it; an id token has another audience. */
const types = ['at+jwt', 'application/at+jwt', 'jwt'];
/** Letters of other alphabets are none: PostgreSQL takes some of them for ASCII ones when it folds case. */
const emailForm = /^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/;
const advisorForm = new RegExp(`^[1-9]\\d{0,14}$|${emailForm.source}`);
/** How long keys are believed, and what they verified again: one that the provider withdrew is out after ten minutes. */
const believedMs = 5 * 60 * 1000;
/** A token that names an unknown key has the keys asked for again, but not more often than this. */
const unknownKeyMs = 1_000;

/** Verifies what the identity provider of OAUTH_ISSUER issued, by the keys it publishes. */
export function externalVerifier(config: ExternalIssuer): TokenVerifier {
  const keys = providerKeys(config.oauthIssuer);
  const options = {
    issuer: config.oauthIssuer,
    audience: config.oauthAudience,
    algorithms,
    requiredClaims: ['exp'],
  };
  return async (token) => {
    const { payload, protectedHeader } = await verify(token, keys, options);
    if (protectedHeader.typ !== undefined && !types.includes(String(protectedHeader.typ).toLowerCase()))
      throw problem('unauthorized', 'The access token is not valid.');
    return readClaims(payload, config);
  };
}

/** The keys with the metadata that say where they are: asked for together, at the first need and when they are too old. */
function providerKeys(issuer: string): JWTVerifyGetKey {
  const load = sparing(async () => {
    const { jwks_uri } = await discover(issuer);
    const keys = remoteKeys(jwks_uri);
    await keys.reload();
    return keys;
  });
  let known: ReturnType<typeof remoteKeys> | undefined;

  return async (header, token) => {
    try {
      if (!known?.fresh) known = await load();
      return await known(header, token);
    } catch (error) {
      if (error instanceof ProviderFault || isOfToken(error)) throw error;
      throw new ProviderFault('publishes keys that can’t be used', error);
    }
  };
}

function remoteKeys(url: string) {
  const askForKeys = sparing((signal: AbortSignal) => askForDocument(url, signal));
  return createRemoteJWKSet(new URL(url), {
    timeoutDuration: providerTimeoutMs,
    cooldownDuration: unknownKeyMs,
    cacheMaxAge: believedMs,
    [customFetch]: async (_url, { signal }) => new Response(someKeys(await askForKeys(signal))),
  });
}

/** A provider without a key is out of order, and its tokens are not to blame. */
function someKeys(text: string): string {
  if (/^\s*\{\s*"keys"\s*:\s*\[\s*\]\s*\}\s*$/.test(text)) throw new ProviderFault('publishes no keys');
  return text;
}

/** None of the keys, or more than one, fits what the token says of itself; anything else is the provider's doing. */
function isOfToken(error: unknown): boolean {
  return error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys;
}

async function verify(token: string, keys: JWTVerifyGetKey, options: JWTVerifyOptions): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, keys, options);
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) return verifyWithAny(token, error, options);
    if (error instanceof errors.JOSEError) throw error;
    // What is left is a key that can't verify, such as one of RSA that is too short.
    const fault =
      error instanceof ProviderFault ? error : new ProviderFault('publishes keys that can’t be used', error);
    throw fault.asProblem();
  }
}

/** A token that doesn't say which key signed it, of a provider that has several. */
async function verifyWithAny(token: string, candidates: errors.JWKSMultipleMatchingKeys, options: JWTVerifyOptions) {
  for await (const key of candidates) {
    try {
      return await jwtVerify(token, key, options);
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}

function readClaims(payload: JWTPayload, config: ExternalIssuer): AccessToken {
  const { oauthApplicationClaim, oauthAdvisorClaim, oauthScopeClaim } = config;
  const client = payload[oauthApplicationClaim];
  const advisor = payload[oauthAdvisorClaim];
  if (typeof client !== 'string' || client === '' || client.includes('\0'))
    throw problem('unauthorized', `The access token’s claim ${oauthApplicationClaim} names no application.`);
  const named = oauthAdvisorClaim === 'email' ? emailForm.test(String(advisor)) : advisorForm.test(String(advisor));
  if (!['string', 'number'].includes(typeof advisor) || !named)
    throw problem('unauthorized', `The access token’s claim ${oauthAdvisorClaim} names no advisor.`);
  // Where people may write any address into their profile, one of them could write an advisor's.
  const { email_verified: verified = true } = payload;
  if (oauthAdvisorClaim === 'email' && String(verified) !== 'true')
    throw problem('unauthorized', 'The access token’s email was not verified by the identity provider.');
  return {
    client,
    advisor: String(advisor),
    scopes: readScopes(payload[oauthScopeClaim]),
    expiresAtMs: Math.min((payload.exp ?? 0) * 1000, Date.now() + believedMs),
    grantId: null,
    tokenId: null,
    keyId: null,
  };
}

function readScopes(claim: unknown): Set<string> {
  const scopes = typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim : [];
  return new Set(scopes.filter((scope) => typeof scope === 'string' && scope !== ''));
}
