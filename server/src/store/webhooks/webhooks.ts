import type { Db } from '../database/db.ts';

export type WebhookRow = {
  webhookId: number;
  applicationId: number;
  clientId: string;
  applicationName: string;
  url: string;
  /** Null for all. */
  types: string[] | null;
  sealedSecret: Buffer;
  sealedOldSecret: Buffer | null;
  oldSecretUntil: Date | null;
  disabledAt: Date | null;
  disabledReason: string | null;
  /** Of assent listen; null for all others. */
  listenedUntil: Date | null;
  dateTimeCreated: Date;
};

const columns = `
  w.webhook_id as "webhookId", w.application_id as "applicationId", a.client_id as "clientId",
  a.name as "applicationName", w.url, w.types,
  w.sealed_secret as "sealedSecret", w.sealed_old_secret as "sealedOldSecret", w.old_secret_until as "oldSecretUntil",
  w.disabled_at as "disabledAt", w.disabled_reason as "disabledReason",
  w.listened_until as "listenedUntil", w.date_time_created as "dateTimeCreated"`;

type NewWebhook = Pick<WebhookRow, 'applicationId' | 'url' | 'types' | 'sealedSecret' | 'listenedUntil'>;

/** Null if the application has one with that address. */
export async function insertWebhook(
  db: Db,
  { applicationId, url, types, sealedSecret, listenedUntil }: NewWebhook,
  now: Date,
): Promise<number | null> {
  return db.value<number>(
    `insert into webhooks (application_id, url, types, sealed_secret, listened_until, date_time_created)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (application_id, url) do nothing
     returning webhook_id as "webhookId"`,
    [applicationId, url, types, sealedSecret, listenedUntil, now],
  );
}

/** Puts another endpoint in its place, which is on and goes on where it was. */
export async function updateWebhook(
  db: Db,
  webhookId: number,
  { url, types, sealedSecret }: Pick<NewWebhook, 'url' | 'types' | 'sealedSecret'>,
): Promise<void> {
  await db.query(
    `update webhooks
     set url = $2, types = $3, sealed_secret = $4, sealed_old_secret = null,
         old_secret_until = null, disabled_at = null, disabled_reason = null
     where webhook_id = $1`,
    [webhookId, url, types, sealedSecret],
  );
}

/** Its streams go with it. */
export async function deleteWebhook(db: Db, webhookId: number): Promise<void> {
  await db.query('delete from webhooks where webhook_id = $1', [webhookId]);
}

/** False if somebody has replaced the secret since, and was shown theirs. */
export async function updateSecrets(
  db: Db,
  {
    webhookId,
    sealedSecret,
    sealedOldSecret,
    oldSecretUntil,
  }: Pick<WebhookRow, 'webhookId' | 'sealedSecret' | 'sealedOldSecret' | 'oldSecretUntil'>,
  before: Pick<WebhookRow, 'sealedSecret'>,
): Promise<boolean> {
  return db.has(
    `update webhooks
     set sealed_secret = $2, sealed_old_secret = $3, old_secret_until = $4
     where webhook_id = $1 and sealed_secret = $5
     returning 1`,
    [webhookId, sealedSecret, sealedOldSecret, oldSecretUntil, before.sealedSecret],
  );
}

/** False if it was off, or another endpoint is in its place. */
export async function disableWebhook(
  db: Db,
  { webhookId, url }: Pick<WebhookRow, 'webhookId' | 'url'>,
  reason: string,
  now: Date,
): Promise<boolean> {
  return db.has(
    `update webhooks
     set disabled_at = $4, disabled_reason = $3
     where webhook_id = $1 and url = $2 and disabled_at is null
     returning 1`,
    [webhookId, url, reason, now],
  );
}

/** False if it was on. */
export async function enableWebhook(db: Db, webhookId: number): Promise<boolean> {
  return db.has(
    `update webhooks
     set disabled_at = null, disabled_reason = null
     where webhook_id = $1 and disabled_at is not null
     returning 1`,
    [webhookId],
  );
}

/** Of one application, or of all. */
export async function listWebhooks(db: Db, applicationId: number | null = null): Promise<WebhookRow[]> {
  return db.query<WebhookRow>(
    `select ${columns}
     from webhooks w
     join applications a using (application_id)
     where $1::bigint is null or w.application_id = $1
     order by w.application_id, w.webhook_id`,
    [applicationId],
  );
}

/** False if it is gone, or switched off. */
export async function updateListening(db: Db, webhookId: number, until: Date): Promise<boolean> {
  return db.has(
    `update webhooks
     set listened_until = $2
     where webhook_id = $1 and disabled_at is null
     returning 1`,
    [webhookId, until],
  );
}

/** Those that are pushed to. */
export async function listActiveWebhooks(db: Db, now: Date): Promise<WebhookRow[]> {
  return db.query<WebhookRow>(
    `select ${columns}
     from webhooks w
     join applications a using (application_id)
     where w.disabled_at is null and not a.disabled and coalesce(w.listened_until > $1, true)
     order by w.webhook_id`,
    [now],
    'list-active-webhooks',
  );
}
