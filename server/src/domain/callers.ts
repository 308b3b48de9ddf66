import { errors } from 'jose';
import type { Deps } from '../deps.ts';
import { type CallerRow, findCaller, findKey } from '../store/keys.ts';
import { Bounded } from './bounded.ts';
import { Problem, problem } from './problems.ts';
import { hashSecret, readSecret } from './secrets.ts';
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

/** Both credentials, checked against the records. Verified tokens are remembered until they expire, records for recordsMs. */
export function callerFinder(deps: Deps, verify: TokenVerifier): (credentials: Credentials) => Promise<Caller> {
  const tokens = new Bounded<string, AccessToken>();
  const records = new Bounded<string, { row: CallerRow; readAtMs: number }>();

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

  async function callerRow(token: AccessToken, keyHash: Buffer): Promise<CallerRow> {
    const { client, advisor, grantId, tokenId, keyId } = token;
    const cacheKey = JSON.stringify([keyHash.toString('base64'), client, advisor, grantId, tokenId, keyId]);
    const known = records.get(cacheKey);
    if (known && known.readAtMs > Date.now() - recordsMs) return known.row;
    const row = await findCaller(deps.db, { keyHash, client, advisor, grantId, tokenId, keyId });
    records.set(cacheKey, { row, readAtMs: Date.now() });
    return row;
  }

  return async (credentials) => {
    const token = await accessToken(credentials.accessToken);
    const keyHash = hashSecret(checkedKey(credentials.apiKey, deps));
    const { key, application, advisor, ended } = await callerRow(token, keyHash);
    if (!key || key.revoked) throw unknownKey();
    if (!application || application.disabled)
      throw problem('unauthorized', 'The application that the access token was issued to is disabled.');
    if (key.applicationId !== application.applicationId)
      throw problem('unauthorized', 'The API key in x-api-key belongs to another application than the access token.');
    if (!advisor || advisor.disabled) throw problem('unauthorized', 'The advisor’s account is disabled.');
    if (ended)
      throw problem(
        'unauthorized',
        'The access token was ended. Refresh it; if that fails, the application was disconnected, and the advisor must authorize it again.',
      );
    return { applicationId: application.applicationId, advisorId: advisor.advisorId, scopes: token.scopes, key };
  };
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
