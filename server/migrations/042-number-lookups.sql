-- What kind of line a number is, as a carrier that looks numbers up told: a cache for all advisors, and the queue of numbers to
-- look up. All times are real time.
create table number_lookups (
  phone text primary key,
  -- The carrier to ask.
  carrier_id smallint not null,
  line_type text check (line_type in ('mobile', 'landline', 'unreachable', 'unknown')),
  -- Until when that counts; null before the first answer.
  valid_until timestamptz,
  failures smallint not null default 0,
  -- Whoever claims it moves this on; null if there is nothing to ask.
  not_before timestamptz
);
create index number_lookups_due on number_lookups (carrier_id, not_before) where not_before is not null;
create index number_lookups_old on number_lookups (valid_until) where not_before is null;
grant select, insert, update, delete on number_lookups to assent_app;
