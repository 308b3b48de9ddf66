import type { Db } from '../database/db.ts';

type OverviewRow = {
  /** Texts whose turn it is. */
  ready: number;
  /** Texts whose turn comes later: by the pace of their number, or because they are retried. */
  paced: number;
  /** Texts that wait for their recipient’s day. */
  deferred: number;
  /** Texts that a node has claimed and that have no outcome yet. */
  inFlight: number;
  inDoubt: number;
  held: number;
  awaitingConsent: number;
  sentLastMinute: number;
  sentLastHour: number;
  deliveredLastHour: number;
  failedLastHour: number;
  /** Texts that were refused since their rows are not what their entries say. */
  alteredLastDay: number;
  repliesLastHour: number;
  /** Pictures of replies that are still to be fetched. */
  mediaWaiting: number;
  reviewsOpen: number;
  schedulesDue: number;
  nextSchedule: Date | null;
  /** Webhook streams with something to tell. */
  streamsBehind: number;
};

/** `now` is domain time, `realNow` that of the outbox. Each count reads an index, or the newest pages of a table. Spans advisors: an operator looks at the whole deployment. */
export async function findOverview(db: Db, { now, realNow }: { now: Date; realNow: Date }): Promise<OverviewRow> {
  return db.one<OverviewRow>(
    `with sent as materialized (
       select date_time_sent, date_time_delivered
       from messages
       where date_time_sent > $1::timestamptz - interval '1 hour'
     )
     select
       (select count(*) from dispatches where deferred_until is null and not_before <= $2)::integer as ready,
       (select count(*) from dispatches where deferred_until is null and not_before > $2)::integer as paced,
       (select count(*) from dispatches where deferred_until is not null)::integer as deferred,
       (select coalesce(sum(cardinality(message_ids)), 0) from claims)::integer as "inFlight",
       (select count(*) from messages where rare_status = 'in_doubt')::integer as "inDoubt",
       (select count(*) from messages where rare_status = 'held')::integer as held,
       (select count(*) from messages where rare_status = 'awaiting_consent')::integer as "awaitingConsent",
       (select count(*) from sent where date_time_sent > $1::timestamptz - interval '1 minute')::integer as "sentLastMinute",
       (select count(*) from sent)::integer as "sentLastHour",
       (select count(*) from sent where date_time_delivered is not null)::integer as "deliveredLastHour",
       (
         select count(*)
         from messages
         where date_time_created > $1::timestamptz - interval '1 hour' and rare_status in ('failed', 'undelivered')
       )::integer as "failedLastHour",
       (
         select coalesce(sum(amount), 0)
         from traffic
         where grain = 'hour' and kind = 'text' and outcome = 'altered' and date_time > $2::timestamptz - interval '1 day'
       )::integer as "alteredLastDay",
       (select count(*) from replies where date_time_created > $1::timestamptz - interval '1 hour')::integer
         as "repliesLastHour",
       (select count(*) from reply_media where not_before is not null)::integer as "mediaWaiting",
       (select count(*) from reviews where status = 'open')::integer as "reviewsOpen",
       (select count(*) from scheduled_messages where status = 'scheduled' and delivery_date <= $1)::integer
         as "schedulesDue",
       (
         select delivery_date
         from scheduled_messages
         where status = 'scheduled' and delivery_date > $1
         order by delivery_date, scheduled_message_id
         limit 1
       ) as "nextSchedule",
       (select count(*) from webhook_streams where behind)::integer as "streamsBehind"`,
    [now, realNow],
  );
}
