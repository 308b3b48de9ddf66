-- Records: how long bodies are kept, the holds that keep them longer, and what is compared each day.

-- What belongs to no one advisor (firms, staff, applications, keys) is written in the deployment's own book, whose advisor
-- is number 0 and is not there.
alter table archive_heads drop constraint if exists archive_heads_advisor_id_fkey;

-- How many years a firm keeps bodies; a change adds a row. A firm without one has the default of retention_years().
create table retentions (
  retention_id bigint generated always as identity primary key,
  firm_id bigint not null references firms,
  years smallint not null check (years between 1 and 100),
  date_time_created timestamptz not null
);
create index retentions_firm on retentions (firm_id, retention_id);

-- Legal holds: of a firm, of one advisor, or of one person as an advisor knows them.
create table holds (
  hold_id bigint generated always as identity primary key,
  firm_id bigint not null references firms,
  advisor_id bigint references advisors,
  member_id bigint,
  reason text not null,
  staff_id bigint not null references staff,
  date_time_created timestamptz not null,
  foreign key (advisor_id, member_id) references members,
  check (member_id is null or advisor_id is not null)
);
create index holds_firm on holds (firm_id);

create table hold_lifts (
  hold_id bigint primary key references holds,
  reason text not null,
  staff_id bigint not null references staff,
  date_time_created timestamptz not null
);

create trigger append_only before update or delete or truncate on retentions
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on holds
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on hold_lifts
  for each statement execute function refuse_change();
alter table retentions enable always trigger append_only;
alter table holds enable always trigger append_only;
alter table hold_lifts enable always trigger append_only;

-- Retention and holds are the firm's: an advisor who could be moved to another firm would leave them behind.
create function refuse_other_firm() returns trigger
language plpgsql
as $$
begin
  raise exception 'an advisor stays with the firm' using errcode = 'insufficient_privilege';
end
$$;
create trigger firm_stays before update of firm_id on advisors
  for each row when (old.firm_id is distinct from new.firm_id) execute function refuse_other_firm();
alter table advisors enable always trigger firm_stays;

create function retention_years(of_firm bigint) returns integer
language sql stable
as $$
  select coalesce((select years from retentions where firm_id = of_firm order by retention_id desc limit 1), 7)
$$;

-- The domain's time: real time where nobody moves the sandbox's clock.
create function domain_now() returns timestamptz
language sql stable
as $$
  select now() + (select offset_ms from sandbox_clock) * interval '1 millisecond'
$$;

-- The next bodies of an advisor by number: whether the retention of each is over, and whether it can go. Kept beyond it:
-- what is under a hold, what still waits to be sent, and the evidence of the consent that is in force, which is that of
-- the last change of state, with the reply that brought it about. Other kinds than these are kept for good.
create function disposable_bodies(of_advisor bigint, after_number bigint, bodies_max integer)
returns table (body_number bigint, is_old boolean, is_disposable boolean)
language sql stable
as $$
  with rules as materialized (
    select firm_id, domain_now() - make_interval(years => retention_years(firm_id)) as kept_from
    from advisors
    where advisor_id = of_advisor
  ),
  page as materialized (
    select number
    from archive_bodies
    where advisor_id = of_advisor and number > after_number
    order by number
    limit least(bodies_max, 10000)
  )
  select
    e.number,
    e.date_time_created < kept_from,
    e.date_time_created < kept_from
      and e.kind in ('text_out', 'text_in', 'consent', 'schedule', 'review', 'export', 'merge', 'sign_in')
      and not exists (
        select
        from holds h
        where h.firm_id = rules.firm_id
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
  from rules
  cross join page
  join archive_entries e on e.advisor_id = of_advisor and e.number = page.number
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
  ) as in_force on e.kind in ('consent', 'text_in') and e.date_time_created < kept_from
  order by e.number
$$;

-- Removes those bodies, and says which. Nobody else can: the trigger below lets nothing but this pass. It reads the rules
-- by itself, behind a lock that a new hold waits for, and with statements that see what was committed a moment ago.
create function dispose_bodies(of_advisor bigint, after_number bigint, bodies_max integer)
returns table (body_number bigint, is_old boolean, is_disposed boolean)
language plpgsql security definer
set search_path = public, pg_temp
as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'bodies are disposed of in read committed only' using errcode = 'insufficient_privilege';
  end if;
  perform from firms f join advisors a using (firm_id) where a.advisor_id = of_advisor for share of f;
  perform set_config('assent.disposing', 'on', true);
  return query
    with looked as materialized (
      select * from disposable_bodies(of_advisor, after_number, bodies_max)
    ),
    gone as (
      delete from archive_bodies b
      using looked
      where b.advisor_id = of_advisor and b.number = looked.body_number and looked.is_disposable
      returning b.number
    )
    select looked.body_number, looked.is_old, gone.number is not null
    from looked
    left join gone on gone.number = looked.body_number
    order by looked.body_number;
  perform set_config('assent.disposing', 'off', true);
end
$$;

create function refuse_body_change() returns trigger
language plpgsql
as $$
begin
  if tg_op = 'DELETE'
    and current_setting('assent.disposing', true) = 'on'
    and current_user = (select pg_get_userbyid(relowner) from pg_class where oid = tg_relid)
  then
    return null;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end
$$;
drop trigger append_only on archive_bodies;
create trigger append_only before update or delete or truncate on archive_bodies
  for each statement execute function refuse_body_change();
alter table archive_bodies enable always trigger append_only;

create index archive_entries_disposal on archive_entries (advisor_id, number) where kind = 'disposal';

-- What is done once a day over all nodes, by the days of the domain's time. A run that ended without being done is taken
-- up by another node when its lease, in real time, is over.
create table daily_runs (
  job text not null,
  day date not null,
  leased_until timestamptz not null,
  done boolean not null default false,
  primary key (job, day)
);

-- What a carrier says that it took, while that is compared with our own records; gone afterwards.
create unlogged table carrier_records (
  -- The real time at which the run began, in milliseconds, and three digits that make it its own.
  run_id bigint not null,
  carrier_message_id text not null,
  from_number text not null,
  to_number text not null,
  -- SHA-256, where the carrier tells the text.
  text_hash bytea,
  date_time timestamptz not null,
  primary key (run_id, carrier_message_id)
);

-- A carrier has a record of what it could not deliver, too.
alter table handset_messages add column received boolean not null default true;

-- To look through the records of a day. Rows lie in the order of time, and a block range costs an insert nothing.
create index archive_entries_time on archive_entries using brin (date_time_created) with (autosummarize = on);
create index attempts_time on attempts using brin (date_time_started) with (autosummarize = on);
create index replies_time on replies using brin (date_time_created) with (autosummarize = on);
create index handset_messages_time on handset_messages using brin (date_time_created) with (autosummarize = on);

-- Sign-ins that failed, until an entry counts them: of accounts that are there and of such as are not, so that both take
-- the same time.
create table sign_in_failures (
  account_hash bytea primary key,
  advisor_id bigint,
  method text not null,
  address text not null,
  trace_id text,
  failures integer not null,
  first_failed timestamptz not null,
  last_failed timestamptz not null
);

revoke all on function dispose_bodies, disposable_bodies, retention_years, domain_now from public;
grant execute on function dispose_bodies, disposable_bodies, retention_years, domain_now to assent_app;
grant select, insert on retentions, holds, hold_lifts to assent_app;
grant select, insert, update on daily_runs to assent_app;
grant select, insert, delete on carrier_records to assent_app;
grant select, insert, update, delete on sign_in_failures to assent_app;
