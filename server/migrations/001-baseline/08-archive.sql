-- The archive: entries and their bodies, and the Merkle tree over them with its signed checkpoints.

-- Entries are numbered densely for each advisor: a row that is gone leaves a gap. The head row gives out
-- the numbers, and the moments at which an advisor's texts may go out when there is a pace to keep. Advisor 0 is the
-- deployment's own book, for what belongs to no one advisor (firms, staff, applications, keys).
create table archive_heads (
  advisor_id bigint primary key,
  last_number bigint not null,
  next_slot timestamptz not null default '-infinity',
  -- Events are numbered without gaps, too. The row is locked until the commit, so numbers are in the order of commits, and a reader who
  -- has seen one has seen all before it.
  last_event bigint not null default 0
) with (fillfactor = 50);

create table archive_entries (
  advisor_id bigint not null,
  number bigint not null,
  kind text not null,
  member_id bigint,
  message_id bigint,
  -- Who did it: application:3, staff:7, person, carrier, operator …
  actor text not null,
  trace_id text,
  -- Facts as JSON, kept as the text that was written: what is hashed are bytes.
  meta text not null,
  -- SHA-256 of salt and body, which lie apart, so that a body can go when its retention ends and the entry stays.
  commitment bytea not null,
  date_time_created timestamptz not null,
  -- Real time, by the database's clock: what date_time_created says is the domain's time, which a sandbox can move. The
  -- application can't set it.
  recorded_at timestamptz default now(),
  -- What a consent entry says, for those who ask with each text: parsed once, from the very bytes that are hashed.
  consent_state text generated always as (case when kind = 'consent' then meta::json ->> 'to' end) stored,
  consent_phone text generated always as (case when kind = 'consent' then meta::json ->> 'phone' end) stored,
  primary key (advisor_id, number)
);
create index archive_entries_consent on archive_entries (advisor_id, member_id, number) include (consent_state, consent_phone)
  where kind = 'consent';
-- What was decided and noted is in the archive.
create index archive_entries_review on archive_entries (advisor_id, member_id, number) where kind = 'review';
-- To look through the records of a day. Rows lie in the order of time, and a block range costs an insert nothing.
create index archive_entries_time on archive_entries using brin (date_time_created) with (autosummarize = on);
create index archive_entries_rules on archive_entries (advisor_id, number) where kind in ('disposal', 'hold', 'retention');
-- Finds the entries that explain times, among those about settings.
create index archive_entries_setting on archive_entries (advisor_id, number) where kind in ('setting', 'staff');
-- The audit log of operators, by time: store/operations/audit.ts has the same kinds.
create index archive_entries_audit on archive_entries (date_time_created, advisor_id, number)
  where kind in ('setting', 'staff', 'sign_in', 'text_read', 'retention', 'hold', 'disposal', 'export');
-- To find what the archive says about what became of texts. Ids of messages are given out in order, to all advisors together, so that
-- an entry goes to the end of it.
create index archive_entries_outcome on archive_entries (message_id) where kind = 'outcome';

create table archive_bodies (
  advisor_id bigint not null,
  number bigint not null,
  salt bytea not null,
  body bytea not null,
  primary key (advisor_id, number)
);

-- Leaves of the Merkle tree are taken in runs: these entries of one advisor, in the order of numbers, from this leaf on.
create table archive_runs (
  first_leaf bigint not null,
  advisor_id bigint not null,
  first_number bigint not null,
  entries integer not null check (entries > 0),
  -- A leaf comes first: the tree is read in its order.
  primary key (first_leaf, advisor_id),
  unique (advisor_id, first_number)
);

-- How far each advisor's entries are in the tree. Beside the heads and not in them: senders lock those.
create table archive_taken (
  advisor_id bigint primary key,
  last_number bigint not null
);

-- 256 hashes each (C2SP tlog-tiles); the last one of a level grows until it is full.
create table archive_tiles (
  level smallint not null,
  tile bigint not null,
  hashes bytea not null,
  primary key (level, tile)
);

-- One row: the tree as it is. Whoever adds to it locks it, so that one node does at a time.
create table archive_tree (
  only_row boolean primary key default true check (only_row),
  size bigint not null,
  root bytea not null,
  -- Why nothing is signed any more, if so.
  fault text
);
insert into archive_tree (size, root)
values (0, '\xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');

