-- The sandbox's clock and phones.

-- How far the sandbox's domain time is ahead of real time, how often the sandbox was reset, and until when a process is about to do that
-- again: all of them follow it. One row; production never reads it.
create table sandbox_clock (
  only_row boolean primary key default true check (only_row),
  offset_ms bigint not null,
  resets integer not null default 0,
  resetting_until timestamptz
);
insert into sandbox_clock (offset_ms) values (0);

-- What the sandbox's phones received. Production has no such phones.
create table handset_messages (
  handset_message_id bigint generated always as identity primary key,
  phone text not null,
  texting_number text not null,
  text text not null,
  carrier_message_id text not null,
  -- Our own id of the text, which its carrier gets along.
  reference bigint,
  date_time_created timestamptz not null,
  -- A carrier has a record of what it could not deliver, too.
  received boolean not null default true
);
create index handset_messages_phone on handset_messages (phone, handset_message_id);
create index handset_messages_time on handset_messages using brin (date_time_created) with (autosummarize = on);

-- The domain's time: real time where nobody moves the sandbox's clock.
create function domain_now() returns timestamptz
language sql stable
as $$
  select now() + (select offset_ms from sandbox_clock) * interval '1 millisecond'
$$;

grant select, insert, update on sandbox_clock to assent_app;
grant select, insert on handset_messages to assent_app;
revoke all on function domain_now from public;
grant execute on function domain_now to assent_app;
