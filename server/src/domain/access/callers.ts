import { errors } from 'jose';
import type { Deps } from '../../deps.ts';
import { type CallerRow, findApiKey, findCaller } from '../../store/access/api-keys.ts';
import { type By, byAdvisor, byApplication } from '../archive/archive.ts';
import { Problem, problem } from '../problems.ts';
import { BoundedMap } from '../shared/bounded-map.ts';
import { hashSecret, readSecret } from '../shared/secrets.ts';
import type { AccessToken, TokenVerifier } from './tokens.ts';

/** The calling application, by its key and token: for which advisor, with which scopes and usage plan. */
export type Caller = {
  applicationId: number;
  advisorId: number;
  scopes: Set<string>;
  key: NonNullable<CallerRow['key']>;
  /** A reset of the sandbox ends every token from before. */
  untilReset?: AbortSignal;
};

/** The application id of the advisor's own app, which acts as the advisor. */
export const ownApp = 0;

/** Who is said to have done what a caller asks for. */
export function byCaller({ applicationId, advisorId }: Caller, traceId: string): By {
  return applicationId === ownApp ? byAdvisor(advisorId, traceId) : byApplication(applicationId, traceId);
}

export type Credentials = { accessToken: string; apiKey: string };

/** How long a caller is known, accepted or refused: a change takes effect within a second. */
const knownMs = 900;
/** Someone who tries many keys gets little memory, and pushes no accepted caller out. */
const refusedMax = 1_000;

/**
 * Checks both credentials against the records. Verified tokens are cached until they expire, and callers for a moment. A cached
 * caller costs nearly nothing, a fresh check two hashes and a query.
 */
export function callerFinder(deps: Deps, verify: TokenVerifier): (credentials: Credentials) => Promise<Caller> {
  const tokens = new BoundedMap<string, AccessToken>();
  const accepted = new BoundedMap<string, KnownCaller>();
  const refused = new BoundedMap<string, KnownCaller>(refusedMax);

  async function accessToken(token: string): Promise<AccessToken> {
    const key = hashSecret(token).toString('base64');
    const known = tokens.get(key);
    if (known && known.expiresAtMs > Date.now()) return known;
    const verified = await verify(token).catch((error) => {
      throw tokenProblem(error);
    });
    tokens.set(key, verified);
    return verified;
  }

  async function find(credentials: Credentials): Promise<KnownCaller> {
    const token = await accessToken(credentials.accessToken);
    const keyHash = hashSecret(checkedKey(credentials.apiKey, deps));
    const goodUntilMs = performance.now() + knownMs;
    const untilReset = deps.signals.resetGuard.signal();
    const caller = callerOf(token, await findCaller(deps.db, { ...token, keyHash }), untilReset);
    return { caller, goodUntilMs, expiresAtMs: token.expiresAtMs, untilReset };
  }

  return async (credentials) => {
    const id = `${credentials.accessToken} ${credentials.apiKey}`;
    const known = [accepted.get(id), refused.get(id)].find(isRecent) ?? (await find(credentials));
    const { caller } = known;
    (caller instanceof Problem ? refused : accepted).set(id, known);
    if (caller instanceof Problem) throw caller;
    return caller;
  };
}

/** The caller, or why they are refused: a refused caller shouldn't cost a query each time either. */
type KnownCaller = { caller: Caller | Problem; goodUntilMs: number; expiresAtMs: number; untilReset: AbortSignal };

function isRecent(known: KnownCaller | undefined): known is KnownCaller {
  if (!known || known.untilReset.aborted) return false;
  return known.goodUntilMs > performance.now() && known.expiresAtMs > Date.now();
}

/** Work for the caller that changes something. A reset of the sandbox that comes before it ends their token. */
export function actFor<Result>(deps: Pick<Deps, 'signals'>, caller: Caller, work: () => Promise<Result>) {
  return deps.signals.resetGuard.run(() => {
    if (caller.untilReset?.aborted) throw endedToken();
    return work();
  });
}

function callerOf(
  token: AccessToken,
  { key, application, advisor, ended }: CallerRow,
  untilReset: AbortSignal,
): Caller | Problem {
  if (!key || key.revoked) return unknownKey();
  if (!application)
    return invalidToken('The access token was issued to an application that is unknown here. Contact the operator.');
  if (application.disabled)
    return invalidToken('The application that the access token was issued to is disabled. Contact the operator.');
  if (key.applicationId !== application.applicationId)
    return problem(
      'unauthorized',
      'The API key in x-api-key and the access token belong to different applications: send a key and a token of the same one.',
    );
  if (!advisor) return invalidToken('The access token is for an advisor who is unknown here. Contact the operator.');
  if (advisor.disabled) return invalidToken('The advisor’s account is disabled. Contact the operator.');
  if (ended) return endedToken();
  return {
    applicationId: application.applicationId,
    advisorId: advisor.advisorId,
    scopes: token.scopes,
    key,
    untilReset,
  };
}

function endedToken(): Problem {
  return invalidToken(
    'The access token was revoked. Refresh it or get a new one; if that fails, the application was disconnected, and the advisor must authorize it again.',
  );
}

/** The sandbox's own routes need only a key, no token. */
export async function requireApiKey(deps: Deps, apiKey: string): Promise<void> {
  const keyHash = hashSecret(checkedKey(apiKey, deps));
  if (!(await findApiKey(deps.db, keyHash))) throw unknownKey();
}

function unknownKey() {
  return problem(
    'unauthorized',
    'The API key in x-api-key is unknown or revoked: send the one that the operator issued for this application.',
  );
}

/** A key that can't be ours is refused without a query; one for the other environment gets an error that says so. */
function checkedKey(apiKey: string, { config }: Deps): string {
  const reading = readSecret('apiKey', config.environment, apiKey);
  if (reading === 'malformed') throw unknownKey();
  if (reading === 'other_environment')
    throw problem(
      'unauthorized',
      `The API key in x-api-key is for a different environment: this is the ${config.environment} environment.`,
    );
  return apiKey;
}

/** The verifier's reasons are for our log: the partner does the same about all of them except expiry. */
export function tokenProblem(error: unknown): unknown {
  if (error instanceof Problem && error.code === 'unauthorized') return invalidToken(error.detail, error);
  if (!(error instanceof errors.JOSEError)) return error;
  if (error instanceof errors.JWTExpired)
    return invalidToken('The access token has expired: refresh it, or get a new one.', error);
  if (error instanceof errors.JWTClaimValidationFailed && (error.claim === 'iss' || error.claim === 'aud'))
    return invalidToken(
      'The access token was issued by or for a different server or environment: get one for this server.',
      error,
    );
  return invalidToken('The access token is not valid: send the access_token of the token response, unchanged.', error);
}

function invalidToken(detail: string, cause?: unknown): Problem {
  return problem('unauthorized', detail, { isInvalidToken: true, cause });
}
