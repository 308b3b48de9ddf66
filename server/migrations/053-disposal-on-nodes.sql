-- Disposal where the database is distributed. There a function in SQL is planned without its arguments, and they say which node
-- has the rows; so these are in PL/pgSQL. What is everybody's is read first, and the rest is one statement, about one advisor.
-- The conditions are the same as before.
create or replace function disposable_bodies(of_advisor bigint, after_number bigint, bodies_max integer)
returns table (body_number bigint, is_old boolean, is_disposable boolean)
language plpgsql stable
as $$
declare
  of_firm bigint;
  kept_for interval;
  kept_from timestamptz;
  recorded_from timestamptz;
  signed_size bigint;
begin
  select firm_id into of_firm from advisors where advisor_id = of_advisor;
  if not found then
    return;
  end if;
  kept_for := make_interval(years => retention_years(of_firm));
  kept_from := domain_now() - kept_for;
  recorded_from := now() - kept_for;
  select size
  into signed_size
  from archive_checkpoints
  where date_time_created <= (
    select (date_time_created at time zone 'UTC' - kept_for) at time zone 'UTC'
    from archive_checkpoints
    order by checkpoint_id desc
    limit 1
  )
  order by date_time_created desc
  limit 1;
  return query
    with page as materialized (
      select number
      from archive_bodies
      where advisor_id = of_advisor and number > after_number
      order by number
      limit least(bodies_max, 10000)
    ),
    aged as materialized (
      select
        e.number, e.kind, e.member_id, e.message_id,
        e.date_time_created < kept_from
          and coalesce(e.recorded_at, e.date_time_created) < recorded_from
          and coalesce(
            (
              select r.first_leaf + e.number - r.first_number < signed_size and e.number < r.first_number + r.entries
              from archive_runs r
              where r.advisor_id = of_advisor and r.first_number <= e.number
              order by r.first_number desc
              limit 1
            ),
            false
          ) as old
      from page
      join archive_entries e on e.advisor_id = of_advisor and e.number = page.number
    )
    select
      e.number,
      e.old,
      e.old
        and e.kind in ('text_out', 'text_in', 'consent', 'schedule', 'review', 'export', 'merge', 'sign_in', 'media_in')
        and not exists (
          select
          from holds h
          where h.firm_id = of_firm
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
      left join archive_bodies b on b.advisor_id = of_advisor and b.number = c.number
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
    ) as in_force on e.kind in ('consent', 'text_in') and e.old
    order by e.number;
end
$$;

-- The table's wall is on the advisor's node, and asks there whether this function disposes of bodies. So it is said in a statement
-- that goes to that node, in the same transaction.
create or replace function dispose_bodies(of_advisor bigint, after_number bigint, bodies_max integer, by_actor text)
returns table (body_number bigint, is_old boolean, is_disposed boolean)
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  numbers bigint[] := '{}';
  olds boolean[] := '{}';
  due bigint[] := '{}';
  gone bigint[] := '{}';
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'bodies are disposed of in read committed only' using errcode = 'insufficient_privilege';
  end if;
  perform from firms f join advisors a using (firm_id) where a.advisor_id = of_advisor for share of f;
  select
    coalesce(array_agg(d.body_number order by d.body_number), '{}'),
    coalesce(array_agg(d.is_old order by d.body_number), '{}'),
    coalesce(array_agg(d.body_number) filter (where d.is_disposable), '{}')
  into numbers, olds, due
  from disposable_bodies(of_advisor, after_number, bodies_max) d;
  if cardinality(due) > 0 then
    perform set_config('assent.disposing', 'on', true) from archive_heads where advisor_id = of_advisor;
    with deleted as (
      delete from archive_bodies
      where advisor_id = of_advisor and number = any (due)
      returning number
    )
    select coalesce(array_agg(number order by number), '{}')
    into gone
    from deleted;
    perform set_config('assent.disposing', 'off', true) from archive_heads where advisor_id = of_advisor;
  end if;
  if cardinality(gone) > 0 then
    perform write_disposal_entry(of_advisor, gone, by_actor);
  end if;
  return query
    select looked.number, looked.old, disposed.number is not null
    from unnest(numbers, olds) as looked (number, old)
    left join unnest(gone) as disposed (number) on disposed.number = looked.number
    order by looked.number;
end
$$;
