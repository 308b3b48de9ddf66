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
import { discover, fetchDocument, ProviderFault, providerTimeoutMs, singleFlight } from './identity-provider.ts';
import type { AccessToken, TokenVerifier } from './tokens.ts';

type ExternalIssuer = Pick<
  Config,
  'oauthIssuer' | 'oauthAudience' | 'oauthAdvisorClaim' | 'oauthApplicationClaim' | 'oauthScopeClaim'
>;

/** Only signatures by a private key: a token signed with a shared secret, or not at all, is never accepted. */
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
/** RFC 9068's types, and the one that older providers use; an id token has a different audience. */
const types = ['at+jwt', 'application/at+jwt', 'jwt'];
/** ASCII only: when PostgreSQL folds case, it turns some letters of other alphabets into ASCII ones. */
const emailForm = /^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/;
const advisorForm = new RegExp(`^[1-9]\\d{0,14}$|${emailForm.source}`);
/** How long keys are trusted, and then the tokens they verified: a withdrawn key is out after ten minutes. */
const trustedMs = 5 * 60 * 1000;
/** A token with an unknown key makes us fetch the keys again, but no more often than this. */
const refetchMs = 1_000;

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
      throw new errors.JWTInvalid('The token is of another type.');
    return readClaims(payload, config);
  };
}

/** The keys, and the metadata that says where they are: fetched together, when first needed and when too old. */
function providerKeys(issuer: string): JWTVerifyGetKey {
  const load = singleFlight(async () => {
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
      if (error instanceof ProviderFault || isTokenFault(error)) throw error;
      throw new ProviderFault('publishes keys that can’t be used', error);
    }
  };
}

function remoteKeys(url: string) {
  const fetchKeys = singleFlight((signal: AbortSignal) => fetchDocument(url, signal));
  return createRemoteJWKSet(new URL(url), {
    timeoutDuration: providerTimeoutMs,
    cooldownDuration: refetchMs,
    cacheMaxAge: trustedMs,
    [customFetch]: async (_url, { signal }) => new Response(requireKeys(await fetchKeys(signal))),
  });
}

/** Without keys the provider is at fault, not its tokens. */
function requireKeys(text: string): string {
  if (/^\s*\{\s*"keys"\s*:\s*\[\s*\]\s*\}\s*$/.test(text)) throw new ProviderFault('publishes no keys');
  return text;
}

/** No key fits the token, or more than one does; any other error is the provider's fault. */
function isTokenFault(error: unknown): boolean {
  return error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys;
}

async function verify(token: string, keys: JWTVerifyGetKey, options: JWTVerifyOptions): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, keys, options);
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) return verifyWithAny(token, error, options);
    if (error instanceof errors.JOSEError) throw error;
    // Anything else is a key that can't verify, such as an RSA key that is too short.
    const fault =
      error instanceof ProviderFault ? error : new ProviderFault('publishes keys that can’t be used', error);
    throw fault.asProblem();
  }
}

/** For a token that doesn't say which key signed it, when the provider has several. */
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
    throw wrongClaim(`The access token’s claim ${oauthApplicationClaim} doesn’t name an application.`);
  const named = oauthAdvisorClaim === 'email' ? emailForm.test(String(advisor)) : advisorForm.test(String(advisor));
  if (!['string', 'number'].includes(typeof advisor) || !named)
    throw wrongClaim(`The access token’s claim ${oauthAdvisorClaim} doesn’t name an advisor.`);
  // If people can enter any email address in their profile, somebody could enter an advisor's.
  const { email_verified: verified = true } = payload;
  if (oauthAdvisorClaim === 'email' && String(verified) !== 'true')
    throw wrongClaim('The identity provider has not verified the email address in the access token.');
  return {
    client,
    advisor: String(advisor),
    scopes: readScopes(payload[oauthScopeClaim]),
    expiresAtMs: Math.min((payload.exp ?? 0) * 1000, Date.now() + trustedMs),
    grantId: null,
    tokenId: null,
    authorizationId: null,
    kid: null,
  };
}

/** The provider's settings are the operator's business, not the caller's. */
function wrongClaim(what: string) {
  return problem('unauthorized', `${what} Contact the operator.`);
}

function readScopes(claim: unknown): Set<string> {
  const scopes = typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim : [];
  return new Set(scopes.filter((scope) => typeof scope === 'string' && scope !== ''));
}
