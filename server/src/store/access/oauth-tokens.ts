import type { Db } from '../database/db.ts';
import { deleteBatch } from '../shared/old-rows.ts';

export type OAuthTokenKind = 'AuthorizationCode' | 'RefreshToken';
export type OAuthTokenRow = {
  payload: Record<string, unknown>;
  grantId: string;
  authorizationId: string;
  dateTimeUsed: Date | null;
};

/** The library's session lives for one authorization request, so all that comes of one code has the same, and nothing else does. */
const authorization = `payload->>'sessionUid'`;

export async function insertOAuthToken(
  db: Db,
  token: { hash: Buffer; kind: OAuthTokenKind; grantId: string; payload: object; expires: Date },
): Promise<void> {
  await db.query(
    'insert into oauth_tokens (token_hash, kind, grant_id, payload, date_time_expires) values ($1, $2, $3, $4, $5)',
    [token.hash, token.kind, token.grantId, token.payload, token.expires],
  );
}

export async function findOAuthToken(db: Db, kind: OAuthTokenKind, hash: Buffer): Promise<OAuthTokenRow | null> {
  return db.find<OAuthTokenRow>(
    `select payload, grant_id as "grantId", ${authorization} as "authorizationId", date_time_used as "dateTimeUsed"
     from oauth_tokens
     where token_hash = $1 and kind = $2`,
    [hash, kind],
  );
}

/**
 * Marks it used, once: of several concurrent calls, all but one wait for the first and then find it used. Returns its
 * grant, or null if it was used before.
 */
export async function updateOAuthTokenUsed(db: Db, hash: Buffer, now: Date): Promise<string | null> {
  return db.value<string>(
    `update oauth_tokens
     set date_time_used = $2
     where token_hash = $1 and date_time_used is null
     returning grant_id as "grantId"`,
    [hash, now],
  );
}

export async function updateOAuthTokenResponse(
  db: Db,
  hash: Buffer,
  { successorHash, response }: { successorHash: Buffer; response: Buffer },
): Promise<void> {
  await db.query('update oauth_tokens set successor_hash = $2, response = $3 where token_hash = $1', [
    hash,
    successorHash,
    response,
  ]);
}

/** The kept response of a token used since then, unless the successor in that response has been used itself. */
export async function findOAuthTokenResponse(db: Db, hash: Buffer, since: Date): Promise<Buffer | null> {
  return db.value<Buffer>(
    `select t.response
     from oauth_tokens t
     join oauth_tokens successor on successor.token_hash = t.successor_hash
     where t.token_hash = $1 and t.date_time_used > $2 and t.response is not null and successor.date_time_used is null`,
    [hash, since],
  );
}

export async function clearOAuthTokenResponses(db: Db, usedBefore: Date, limit: number): Promise<number> {
  const updated = await db.query(
    `update oauth_tokens
     set response = null
     where token_hash in (
       select token_hash
       from oauth_tokens
       where response is not null and date_time_used < $1
       limit $2
       for update skip locked
     )
     returning 1`,
    [usedBefore, limit],
  );
  return updated.length;
}

export async function deleteOAuthTokensOfGrant(db: Db, grantId: string, limit: number): Promise<number> {
  const ended = { table: 'oauth_tokens', key: 'token_hash', where: 'grant_id = $1' };
  return deleteBatch(db, ended, [grantId], limit);
}

/** The refresh tokens that came of one code. A code lasts a minute, so there are few. */
export async function deleteRefreshTokens(
  db: Db,
  { grantId, authorizationId }: Pick<OAuthTokenRow, 'grantId' | 'authorizationId'>,
): Promise<void> {
  await db.query(
    `delete from oauth_tokens
     where grant_id = $1 and kind = 'RefreshToken' and ${authorization} = $2`,
    [grantId, authorizationId],
  );
}

export async function insertRevokedToken(db: Db, tokenId: string, expires: Date): Promise<void> {
  await db.query(
    `insert into revoked_tokens (token_id, date_time_expires)
     values ($1, $2)
     on conflict do nothing`,
    [tokenId, expires],
  );
}
