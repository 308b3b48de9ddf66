import { hkdfSync } from 'node:crypto';
import type { Deps } from '../../deps.ts';
import { deleteEndedGrant, listEndedGrants } from '../../store/access/grants.ts';
import * as store from '../../store/access/oauth-tokens.ts';
import { insertRevokedToken, type OAuthTokenKind, type OAuthTokenRow } from '../../store/access/oauth-tokens.ts';
import { byService } from '../archive/archive.ts';
import { forgetBefore, inBatches } from '../shared/in-batches.ts';
import { makeSealer, type Sealer } from '../shared/sealing.ts';
import { hashSecret } from '../shared/secrets.ts';
import { archiveSignIn } from '../sign-in/sign-in-records.ts';
import { endGrant, findGrant } from './grants.ts';
import { tokenLifetimeSeconds } from './signing-keys.ts';

export type { OAuthTokenKind } from '../../store/access/oauth-tokens.ts';

/** An authorization code or a refresh token: good for one use. Only its hash is stored. */
type OAuthToken = { payload: Record<string, unknown>; usedAt: Date | null };

/** How long a refresh can be repeated for the same response: long enough for a client to retry after a timeout. */
const lostResponseMs = 30_000;
const keptResponse = 'assent answer to a refresh';

export async function saveOAuthToken(
  deps: Deps,
  { kind, value, grantId, payload, expires }: OAuthTokenInput,
): Promise<void> {
  await store.insertOAuthToken(deps.db, { hash: hashSecret(value), kind, grantId, payload, expires });
}

type OAuthTokenInput = {
  kind: OAuthTokenKind;
  value: string;
  grantId: string;
  payload: Record<string, unknown>;
  expires: Date;
};

export async function findOAuthToken(deps: Deps, kind: OAuthTokenKind, value: string): Promise<OAuthToken | null> {
  const row = await store.findOAuthToken(deps.db, kind, hashSecret(value));
  return row && { payload: row.payload, usedAt: row.dateTimeUsed };
}

/** Returns its grant, or null if it was used before, even a moment ago. */
export async function useOAuthToken(deps: Deps, value: string): Promise<string | null> {
  return store.updateOAuthTokenUsed(deps.db, hashSecret(value), new Date());
}

/** Keeps the response to a refresh in case it gets lost on the way. Only the token's holder can read it. */
export async function keepResponse(
  deps: Deps,
  { token, successor, response }: { token: string; successor: string; response: object },
): Promise<void> {
  await store.updateOAuthTokenResponse(deps.db, hashSecret(token), {
    successorHash: hashSecret(successor),
    response: sealerOf(token).seal(JSON.stringify(response), keptResponse),
  });
}

/**
 * Decides about the second use of a code or a refresh token. A refresh whose response was lost gets the same response, as
 * long as nobody has used the new token: there is still one chain of tokens, and it can't fork. Any other reuse ends the
 * grant: two parties hold a token that only one of them was given. A code ends only what it gave, because a browser that
 * loads the application's callback twice is no reason to end what the application had before. docs/decisions/0004 explains
 * why this is sound.
 */
export async function inspectReuse(
  deps: Deps,
  { kind, value, traceId }: { kind: OAuthTokenKind; value: string; traceId?: string | null },
): Promise<{ response: object } | { ended: 'nothing' | 'its tokens' | 'the grant' }> {
  if (kind === 'RefreshToken') {
    const kept = await store.findOAuthTokenResponse(deps.db, hashSecret(value), new Date(Date.now() - lostResponseMs));
    if (kept) return { response: JSON.parse(sealerOf(value).open(kept, keptResponse)) };
  }
  const token = await store.findOAuthToken(deps.db, kind, hashSecret(value));
  if (!token?.dateTimeUsed) return { ended: 'nothing' };
  if (kind === 'AuthorizationCode') {
    await endTokensOfCode(deps, token, traceId);
    return { ended: 'its tokens' };
  }
  await endGrant(deps, token.grantId, { reason: 'used twice', traceId });
  return { ended: 'the grant' };
}

/** Refresh tokens at once, access tokens within a second on every node. The authorization stays. */
async function endTokensOfCode(deps: Deps, code: OAuthTokenRow, traceId: string | null = null): Promise<void> {
  const grant = await findGrant(deps, code.grantId);
  if (!grant) return;
  await store.deleteRefreshTokens(deps.db, code);
  await insertRevokedToken(deps.db, code.authorizationId, new Date(Date.now() + tokenLifetimeSeconds * 1000));
  const { advisorId, applicationId, clientId } = grant;
  const ended = { action: 'application tokens ended', of: { applicationId, clientId } } as const;
  await archiveSignIn(
    deps,
    { ...byService, traceId },
    { advisorId },
    { ...ended, values: { reason: 'code used twice' } },
  );
}

/** Expired tokens can be forgotten: they are refused whether or not they are known. */
export async function forgetExpiredTokens(deps: Deps): Promise<void> {
  const now = deps.databaseClock.now();
  const answeredBefore = new Date(now.getTime() - lostResponseMs);
  await inBatches(deps, (limit) => store.clearOAuthTokenResponses(deps.db, answeredBefore, limit));
  for (const table of ['oauth_tokens', 'revoked_tokens', 'interactions'] as const) await forgetBefore(deps, table, now);
  await forgetTokensOfEndedGrants(deps);
}

async function forgetTokensOfEndedGrants(deps: Deps): Promise<void> {
  for (const grantId of await listEndedGrants(deps.db)) {
    if (!(await inBatches(deps, (limit) => store.deleteOAuthTokensOfGrant(deps.db, grantId, limit)))) return;
    await deleteEndedGrant(deps.db, grantId);
  }
}

function sealerOf(token: string): Sealer {
  return makeSealer([Buffer.from(hkdfSync('sha256', token, '', keptResponse, 32))]);
}