create table archive_checkpoints (
  checkpoint_id bigint generated always as identity primary key,
  size bigint not null,
  note text not null,
  -- Real time.
  date_time_created timestamptz not null
);
create index archive_checkpoints_size on archive_checkpoints (size, checkpoint_id);
create index archive_checkpoints_time on archive_checkpoints (date_time_created);

-- Checkpoints that were handed to the operator's command.
create table archive_deliveries (
  checkpoint_id bigint primary key references archive_checkpoints,
  date_time_created timestamptz not null
);

create function refuse_change() returns trigger
language plpgsql
as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end
$$;

-- Where the database is distributed, a default is computed by the coordinator, and inserted as the role of the application, which has no
-- privilege on this column. There a trigger with this function has the node say when it recorded an entry. A time that is given
-- stays: only the owner can give one, such as when a row moves to another node.
create function set_recorded_at() returns trigger
language plpgsql
as $$
begin
  new.recorded_at := coalesce(new.recorded_at, now());
  return new;
end
$$;

-- The latest that the database's clock has said to any process. Where the clock says less, it was set back: nothing is recorded until it
-- has caught up, or an operator accepts the step.
create table database_time (
  only_row boolean primary key default true check (only_row),
  latest timestamptz not null
);
insert into database_time (latest) values (clock_timestamp());

-- The time of an entry is that of the process that wrote it, and nobody can tell later whether that was right. So the clock of the database
-- judges it: a third of what verification allows. In a sandbox, domain time may be ahead by as much as its clock was moved. The owner's
-- functions take the time from here, and rows that move to another node have theirs.
create function refuse_untimely_entry() returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
declare
  apart interval := new.date_time_created - clock_timestamp();
begin
  if current_user = (select pg_get_userbyid(relowner) from pg_class where oid = tg_relid)
    or apart between interval '-20 seconds'
      and interval '20 seconds' + (select offset_ms from sandbox_clock) * interval '1 millisecond'
  then
    return new;
  end if;
  raise exception 'an entry of % is % apart from the database''s clock', new.date_time_created, apart using errcode = '58C00';
end
$$;

create function refuse_direct_entry() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if current_user = (select pg_get_userbyid(relowner) from pg_class where oid = tg_relid) then
    return new;
  end if;
  if current_setting('session_replication_role') = 'replica' then
    if (select backend_type from pg_stat_get_activity(pg_backend_pid())) like 'logical replication %worker' then
      return new;
    end if;
  end if;
  raise exception 'only a function of the database writes entries of kind %', new.kind
    using errcode = 'insufficient_privilege';
end
$$;

create trigger append_only before update or delete or truncate on archive_entries
  for each statement execute function refuse_change();
alter table archive_entries enable always trigger append_only;
create trigger append_only before update or delete or truncate on archive_runs
  for each statement execute function refuse_change();
alter table archive_runs enable always trigger append_only;
create trigger append_only before update or delete or truncate on archive_checkpoints
  for each statement execute function refuse_change();
alter table archive_checkpoints enable always trigger append_only;
create trigger append_only before update or delete or truncate on archive_deliveries
  for each statement execute function refuse_change();
alter table archive_deliveries enable always trigger append_only;
-- A row trigger, but for texts only its condition is evaluated, which an insert doesn't notice.
create trigger written_by_function before insert on archive_entries
  for each row when (new.kind in ('disposal', 'hold', 'retention')) execute function refuse_direct_entry();
alter table archive_entries enable always trigger written_by_function;
-- As cheap, but not on a replica: what it has was judged where it was written.
create trigger timely before insert on archive_entries
  for each row when (
    new.date_time_created not between clock_timestamp() - interval '20 seconds' and clock_timestamp() + interval '20 seconds'
  )
  execute function refuse_untimely_entry();

grant select, insert, update on archive_heads, archive_taken, archive_tiles, archive_tree to assent_app;
grant select, update on database_time to assent_app;
grant select on archive_entries to assent_app;
grant select, insert on archive_bodies, archive_runs, archive_checkpoints, archive_deliveries to assent_app;
grant insert (advisor_id, number, kind, member_id, message_id, actor, trace_id, meta, commitment, date_time_created) on archive_entries to assent_app;
