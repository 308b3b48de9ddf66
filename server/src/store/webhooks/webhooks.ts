import type { Db } from '../database/db.ts';

export type WebhookRow = {
  applicationId: number;
  clientId: string;
  applicationName: string;
  url: string;
  sealedSecret: Buffer;
  sealedOldSecret: Buffer | null;
  oldSecretUntil: Date | null;
  disabledAt: Date | null;
  disabledReason: string | null;
  dateTimeCreated: Date;
};

const columns = `
  w.application_id as "applicationId", a.client_id as "clientId", a.name as "applicationName", w.url,
  w.sealed_secret as "sealedSecret", w.sealed_old_secret as "sealedOldSecret", w.old_secret_until as "oldSecretUntil",
  w.disabled_at as "disabledAt", w.disabled_reason as "disabledReason", w.date_time_created as "dateTimeCreated"`;

export async function upsertWebhook(
  db: Db,
  { applicationId, url, sealedSecret }: Pick<WebhookRow, 'applicationId' | 'url' | 'sealedSecret'>,
  now: Date,
): Promise<void> {
  await db.query(
    `insert into webhooks (application_id, url, sealed_secret, date_time_created)
     values ($1, $2, $3, $4)
     on conflict (application_id) do update
     set url = excluded.url, sealed_secret = excluded.sealed_secret, sealed_old_secret = null,
         old_secret_until = null, disabled_at = null, disabled_reason = null`,
    [applicationId, url, sealedSecret, now],
  );
}

export async function updateSecrets(
  db: Db,
  {
    applicationId,
    sealedSecret,
    sealedOldSecret,
    oldSecretUntil,
  }: Pick<WebhookRow, 'applicationId' | 'sealedSecret' | 'sealedOldSecret' | 'oldSecretUntil'>,
): Promise<void> {
  await db.query(
    `update webhooks
     set sealed_secret = $2, sealed_old_secret = $3, old_secret_until = $4
     where application_id = $1`,
    [applicationId, sealedSecret, sealedOldSecret, oldSecretUntil],
  );
}

/** False if it was off. */
export async function disableWebhook(db: Db, applicationId: number, reason: string, now: Date): Promise<boolean> {
  const rows = await db.query(
    `update webhooks
     set disabled_at = $3, disabled_reason = $2
     where application_id = $1 and disabled_at is null
     returning 1`,
    [applicationId, reason, now],
  );
  return rows.length > 0;
}

export async function listWebhooks(db: Db): Promise<WebhookRow[]> {
  return db.query<WebhookRow>(
    `select ${columns}
     from webhooks w
     join applications a using (application_id)
     order by w.application_id`,
  );
}

export async function listActiveWebhooks(db: Db): Promise<WebhookRow[]> {
  return db.query<WebhookRow>(
    `select ${columns}
     from webhooks w
     join applications a using (application_id)
     where w.disabled_at is null and not a.disabled
     order by w.application_id`,
    [],
    'list-active-webhooks',
  );
}

export async function findWebhook(db: Db, applicationId: number): Promise<WebhookRow | null> {
  const [row] = await db.query<WebhookRow>(
    `select ${columns}
     from webhooks w
     join applications a using (application_id)
     where w.application_id = $1`,
    [applicationId],
  );
  return row ?? null;
}
