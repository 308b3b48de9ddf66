-- The processes of a deployment.

-- The processes of this deployment, as each last told: what an operator sees of them on one screen. Real time.
create table nodes (
  node text primary key,
  role text not null,
  date_time_started timestamptz not null,
  date_time_seen timestamptz not null,
  -- Why it hands no text over; null if it does, or isn't there for that.
  halted text
) with (fillfactor = 50);

grant select, insert, update, delete on nodes to assent_app;

-- Requests by API key and texts by carrier, counted by the processes and added up here: minutes for 48 hours, hours for 90 days, days for
-- two years. Real time, in UTC: it is about the machines, and the sandbox's clock may be moved back.
create table traffic (
  grain text not null check (grain in ('minute', 'hour', 'day')),
  date_time timestamptz not null,
  -- All requests have rows of their own: a chart of a hundred keys would be the sum of a hundred times as many.
  kind text not null check (kind in ('request', 'all_requests', 'text')),
  -- The API key or the carrier; 0 for the advisors' own app and for all requests, -1 for refused credentials.
  subject_id bigint not null,
  outcome text not null,
  amount integer not null,
  -- How many took how long, in buckets that domain/shared/traffic-counts.ts defines, without the empty ones at the end.
  latencies integer[] not null,
  primary key (grain, kind, date_time, subject_id, outcome)
) with (fillfactor = 50);

grant select, insert, update, delete on traffic to assent_app;
