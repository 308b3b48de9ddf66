import type { Db } from '../database/db.ts';

export type UsagePlan = { ratePerSecond: number | null; burst: number | null; dailyQuota: number | null };
export type ApiKeyRow = UsagePlan & {
  keyId: number;
  clientId: string;
  hint: string;
  revoked: boolean;
  dateTimeCreated: Date;
};

export async function insertApiKey(
  db: Db,
  key: { applicationId: number; keyHash: Buffer; hint: string; plan: UsagePlan },
  now: Date,
): Promise<number> {
  const { keyId } = await db.one<{ keyId: number }>(
    `insert into api_keys (application_id, key_hash, hint, rate_per_second, burst, daily_quota, date_time_created)
     values ($1, $2, $3, $4, $5, $6, $7)
     returning key_id as "keyId"`,
    [key.applicationId, key.keyHash, key.hint, key.plan.ratePerSecond, key.plan.burst, key.plan.dailyQuota, now],
  );
  return keyId;
}

const columns = `
  key_id as "keyId", client_id as "clientId", hint, rate_per_second as "ratePerSecond", burst,
  daily_quota as "dailyQuota", revoked, k.date_time_created as "dateTimeCreated"`;

export async function listApiKeys(db: Db): Promise<ApiKeyRow[]> {
  return db.query<ApiKeyRow>(
    `select ${columns}
     from api_keys k
     join applications using (application_id)
     order by key_id`,
  );
}

/** Locked, so that a change knows the values before it. */
export async function findApiKeyForUpdate(db: Db, keyId: number): Promise<ApiKeyRow | null> {
  return db.find<ApiKeyRow>(
    `select ${columns}
     from api_keys k
     join applications using (application_id)
     where key_id = $1
     for no key update of k`,
    [keyId],
  );
}

export async function updateApiKeyPlan(db: Db, keyId: number, plan: UsagePlan): Promise<void> {
  await db.query(
    `update api_keys
     set rate_per_second = $2, burst = $3, daily_quota = $4
     where key_id = $1`,
    [keyId, plan.ratePerSecond, plan.burst, plan.dailyQuota],
  );
}

export async function updateApiKeyRevoked(db: Db, keyId: number): Promise<void> {
  await db.query('update api_keys set revoked = true where key_id = $1', [keyId]);
}

/**
 * Takes one request from the day's quota and returns how many are used. It is in the database so that the quota holds
 * across nodes and restarts; only keys with a quota pay for it. A refused request doesn't count.
 */
export async function useDailyQuota(db: Db, keyId: number, day: string, quota: number): Promise<number | null> {
  return db.value<number>(
    `insert into api_key_days as d (key_id, day, used)
     values ($1, $2, 1)
     on conflict (key_id, day) do update
     set used = d.used + 1
     where d.used < $3
     returning used`,
    [keyId, day, quota],
    'use-daily-quota',
  );
}

export async function findDailyUse(db: Db, keyId: number, day: string): Promise<number> {
  return (await db.value<number>('select used from api_key_days where key_id = $1 and day = $2', [keyId, day])) ?? 0;
}

/** The key alone, for routes that need no token; null if it is revoked or its application is disabled. */
export async function findApiKey(db: Db, keyHash: Buffer) {
  return db.find<{ keyId: number; clientId: string }>(
    `select key_id as "keyId", client_id as "clientId"
     from api_keys
     join applications using (application_id)
     where key_hash = $1 and not revoked and not disabled`,
    [keyHash],
  );
}

/** What an access token names: whom it is for, and what can end it. */
export type TokenParts = {
  clientId: string;
  advisorId: number;
  grantId: string;
  tokenId: string;
  /** Shared by all tokens that came of one code, which can be revoked together. */
  authorizationId: string | null;
  /** The key that signed it. */
  kid: string;
};

/** Everything that both credentials refer to, in one query: missing records are null. */
export type CallerRow = {
  key: (UsagePlan & { keyId: number; applicationId: number; revoked: boolean }) | null;
  application: { applicationId: number; disabled: boolean } | null;
  advisor: { advisorId: number; disabled: boolean } | null;
  /** The token's grant or signing key no longer exists, or it was revoked, alone or with all that came of its code. */
  ended: boolean;
};

export async function findCaller(db: Db, credentials: TokenParts & { keyHash: Buffer }): Promise<CallerRow> {
  const [row] = await db.lookUp<CallerRow>(
    `select
       (
         select json_build_object(
           'keyId', key_id, 'applicationId', application_id, 'revoked', revoked, 'ratePerSecond', rate_per_second,
           'burst', burst, 'dailyQuota', daily_quota
         )
         from api_keys
         where key_hash = $1
       ) as key,
       (
         select json_build_object('applicationId', application_id, 'disabled', disabled)
         from applications
         where client_id = $2
       ) as application,
       (
         select json_build_object('advisorId', advisor_id, 'disabled', disabled)
         from advisors
         where advisor_id = $3
       ) as advisor,
       not exists (select from grants where grant_id = $4)
         or exists (select from revoked_tokens where token_id in ($5, $7))
         or not exists (select from signing_keys where kid = $6) as ended`,
    [
      credentials.keyHash,
      credentials.clientId,
      credentials.advisorId,
      credentials.grantId,
      credentials.tokenId,
      credentials.kid,
      credentials.authorizationId,
    ],
    'find-caller',
  );
  if (!row) throw new Error('The select returned no row.');
  return row;
}
