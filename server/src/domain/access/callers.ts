import { hash } from 'node:crypto';
import { errors } from 'jose';
import type { Deps } from '../../deps.ts';
import { type CallerRow, findCaller, findKey } from '../../store/access/api-keys.ts';
import { Problem, problem } from '../problems.ts';
import { Bounded } from '../shared/bounded.ts';
import { hashSecret, readSecret } from '../shared/secrets.ts';
import type { AccessToken, TokenVerifier } from './tokens.ts';

/** Who calls: the application by its key and token, for which advisor, with which scopes and under which plan. */
export type Caller = {
  applicationId: number;
  advisorId: number;
  scopes: Set<string>;
  key: NonNullable<CallerRow['key']>;
};

export type Credentials = { accessToken: string; apiKey: string };

/** How long a record is remembered: a change (a revoked key, a disconnected application) is felt within a second. */
const recordsMs = 500;

/**
 * Both credentials, checked against the records. Verified tokens are remembered until they expire, and who they turned out
 * to be for recordsMs: that takes one hash, where the checks take three and a look at the records.
 */
export function callerFinder(deps: Deps, verify: TokenVerifier): (credentials: Credentials) => Promise<Caller> {
  const tokens = new Bounded<string, AccessToken>();
  const callers = new Bounded<string, Known>();

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

  async function find(credentials: Credentials): Promise<Known> {
    const token = await accessToken(credentials.accessToken);
    const keyHash = hashSecret(checkedKey(credentials.apiKey, deps));
    const { client, advisor: advisorName, grantId, tokenId, keyId } = token;
    const readAtMs = Date.now();
    const row = await findCaller(deps.db, { keyHash, client, advisor: advisorName, grantId, tokenId, keyId });
    return { caller: callerOf(token, row), goodUntilMs: Math.min(readAtMs + recordsMs, token.expiresAtMs) };
  }

  return async (credentials) => {
    const id = hash('sha256', `${credentials.accessToken} ${credentials.apiKey}`, 'base64');
    const known = callers.get(id);
    if (known && known.goodUntilMs > Date.now()) return admitted(known.caller);
    const found = await find(credentials);
    callers.set(id, found);
    return admitted(found.caller);
  };
}

/** Who calls, or why not: also whoever is refused must not ask the database each time. */
type Known = { caller: Caller | Problem; goodUntilMs: number };

function admitted(caller: Caller | Problem): Caller {
  if (caller instanceof Problem) throw caller;
  return caller;
}

function callerOf(token: AccessToken, { key, application, advisor, ended }: CallerRow): Caller | Problem {
  if (!key || key.revoked) return unknownKey();
  if (!application || application.disabled)
    return problem('unauthorized', 'The application that the access token was issued to is disabled.');
  if (key.applicationId !== application.applicationId)
    return problem('unauthorized', 'The API key in x-api-key belongs to another application than the access token.');
  if (!advisor || advisor.disabled) return problem('unauthorized', 'The advisor’s account is disabled.');
  if (ended)
    return problem(
      'unauthorized',
      'The access token was ended. Refresh it; if that fails, the application was disconnected, and the advisor must authorize it again.',
    );
  return { applicationId: application.applicationId, advisorId: advisor.advisorId, scopes: token.scopes, key };
}

/** The sandbox's own routes need a key and no token. */
export async function requireKey(deps: Deps, apiKey: string): Promise<void> {
  const keyHash = hashSecret(checkedKey(apiKey, deps));
  if (!(await findKey(deps.db, keyHash))) throw unknownKey();
}

function unknownKey() {
  return problem('unauthorized', 'The API key in x-api-key is unknown or revoked.');
}

/** A key that can't be ours is refused without a look at the records, one of the other environment by name. */
function checkedKey(apiKey: string, { config }: Deps): string {
  const reading = readSecret('apiKey', config.environment, apiKey);
  if (reading === 'malformed') throw unknownKey();
  if (reading === 'other_environment')
    throw problem(
      'unauthorized',
      `The API key in x-api-key is of another environment: this is the ${config.environment} environment.`,
    );
  return apiKey;
}

/** What the verifier says is for us; what the partner does about it is the same for all but expiry. */
export function tokenProblem(error: unknown): unknown {
  if (error instanceof Problem || !(error instanceof errors.JOSEError)) return error;
  if (error instanceof errors.JWTExpired)
    return problem('unauthorized', 'The access token has expired: refresh it.', { cause: error });
  if (error instanceof errors.JWTClaimValidationFailed && (error.claim === 'iss' || error.claim === 'aud'))
    return problem('unauthorized', 'The access token was issued by or for another server or environment.', {
      cause: error,
    });
  return problem('unauthorized', 'The access token is not valid.', { cause: error });
}
