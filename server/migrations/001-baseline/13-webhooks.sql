-- What partners are told, as webhooks.

-- Where an application wants to be told what happened: its endpoints.
create table webhooks (
  webhook_id bigint generated always as identity primary key,
  application_id bigint not null references applications,
  url text not null,
  -- The types of events that it asked for; null for all.
  types text[],
  sealed_secret bytea not null,
  -- The secret before, with which deliveries are signed too, until then (real time).
  sealed_old_secret bytea,
  old_secret_until timestamptz,
  -- Null while it is on.
  disabled_at timestamptz,
  disabled_reason text,
  -- One of assent listen, in the sandbox, ends then (real time) unless it is renewed; null for all others.
  listened_until timestamptz,
  date_time_created timestamptz not null,
  unique (application_id, url)
);

-- How far an endpoint has been told about an advisor, in each of the two logs. What comes next waits for what is before it.
create table webhook_streams (
  webhook_id bigint not null references webhooks on delete cascade,
  advisor_id bigint not null references advisors,
  feed text not null check (feed in ('events', 'changes')),
  -- Everything up to this number; in the next row of changes, which is about many contacts, up to this contact.
  number bigint not null,
  contact_id bigint,
  -- The application's access ended with this event, which is the last one.
  ends_at bigint,
  -- Attempts at what comes next, since when, and when the next one may be made: real time.
  failures integer not null default 0,
  failing_since timestamptz,
  not_before timestamptz not null default '-infinity',
  leased_until timestamptz,
  -- Streams that are known to have something to tell, by when: looking for work doesn't look at the others. A stream that has
  -- told everything is marked again when its log has grown.
  behind boolean not null default false,
  primary key (webhook_id, advisor_id, feed)
);
create index webhook_streams_advisor on webhook_streams (advisor_id);
create index webhook_streams_behind on webhook_streams (webhook_id, not_before) where behind;

-- What was pushed, and what came back. It is kept when its endpoint is removed.
create table webhook_deliveries (
  delivery_id bigint generated always as identity primary key,
  webhook_id bigint not null,
  url text not null,
  advisor_id bigint,
  event_id text not null,
  type text not null,
  body text not null,
  signature text not null,
  attempt integer not null,
  -- Null if no response came.
  status smallint,
  response text not null,
  duration_ms integer not null,
  -- Real time; in seconds, the timestamp that was signed.
  date_time timestamptz not null
);
create index webhook_deliveries_webhook on webhook_deliveries (webhook_id, delivery_id);
create index webhook_deliveries_time on webhook_deliveries (date_time);

grant select, insert, update, delete on webhooks, webhook_streams, webhook_deliveries to assent_app;
