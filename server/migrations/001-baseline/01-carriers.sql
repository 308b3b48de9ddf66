-- Carriers, how each does, and what they know about numbers.

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
-- The first one, in every database. Only the sandbox environment opens it.
insert into carriers (name, kind, date_time_created)
values ('sandbox', 'sandbox', now());

-- How the carriers of each node do, written every few seconds.
create table carrier_status (
  node text not null,
  carrier_id smallint not null,
  status jsonb not null,
  -- Real time.
  date_time timestamptz not null,
  primary key (node, carrier_id)
);

-- What kind of line a number is, as a carrier that looks numbers up told: a cache for all advisors, and the queue of numbers to
-- look up. All times are real time.
create table number_lookups (
  phone text primary key,
  -- The carrier to ask.
  carrier_id smallint not null,
  line_type text check (line_type in ('mobile', 'landline', 'unreachable', 'unknown')),
  -- Until when that counts; null before the first response.
  valid_until timestamptz,
  failures smallint not null default 0,
  -- Whoever claims it moves this on; null if there is nothing to ask.
  not_before timestamptz
);
create index number_lookups_due on number_lookups (carrier_id, not_before) where not_before is not null;
create index number_lookups_old on number_lookups (valid_until) where not_before is null;

grant select, insert, update, delete on carriers, carrier_status, number_lookups to assent_app;
