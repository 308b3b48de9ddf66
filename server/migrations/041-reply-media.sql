-- Pictures and the like that came with a reply. Each is fetched from the carrier afterwards, into an entry of its own.
create table reply_media (
  advisor_id bigint not null,
  -- The reply's entry, and the place in the reply, from 1.
  reply_number bigint not null,
  place smallint not null,
  member_id bigint not null,
  carrier_id smallint not null,
  -- Where the carrier has it. It may be signed, so it is null once nobody has to fetch it any more.
  url text,
  content_type text not null,
  -- The entry that has it, or says why it couldn't be fetched, and the bytes in there.
  media_number bigint,
  size integer not null default 0,
  failures smallint not null default 0,
  -- Real time. Whoever claims it moves this on; null once there is an entry.
  not_before timestamptz,
  date_time_created timestamptz not null,
  primary key (advisor_id, reply_number, place)
);
create index reply_media_due on reply_media (carrier_id, not_before) where not_before is not null;
grant select, insert, update on reply_media to assent_app;

-- As before, with media.
create or replace function disposable_bodies(of_advisor bigint, after_number bigint, bodies_max integer)
returns table (body_number bigint, is_old boolean, is_disposable boolean)
language sql stable
as $$
  with rules as materialized (
    select firm_id, make_interval(years => retention_years(firm_id)) as kept_for
    from advisors
    where advisor_id = of_advisor
  ),
  newest as materialized (
    select date_time_created at time zone 'UTC' as signed_at
    from archive_checkpoints
    order by checkpoint_id desc
    limit 1
  ),
  limits as materialized (
    select
      firm_id,
      domain_now() - kept_for as kept_from,
      now() - kept_for as recorded_from,
      (
        select size
        from archive_checkpoints
        where date_time_created <= (signed_at - kept_for) at time zone 'UTC'
        order by date_time_created desc
        limit 1
      ) as signed_size
    from rules
    left join newest on true
  ),
  page as materialized (
    select number
    from archive_bodies
    where advisor_id = of_advisor and number > after_number
    order by number
    limit least(bodies_max, 10000)
  ),
  aged as materialized (
    select
      e.*, l.firm_id,
      e.date_time_created < l.kept_from
        and coalesce(e.recorded_at, e.date_time_created) < l.recorded_from
        and coalesce(
          (
            select r.first_leaf + e.number - r.first_number < l.signed_size and e.number < r.first_number + r.entries
            from archive_runs r
            where r.advisor_id = of_advisor and r.first_number <= e.number
            order by r.first_number desc
            limit 1
          ),
          false
        ) as is_old
    from limits l
    cross join page
    join archive_entries e on e.advisor_id = of_advisor and e.number = page.number
  )
  select
    e.number,
    e.is_old,
    e.is_old
      and e.kind in ('text_out', 'text_in', 'consent', 'schedule', 'review', 'export', 'merge', 'sign_in', 'media_in')
      and not exists (
        select
        from holds h
        where h.firm_id = e.firm_id
          and (h.advisor_id is null or h.advisor_id = of_advisor)
          and (h.member_id is null or h.member_id = e.member_id)
          and not exists (select from hold_lifts l where l.hold_id = h.hold_id)
      )
      and not exists (
        select
        from messages t
        where t.advisor_id = of_advisor
          and t.message_id = e.message_id
          and t.status in ('queued', 'submitting', 'held')
      )
      and coalesce(in_force.state, 'none') = 'none'
  from aged e
  left join lateral (
    select c.meta::json ->> 'to' as state
    from archive_entries c
    left join archive_bodies b on b.advisor_id = c.advisor_id and b.number = c.number
    where c.advisor_id = of_advisor
      and c.number = (
        select changed.number
        from archive_entries changed
        where changed.advisor_id = of_advisor
          and changed.member_id = e.member_id
          and changed.kind = 'consent'
          and changed.meta::json ->> 'from' <> changed.meta::json ->> 'to'
        order by changed.number desc
        limit 1
      )
      and case e.kind
        when 'consent' then e.number >= c.number
        else e.number = (convert_from(b.body, 'UTF8')::json #>> '{reply,archiveNumber}')::bigint
      end
  ) as in_force on e.kind in ('consent', 'text_in') and e.is_old
  order by e.number
$$;
