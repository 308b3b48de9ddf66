import type { Db } from '../database/db.ts';

/** What an endpoint is told next about an advisor: a place in one of the two logs. */
export type StreamRow = {
  webhookId: number;
  advisorId: number;
  feed: 'events' | 'changes';
  number: number;
  contactId: number | null;
  endsAt: number | null;
  failures: number;
  failingSince: Date | null;
  scopes: string[];
};

/** SQL for what the application of a stream `s` may see. */
export const scopes = `
  array(
    select distinct unnest(g.scopes)
    from webhooks w
    join grants g on g.application_id = w.application_id
    where w.webhook_id = s.webhook_id and g.advisor_id = s.advisor_id
  ) as scopes`;

/**
 * Starts streams where the application has endpoints and access to an advisor, from what comes next on. A stream that was
 * about to end goes on. Spans advisors: an application acts for many.
 */
export async function insertStreams(
  db: Db,
  { applicationId, advisorId = null }: { applicationId: number; advisorId?: number | null },
): Promise<void> {
  await db.query(
    `insert into webhook_streams (webhook_id, advisor_id, feed, number)
     select w.webhook_id, g.advisor_id, 'events', coalesce(h.last_event, 0)
     from (select distinct application_id, advisor_id from grants where application_id = $1) as g
     join webhooks w on w.application_id = g.application_id
     left join archive_heads h on h.advisor_id = g.advisor_id
     where $2::bigint is null or g.advisor_id = $2
     union all
     select w.webhook_id, g.advisor_id, 'changes', coalesce(b.last_change, 0)
     from (select distinct application_id, advisor_id from grants where application_id = $1) as g
     join webhooks w on w.application_id = g.application_id
     left join contact_books b on b.advisor_id = g.advisor_id
     where $2::bigint is null or g.advisor_id = $2
     on conflict (webhook_id, advisor_id, feed) do update
     set ends_at = null`,
    [applicationId, advisorId],
  );
}

/**
 * Before the application's access ends: nobody can say afterwards what it could see, so what it can't is passed over while its
 * grants still tell. Spans advisors: an application acts for many.
 */
export async function skipUnreadable(
  db: Db,
  { applicationId, advisorId, scope }: { applicationId: number; advisorId: number | null; scope: string },
): Promise<void> {
  await db.query(
    `update webhook_streams s
     set number = h.last_event
     from archive_heads h
     where s.webhook_id in (select webhook_id from webhooks where application_id = $1)
       and ($2::bigint is null or s.advisor_id = $2)
       and s.feed = 'events'
       and s.ends_at is null
       and h.advisor_id = s.advisor_id
       and h.last_event > s.number
       and not exists (
         select
         from grants g
         where g.application_id = $1 and g.advisor_id = s.advisor_id and $3 = any (g.scopes)
       )`,
    [applicationId, advisorId, scope],
  );
}

type Access = { applicationId: number; advisorId: number };

/** Once the application has no access to the advisor: the event that says so is the last one, and no change is told. */
export async function endStreams(db: Db, { applicationId, advisorId }: Access): Promise<void> {
  await db.query(
    `with gone as (
       delete from webhook_streams
       where webhook_id in (select webhook_id from webhooks where application_id = $1)
         and advisor_id = $2 and feed = 'changes'
         and not exists (select from grants where application_id = $1 and advisor_id = $2)
     )
     update webhook_streams
     set ends_at = (select last_event from archive_heads where advisor_id = $2)
     where webhook_id in (select webhook_id from webhooks where application_id = $1)
       and advisor_id = $2 and feed = 'events'
       and not exists (select from grants where application_id = $1 and advisor_id = $2)`,
    [applicationId, advisorId],
  );
}

/** What the endpoint's application may see of an advisor. */
export async function listScopes(
  db: Db,
  { webhookId, advisorId }: Pick<StreamRow, 'webhookId' | 'advisorId'>,
): Promise<string[]> {
  const found = await db.value<string[]>(
    `select ${scopes}
     from (select $1::bigint as webhook_id, $2::bigint as advisor_id) as s`,
    [webhookId, advisorId],
  );
  return found ?? [];
}

/**
 * Every stream may go on now: the endpoint was switched on, or another one is in its place. Then turns that are under way are about
 * the one before, so their leases end, and what comes of them isn't written down. Spans advisors: an application acts for many.
 */
export async function resumeStreams(
  db: Db,
  webhookId: number,
  { isReplaced = false }: { isReplaced?: boolean } = {},
): Promise<void> {
  await db.query(
    `update webhook_streams
     set failures = 0, failing_since = null, not_before = '-infinity',
         leased_until = case when $2 then null else leased_until end
     where webhook_id = $1`,
    [webhookId, isReplaced],
  );
}

/** For how many advisors what comes next has failed, and since when. Spans advisors: an application acts for many. */
export async function findFailing(db: Db, webhookId: number) {
  return db.one<{ failing: number; failingSince: Date | null }>(
    `select count(distinct advisor_id) as failing, min(failing_since) as "failingSince"
     from webhook_streams
     where webhook_id = $1 and failures > 0`,
    [webhookId],
  );
}
