-- Disposal: nobody but the database's own functions writes the rules by which bodies go, nor the entries about them.

-- Real time, by the database's clock: what date_time_created says is the domain's time, which a sandbox can move. The
-- application can't set it. Entries from before have none; their own time stands in for it, which is never earlier.
alter table archive_entries add column recorded_at timestamptz;
alter table archive_entries alter column recorded_at set default now();
revoke insert on archive_entries from assent_app;
grant insert (
  advisor_id, number, kind, member_id, message_id, actor, trace_id, meta, commitment, date_time_created
) on archive_entries to assent_app;

-- To find the entries that verification judges disposals by, without reading all of the others.
drop index archive_entries_disposal;
create index archive_entries_rules on archive_entries (advisor_id, number) where kind in ('disposal', 'hold', 'retention');
create index archive_checkpoints_time on archive_checkpoints (date_time_created);

-- Retentions, holds, lifts and disposals each come with their entry, or not at all.
revoke insert on retentions, holds, hold_lifts from assent_app;

create function refuse_direct_entry() returns trigger
language plpgsql
as $$
begin
  if current_user = (select pg_get_userbyid(relowner) from pg_class where oid = tg_relid) then
    return new;
  end if;
  raise exception 'only a function of the database writes entries of kind %', new.kind
    using errcode = 'insufficient_privilege';
end
$$;
-- A row trigger, but for texts only its condition is evaluated, which an insert doesn't notice.
create trigger written_by_function before insert on archive_entries
  for each row when (new.kind in ('disposal', 'hold', 'retention')) execute function refuse_direct_entry();
alter table archive_entries enable always trigger written_by_function;

create function write_rule_entry(
  of_advisor bigint, entry_kind text, of_member bigint, by_actor text, entry_meta json, entry_body json
)
returns void
language plpgsql
as $$
declare
  entry_number bigint;
  salt bytea := uuid_send(gen_random_uuid());
  bytes bytea := convert_to(entry_body::text, 'UTF8');
begin
  insert into archive_heads as head (advisor_id, last_number)
  values (of_advisor, 1)
  on conflict (advisor_id) do update
  set last_number = head.last_number + 1
  returning last_number into entry_number;
  insert into archive_bodies (advisor_id, number, salt, body)
  values (of_advisor, entry_number, salt, bytes);
  insert into archive_entries (advisor_id, number, kind, member_id, actor, meta, commitment, date_time_created)
  values (
    of_advisor, entry_number, entry_kind, of_member, by_actor, entry_meta::text, sha256(salt || bytes), domain_now()
  );
end
$$;

create function set_retention(of_firm bigint, to_years integer, by_actor text) returns void
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  from_years integer;
begin
  perform from firms where firm_id = of_firm for update;
  from_years := retention_years(of_firm);
  insert into retentions (firm_id, years, date_time_created)
  values (of_firm, to_years, domain_now());
  perform write_rule_entry(
    0, 'retention', null, by_actor,
    json_build_object('what', 'retention set', 'firmId', of_firm, 'years', to_years),
    json_build_object('years', json_build_object('from', from_years, 'to', to_years))
  );
end
$$;

create function add_hold(of_firm bigint, of_advisor bigint, of_member bigint, why text, by_staff bigint) returns bigint
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  new_hold bigint;
begin
  perform from firms where firm_id = of_firm for update;
  insert into holds (firm_id, advisor_id, member_id, reason, staff_id, date_time_created)
  values (of_firm, of_advisor, of_member, why, by_staff, domain_now())
  returning hold_id into new_hold;
  perform write_hold_entry(new_hold, 'added', why, by_staff);
  return new_hold;
end
$$;

-- False if it is lifted already.
create function lift_hold(of_hold bigint, why text, by_staff bigint) returns boolean
language plpgsql security definer
set search_path = public, pg_temp
as $$
begin
  perform from firms f join holds h using (firm_id) where h.hold_id = of_hold for update of f;
  insert into hold_lifts (hold_id, reason, staff_id, date_time_created)
  values (of_hold, why, by_staff, domain_now())
  on conflict do nothing;
  if not found then
    return false;
  end if;
  perform write_hold_entry(of_hold, 'lifted', why, by_staff);
  return true;
end
$$;

create function write_hold_entry(of_hold bigint, act text, why text, by_staff bigint) returns void
language sql
as $$
  select write_rule_entry(
    coalesce(advisor_id, 0), 'hold', member_id, 'staff:' || by_staff,
    json_build_object('action', act, 'holdId', hold_id, 'firmId', firm_id),
    json_build_object('reason', why, 'by', (select name from staff where staff_id = by_staff))
  )
  from holds
  where hold_id = of_hold
$$;

-- As before, and old in real time too: by the database's own record of when the entry came, and by signed checkpoints.
-- One of them covers the entry, and the newest is younger than that one by the whole retention. So the checkpoints prove
-- later that the body was due, and where nothing is signed, nothing is disposed of.
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
      and e.kind in ('text_out', 'text_in', 'consent', 'schedule', 'review', 'export', 'merge', 'sign_in')
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

-- Removes those bodies and writes the entry that lists them, and says which. Nobody else can do either.
drop function dispose_bodies;
create function dispose_bodies(of_advisor bigint, after_number bigint, bodies_max integer, by_actor text)
returns table (body_number bigint, is_old boolean, is_disposed boolean)
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  numbers bigint[] := '{}';
  olds boolean[] := '{}';
  due bigint[] := '{}';
  gone bigint[];
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
  perform set_config('assent.disposing', 'on', true);
  with deleted as (
    delete from archive_bodies
    where advisor_id = of_advisor and number = any (due)
    returning number
  )
  select coalesce(array_agg(number order by number), '{}')
  into gone
  from deleted;
  perform set_config('assent.disposing', 'off', true);
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

-- Its body has the numbers as ranges, including both ends.
create function write_disposal_entry(of_advisor bigint, gone bigint[], by_actor text) returns void
language sql
as $$
  select write_rule_entry(
    of_advisor, 'disposal', null, by_actor,
    json_build_object(
      'from', gone[1], 'to', gone[cardinality(gone)], 'count', cardinality(gone),
      'retentionYears', (select retention_years(firm_id) from advisors where advisor_id = of_advisor)
    ),
    json_agg(json_build_array(range.first, range.last) order by range.first)
  )
  from (
    select min(number) as first, max(number) as last
    from unnest(gone) with ordinality as each (number, position)
    group by number - position
  ) as range
$$;

revoke all on function
  set_retention, add_hold, lift_hold, dispose_bodies, write_rule_entry, write_hold_entry, write_disposal_entry
  from public;
grant execute on function set_retention, add_hold, lift_hold, dispose_bodies to assent_app;
