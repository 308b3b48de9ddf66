/**
 * SQL for the joins that say, as `became`, what became of the text of an entry `e`: what its last outcome entry says, whatever somebody made of
 * the message's row `t`. Only what no outcome can say yet is that row's: that the text waits, or was handed over and has had no receipt.
 * The offset keeps PostgreSQL from reading an advisor's entries from their end until one is about this text.
 */
export const whatBecame = `
  left join lateral (
    select
      meta::json ->> 'outcome' as status, meta::json ->> 'reason' as reason,
      (meta::json ->> 'handedOver')::timestamptz as handed_over,
      coalesce((meta::json ->> 'begun')::timestamptz, date_time_created) as ended
    from (
      select number, meta, date_time_created
      from archive_entries
      where e.kind = 'text_out' and kind = 'outcome' and message_id = e.message_id and advisor_id = e.advisor_id
      offset 0
    ) as outcomes
    order by number desc
    limit 1
  ) as outcome on true
  cross join lateral (
    select
      case
        when outcome.status is not null then outcome.status
        when t.status in ('held', 'awaiting_consent') then t.status
        when t.date_time_sent is not null then 'sent'
        when t.status is not null then 'queued'
      end as status,
      case when outcome.status in ('failed', 'undelivered') then outcome.reason end as failure_code,
      case when outcome.status is null then t.date_time_sent else outcome.handed_over end as handed_over,
      case when outcome.handed_over is null then outcome.ended end as ended
  ) as became`;
