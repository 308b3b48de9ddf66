-- How long bodies are kept, the holds that keep them longer, and their disposal, by nothing but the database's own functions; what
-- is compared each day.

-- How many years a firm keeps bodies; a change adds a row. A firm without one has the default of retention_years(). Fewer years count
-- from a time by which somebody can have noticed, and object.
create table retentions (
  retention_id bigint generated always as identity primary key,
  firm_id bigint not null references firms,
  years smallint not null check (years between 1 and 100),
  -- Real time; at once if it is null.
  counts_from timestamptz,
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
  -- Real time: until then the hold still keeps what it kept.
  counts_from timestamptz not null,
  date_time_created timestamptz not null
);

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

-- What each verification of the archive found, for those who ask when it was last verified. Real time.
create table archive_verifications (
  verification_id bigint generated always as identity primary key,
  verdict text not null check (verdict in ('intact', 'altered', 'incomplete', 'unknown')),
  entries bigint not null,
  checkpoints bigint not null,
  faults integer not null,
  date_time_created timestamptz not null,
  -- Who had it verified, as in the archive: operator for the command, staff:7, or service for a job.
  actor text not null
);

-- What a search looks through: the words of each entry, and what it can be filtered by as words that begin with "=", such as its person. It
-- is filled behind the archive, so that no text waits for it. The key is the order of a walk from the newest: there is no other index
-- but that of the words. Unlogged, because it would double what a text costs replicas and backups, and the archive has it all: after a
-- crash both tables are empty and filled again. An advisor stays with the firm.
create unlogged table archive_words (
  firm_id bigint not null,
  -- In milliseconds, as a page that goes on from there knows it.
  date_time_created timestamptz not null,
  advisor_id bigint not null,
  number bigint not null,
  words tsvector not null,
  primary key (firm_id, date_time_created, advisor_id, number)
);
create index archive_words_words on archive_words using gin (words);

-- How far each advisor's entries can be searched.
create unlogged table archive_indexed (
  advisor_id bigint primary key,
  last_number bigint not null
);

-- A search that somebody shares: a link has its id, and never a name or a number.
create table saved_searches (
  search_id bigint generated always as identity primary key,
  firm_id bigint not null references firms,
  staff_id bigint not null references staff,
  search jsonb not null,
  date_time_created timestamptz not null
);

-- Exports that staff of a firm asked for. A node that has the archive's key makes each, and whoever is asked for it sends it: it is in
-- parts below for a day. They aren't logged: one that a crash took is made again. Real time, but for the period.
create table exports (
  export_id bigint generated always as identity primary key,
  firm_id bigint not null references firms,
  staff_id bigint not null references staff,
  -- Of the request that asked for it, for the entry.
  trace_id text,
  of_advisor bigint not null,
  period_from timestamptz not null,
  period_to timestamptz not null,
  format text not null check (format in ('eml', 'ndjson')),
  status text not null default 'waiting' check (status in ('waiting', 'running', 'ready', 'failed', 'expired')),
  entries_done bigint not null default 0,
  entries_total bigint,
  bytes bigint not null default 0,
  reason text,
  leased_until timestamptz not null default '-infinity',
  date_time_created timestamptz not null
);
create index exports_due on exports (export_id) where status in ('waiting', 'running', 'ready');

create unlogged table export_parts (
  export_id bigint not null,
  part integer not null,
  bytes bytea not null,
  primary key (export_id, part)
);

-- What frees bodies counts when this has passed it: the database's clock and the last checkpoint, by which verifiers judge.
create function settled_until() returns timestamptz
language sql stable
as $$
  select least(
    now(),
    coalesce((select date_time_created from archive_checkpoints order by checkpoint_id desc limit 1), '-infinity')
  )
$$;

create function freed_from() returns timestamptz
language sql stable
as $$
  select date_trunc('milliseconds', now() at time zone 'UTC') at time zone 'UTC' + interval '168 hours'
$$;

