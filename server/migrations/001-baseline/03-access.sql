-- Partner applications, their keys, and what lets them act for an advisor: grants, codes and tokens.

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

-- What lets an application act for an advisor, one of each kind: `authorized` by the advisor, `provisioned` by the
-- operator for client credentials, `issued` by the operator's command. Every access token names its grant and ends with
-- it: at once where the row is deleted or gets another grant_id.
create table grants (
  advisor_id bigint not null references advisors,
  application_id bigint not null references applications,
  kind text not null check (kind in ('authorized', 'provisioned', 'issued')),
  grant_id text not null unique,
  scopes text[] not null,
  date_time_created timestamptz not null,
  date_time_modified timestamptz not null,
  primary key (advisor_id, application_id, kind)
);
create index grants_application on grants (application_id);

-- Grants that have ended, until their tokens are deleted.
create table ended_grants (
  grant_id text primary key
);

-- Applications that the operator provisioned for an advisor, and that the advisor then disconnected. If the advisor allows one
-- again, it is provisioned again.
create table suspended_provisions (
  advisor_id bigint not null,
  application_id bigint not null,
  primary key (advisor_id, application_id)
);

-- Authorization requests that wait for the advisor, in the browser that made them.
create table interactions (
  uid_hash bytea primary key,
  browser_hash bytea not null,
  payload jsonb not null,
  date_time_expires timestamptz not null
);
create index interactions_expires on interactions (date_time_expires);

-- Authorization codes and refresh tokens, known only by their SHA-256. A used one stays until it would have expired:
-- that it was used is what gives a second use away. `response` is the response to its use, encrypted under the token itself.
-- Without its grant a token is worth nothing; they are no foreign key, since a grant must end at once, however many
-- tokens it had.
create table oauth_tokens (
  token_hash bytea primary key,
  kind text not null check (kind in ('AuthorizationCode', 'RefreshToken')),
  grant_id text not null,
  payload jsonb not null,
  date_time_expires timestamptz not null,
  date_time_used timestamptz,
  successor_hash bytea,
  response bytea
);
create index oauth_tokens_grant on oauth_tokens (grant_id);
create index oauth_tokens_expires on oauth_tokens (date_time_expires);
create index oauth_tokens_responses on oauth_tokens (date_time_used) where response is not null;

-- Access tokens that were revoked one by one, until they would have expired.
create table revoked_tokens (
  token_id text primary key,
  date_time_expires timestamptz not null
);
create index revoked_tokens_expires on revoked_tokens (date_time_expires);

-- ES256 keys that sign access tokens, as JWK.
create table signing_keys (
  kid text primary key,
  jwk jsonb not null,
  date_time_created timestamptz not null,
  -- A key is published from the moment it is here, and signs from date_time_signs on, once every process knows it.
  date_time_signs timestamptz not null,
  -- Encrypted like other secrets.
  sealed_private_part bytea,
  constraint signing_keys_sealed check (sealed_private_part is null or not jwk ? 'd')
);

-- The response to a POST that carried an Idempotency-Key, committed together with what the POST did.
create table idempotent_responses (
  advisor_id bigint not null references advisors,
  -- 0 for the advisor's own app.
  application_id bigint not null,
  method text not null,
  path text not null,
  key text not null,
  fingerprint bytea not null,
  status smallint,
  body text,
  date_time_created timestamptz not null,
  primary key (advisor_id, application_id, method, path, key)
);
create index idempotent_responses_created on idempotent_responses (date_time_created);

-- Scopes that a grant had, and those of another that it lacked.
create function scopes_of_both(had text[], more text[]) returns text[]
  language sql immutable
  return had || array(select unnest(more) except select unnest(had));

grant select, insert, update on applications, api_keys to assent_app;
grant select, insert, update, delete on
  api_key_days, grants, ended_grants, interactions, oauth_tokens, revoked_tokens, idempotent_responses
  to assent_app;
grant select, insert, delete on suspended_provisions, signing_keys to assent_app;
