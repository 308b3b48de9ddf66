-- The processes of a deployment.

-- The processes of this deployment, as each last told: what an operator sees of them on one screen. Real time.
create table nodes (
  node text primary key,
  role text not null,
  date_time_started timestamptz not null,
  date_time_seen timestamptz not null,
  -- Why it hands no text over, or accepts none; null if it does what it is there for.
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

-- Who is told when something needs a person: a webhook, signed with a secret of its own, or a mail address.
create table alert_targets (
  target_id bigint generated always as identity primary key,
  kind text not null check (kind in ('webhook', 'mail')),
  address text not null,
  sealed_secret bytea,
  date_time_created timestamptz not null,
  unique (kind, address),
  check ((kind = 'webhook') = (sealed_secret is not null))
);

-- What is wrong now. It is told of once it was seen twice, a minute apart: a carrier that reconnects wakes nobody. Real time.
create table alert_states (
  -- carrier:acme, archive, backup …
  about text primary key,
  says text not null,
  -- The process that saw it. Another one may not see the same folder, so it doesn't say that it is over while that one runs.
  node text not null,
  told boolean not null default false,
  date_time_begun timestamptz not null
);

-- What targets are told, or were. Kept for 90 days, real time.
create table alert_deliveries (
  delivery_id bigint generated always as identity primary key,
  target_id bigint not null references alert_targets on delete cascade,
  about text not null,
  state text not null check (state in ('begun', 'over', 'test')),
  says text not null,
  attempts smallint not null default 0,
  -- When to try it next, or who tries it now is taken for dead; null once it has arrived or was given up.
  not_before timestamptz,
  -- Why it didn't arrive; null if it did.
  fault text,
  date_time_created timestamptz not null
);
create index alert_deliveries_due on alert_deliveries (not_before) where not_before is not null;
create index alert_deliveries_target on alert_deliveries (target_id);
create index alert_deliveries_time on alert_deliveries (date_time_created);

grant select, insert, update, delete on alert_targets, alert_states, alert_deliveries to assent_app;