-- As checkpoints write times.
create function instant_of(at timestamptz) returns text
language sql stable
as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- The last that counts, or a longer one that was set since.
create function retention_years(of_firm bigint) returns integer
language sql stable
as $$
  with settled as materialized (
    select settled_until() as until
  ),
  last as (
    select max(retention_id) as id
    from retentions
    where firm_id = of_firm and (counts_from is null or counts_from <= (select until from settled))
  )
  select greatest(
    (select max(years) from retentions where firm_id = of_firm and retention_id >= coalesce((select id from last), 0)),
    case when (select id from last) is null then 7 end
  )
$$;

-- The next bodies of an advisor by number: whether the retention of each is over, and whether it can go. Over means old in domain time,
-- in real time by the database's own record of when the entry came, and by signed checkpoints. Kept beyond it: bodies under a hold, of
-- a text that is still on its way, or that prove a consent in force. In PL/pgSQL, since a function in SQL would be planned without its
-- arguments where they say which node has the rows. What is everybody's is read first, and the rest is one statement, about one advisor.
create function disposable_bodies(of_advisor bigint, after_number bigint, bodies_max integer)
returns table (body_number bigint, is_old boolean, is_disposable boolean)
language plpgsql stable
as $$
declare
  of_firm bigint;
  kept_for interval;
  kept_from timestamptz;
  recorded_from timestamptz;
  signed_size bigint;
  settled timestamptz := settled_until();
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
        and e.kind in ('text_out', 'text_in', 'consent', 'schedule', 'broadcast', 'review', 'export', 'merge', 'sign_in', 'media_in')
        and not exists (
          select
          from holds h
          where h.firm_id = of_firm
            and (h.advisor_id is null or h.advisor_id = of_advisor)
            and (h.member_id is null or h.member_id = e.member_id)
            and not exists (select from hold_lifts l where l.hold_id = h.hold_id and l.counts_from <= settled)
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

-- Removes those bodies, and says which. Nobody else can: the trigger below lets nothing but this pass. It reads the rules
-- by itself, behind a lock that a new hold waits for, and with statements that see what was committed a moment ago.
-- The table's guard is on the advisor's node, and asks there whether this function disposes of bodies. So it is said in a statement
-- that goes to that node, in the same transaction.
create function dispose_bodies(of_advisor bigint, after_number bigint, bodies_max integer, by_actor text)
returns table (body_number bigint, is_old boolean, is_disposed boolean)
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  numbers bigint[] := '{}';
  olds boolean[] := '{}';
  due bigint[] := '{}';
  gone bigint[] := '{}';
  of_firm bigint := (select firm_id from advisors where advisor_id = of_advisor);
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
    delete from archive_words w
    using archive_entries e
    where e.advisor_id = of_advisor
      and e.number = any (gone)
      and w.firm_id = of_firm
      and w.date_time_created = date_trunc('milliseconds', e.date_time_created at time zone 'UTC') at time zone 'UTC'
      and w.advisor_id = of_advisor
      and w.number = e.number;
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

create function refuse_body_change() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
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

create function write_rule_entry(
  of_advisor bigint, entry_kind text, of_member bigint, by_actor text, entry_meta json, entry_body json, by_trace text default null
)
returns void
language plpgsql
as $$
declare
  entry_number bigint;
  salt bytea := uuid_send(gen_random_uuid());
  bytes bytea := convert_to(entry_body::text, 'UTF8');
begin
  if clock_timestamp() < (select latest from database_time) - interval '20 seconds' then
    raise exception 'the database''s clock was set back' using errcode = '58C00';
  end if;
  insert into archive_heads as head (advisor_id, last_number)
  values (of_advisor, 1)
  on conflict (advisor_id) do update
  set last_number = head.last_number + 1
  returning last_number into entry_number;
  insert into archive_bodies (advisor_id, number, salt, body)
  values (of_advisor, entry_number, salt, bytes);
  insert into archive_entries (advisor_id, number, kind, member_id, actor, trace_id, meta, commitment, date_time_created)
  values (
    of_advisor, entry_number, entry_kind, of_member, by_actor, by_trace, entry_meta::text, sha256(salt || bytes), domain_now()
  );
end
$$;

create function set_retention(of_firm bigint, to_years integer, by_actor text, by_trace text) returns void
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  from_years integer;
  counts timestamptz;
begin
  perform from firms where firm_id = of_firm for update;
  from_years := retention_years(of_firm);
  counts := case when to_years < from_years then freed_from() end;
  insert into retentions (firm_id, years, counts_from, date_time_created)
  values (of_firm, to_years, counts, domain_now());
  perform write_rule_entry(
    0, 'retention', null, by_actor,
    json_strip_nulls(
      json_build_object('what', 'retention set', 'firmId', of_firm, 'years', to_years, 'countsFrom', instant_of(counts))
    ),
    json_build_object('years', json_build_object('from', from_years, 'to', to_years)),
    by_trace
  );
end
$$;

-- What is archived says during which request, or that a command named the staff member.
create function add_hold(
  of_firm bigint, of_advisor bigint, of_member bigint, why text, by_staff bigint, by_trace text, by_via text
)
returns bigint
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
  perform write_hold_entry(new_hold, 'added', why, by_staff, by_trace, by_via);
  return new_hold;
end
$$;

-- False if it is lifted already.
create function lift_hold(of_hold bigint, why text, by_staff bigint, by_trace text, by_via text) returns boolean
language plpgsql security definer
set search_path = public, pg_temp
as $$
begin
  perform from firms f join holds h using (firm_id) where h.hold_id = of_hold for update of f;
  insert into hold_lifts (hold_id, reason, staff_id, counts_from, date_time_created)
  values (of_hold, why, by_staff, freed_from(), domain_now())
  on conflict do nothing;
  if not found then
    return false;
  end if;
  perform write_hold_entry(of_hold, 'lifted', why, by_staff, by_trace, by_via);
  return true;
end
$$;

create function write_hold_entry(of_hold bigint, act text, why text, by_staff bigint, by_trace text, by_via text)
returns void
language sql
as $$
  select write_rule_entry(
    coalesce(advisor_id, 0), 'hold', member_id, 'staff:' || by_staff,
    json_strip_nulls(
      json_build_object(
        'action', act, 'holdId', hold_id, 'firmId', firm_id, 'via', by_via, 'countsFrom', instant_of(counts_from)
      )
    ),
    json_build_object('reason', why, 'by', (select name from staff where staff_id = by_staff)),
    by_trace
  )
  from holds
  left join hold_lifts using (hold_id)
  where hold_id = of_hold
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

create trigger append_only before update or delete or truncate on archive_bodies
  for each statement execute function refuse_body_change();
alter table archive_bodies enable always trigger append_only;
create trigger append_only before update or delete or truncate on retentions
  for each statement execute function refuse_change();
alter table retentions enable always trigger append_only;
create trigger append_only before update or delete or truncate on holds
  for each statement execute function refuse_change();
alter table holds enable always trigger append_only;
create trigger append_only before update or delete or truncate on hold_lifts
  for each statement execute function refuse_change();
alter table hold_lifts enable always trigger append_only;

grant select on retentions, holds, hold_lifts to assent_app;
grant select, insert, update on daily_runs to assent_app;
grant select, insert, delete on carrier_records to assent_app;
grant select, insert on archive_verifications, archive_words, saved_searches to assent_app;
grant select, insert, update on archive_indexed, exports to assent_app;
grant select, insert, delete on export_parts to assent_app;
revoke all on function
  dispose_bodies, disposable_bodies, retention_years, set_retention, add_hold, lift_hold, write_rule_entry, write_hold_entry,
  write_disposal_entry, settled_until, freed_from, instant_of
  from public;
grant execute on function
  dispose_bodies, disposable_bodies, retention_years, set_retention, add_hold, lift_hold, settled_until
  to assent_app;
