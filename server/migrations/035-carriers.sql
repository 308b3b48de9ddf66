-- The carriers that texts go by. Settings are sealed: an operator's passwords are in them. A node opens the rows that are not
-- disabled, and opens one again when its version changes.
create table carriers (
  carrier_id smallint generated always as identity primary key,
  name text not null unique,
  kind text not null,
  -- Null for the sandbox, which has none.
  sealed_settings bytea,
  disabled boolean not null default false,
  version integer not null default 1,
  date_time_created timestamptz not null
);
grant select, insert, update, delete on carriers to assent_app;

-- The first one, in every database. Only the sandbox environment opens it.
insert into carriers (name, kind, date_time_created)
values ('sandbox', 'sandbox', now());

-- A number names its carrier. What was noted of its registration is for people to read.
alter table advisors
  add column carrier_id smallint references carriers,
  add column campaign text,
  -- The carrier before, whose replies and receipts may still be on their way, and since when it isn't: real time.
  add column earlier_carrier_id smallint,
  add column carrier_moved_at timestamptz;
create index advisors_moved on advisors (carrier_moved_at) where carrier_moved_at is not null;

-- Where the application may move the clock is a sandbox: its advisors have the sandbox's carrier already.
update advisors
set carrier_id = 1
where has_table_privilege('assent_app', 'sandbox_clock', 'update');

-- A text waits for its carrier. The version before knows the sandbox's alone, so rows without a carrier are that one's.
alter table dispatches add column carrier_id smallint not null default 1;
drop index dispatches_ready;
create index dispatches_ready on dispatches (carrier_id, not_before, message_id) where deferred_until is null;
alter table claims add column carrier_id smallint not null default 1;
alter table replies add column carrier_id smallint not null default 1;

-- The carrier that a message was handed to last. Its id of the text is unique for that carrier only. Null in rows that have
-- never been handed over, and in those that the version before wrote.
alter table messages add column carrier_id smallint;
-- Finds texts in doubt, to ask their carrier about them. Few texts are, so a send doesn't pay for it.
create index messages_in_doubt on messages (carrier_id, message_id) where status = 'in_doubt';

-- Receipts with an id that no message has, or none yet, with all that may tell which text they are about. In place of
-- early_receipts, which the version before still uses.
create table unmatched_receipts (
  carrier_id smallint not null,
  carrier_message_id text not null,
  status text not null,
  code text,
  -- The last 16 bits of our own reference, and both numbers, if the carrier repeats them.
  reference integer,
  from_number text,
  to_number text,
  -- Real time.
  date_time_created timestamptz not null,
  primary key (carrier_id, carrier_message_id)
);
grant select, insert, update, delete on unmatched_receipts to assent_app;

-- How the carriers of each node do, written every few seconds.
create table carrier_status (
  node text not null,
  carrier_id smallint not null,
  status jsonb not null,
  -- Real time.
  date_time timestamptz not null,
  primary key (node, carrier_id)
);
grant select, insert, update, delete on carrier_status to assent_app;
