-- Who may call, and for whom: firms and their advisors, partner applications and their keys.

create table firms (
  firm_id bigint generated always as identity primary key,
  name text not null,
  date_time_created timestamptz not null
);

create table advisors (
  advisor_id bigint generated always as identity (start with 1001) primary key,
  firm_id bigint not null references firms,
  name text not null,
  email text not null,
  password_hash text,
  texting_number text,
  time_zone text not null,
  -- Whether a text needs the person's consent, and whether the account is set up to ask for it.
  consent_required boolean not null default true,
  consent_collection boolean not null default true,
  disabled boolean not null default false,
  date_time_created timestamptz not null
);
create unique index advisors_email on advisors (lower(email));
create unique index advisors_texting_number on advisors (texting_number);

create table applications (
  application_id bigint generated always as identity primary key,
  client_id text not null unique,
  name text not null,
  secret_hash bytea not null,
  scopes text[] not null,
  redirect_uris text[] not null,
  disabled boolean not null default false,
  date_time_created timestamptz not null
);

-- A key and its usage plan. Without a rate there is no plan: the key is not limited.
create table api_keys (
  key_id bigint generated always as identity primary key,
  application_id bigint not null references applications,
  key_hash bytea not null unique,
  -- Enough of the key to recognise it in a list, too little to use it.
  hint text not null,
  rate_per_second integer,
  burst integer,
  daily_quota integer,
  revoked boolean not null default false,
  date_time_created timestamptz not null
);

create table api_key_days (
  key_id bigint not null references api_keys,
  day date not null,
  used integer not null,
  primary key (key_id, day)
);

-- ES256 keys that sign access tokens, as JWK.
create table signing_keys (
  kid text primary key,
  private_jwk jsonb not null,
  date_time_created timestamptz not null
);

-- How far the sandbox's domain time is ahead of real time. One row; production never reads it.
create table sandbox_clock (
  only_row boolean primary key default true check (only_row),
  offset_ms bigint not null
);
insert into sandbox_clock (offset_ms) values (0);

-- The answer to a POST that carried an Idempotency-Key, committed together with what the POST did.
create table idempotent_answers (
  advisor_id bigint not null references advisors,
  application_id bigint not null references applications,
  method text not null,
  path text not null,
  key text not null,
  fingerprint bytea not null,
  status smallint,
  body text,
  date_time_created timestamptz not null,
  primary key (advisor_id, application_id, method, path, key)
);
create index idempotent_answers_created on idempotent_answers (date_time_created);

grant select on migrations to assent_app;
grant select, insert, update on firms, advisors, applications, api_keys, api_key_days, sandbox_clock to assent_app;
grant select, insert on signing_keys to assent_app;
grant select, insert, update, delete on idempotent_answers to assent_app;
grant delete on api_key_days to assent_app;
