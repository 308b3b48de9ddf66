-- How an application comes to act for an advisor: what was allowed, the codes and tokens that follow from it, and how
-- the advisor signs in to allow it.

-- A key is published from the moment it is here, and signs from date_time_signs on, once every process knows it.
alter table signing_keys add column date_time_signs timestamptz;
update signing_keys set date_time_signs = date_time_created;
alter table signing_keys alter column date_time_signs set not null;

-- The name that another identity provider, where one takes our server's place, has for the application.
alter table applications add column external_client_id text unique;

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

-- Authorization codes and refresh tokens, known only by their SHA-256. A used one stays until it would have expired:
-- that it was used is what gives a second use away. `answer` is the answer to its use, encrypted under the token itself.
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
  answer bytea
);
create index oauth_tokens_grant on oauth_tokens (grant_id);
create index oauth_tokens_expires on oauth_tokens (date_time_expires);
create index oauth_tokens_answered on oauth_tokens (date_time_used) where answer is not null;

-- Grants that have ended, until their tokens are deleted.
create table ended_grants (
  grant_id text primary key
);

-- Authorization requests that wait for the advisor, in the browser that made them.
create table interactions (
  uid_hash bytea primary key,
  browser_hash bytea not null,
  payload jsonb not null,
  date_time_expires timestamptz not null
);
create index interactions_expires on interactions (date_time_expires);

-- Access tokens that were revoked one by one, until they would have expired.
create table revoked_tokens (
  token_id text primary key,
  date_time_expires timestamptz not null
);
create index revoked_tokens_expires on revoked_tokens (date_time_expires);

-- Browsers in which an advisor is signed in, by the SHA-256 of their cookie.
create table sessions (
  session_hash bytea primary key,
  advisor_id bigint not null references advisors,
  method text not null check (method in ('password', 'passkey')),
  date_time_created timestamptz not null,
  date_time_expires timestamptz not null
);
create index sessions_advisor on sessions (advisor_id);
create index sessions_expires on sessions (date_time_expires);

create table passkeys (
  advisor_id bigint not null references advisors,
  passkey_id text not null unique,
  name text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  date_time_created timestamptz not null,
  date_time_used timestamptz,
  primary key (advisor_id, passkey_id)
);

-- Challenges that a passkey has still to answer, each once. The one of a registration belongs to its advisor.
create table passkey_challenges (
  challenge_hash bytea primary key,
  advisor_id bigint references advisors,
  date_time_expires timestamptz not null
);
create index passkey_challenges_expires on passkey_challenges (date_time_expires);

-- Buckets that failed attempts empty and time fills, by the SHA-256 of what they are counted for.
create table throttles (
  bucket_hash bytea primary key,
  attempts_left double precision not null,
  date_time_filled timestamptz not null
);
create index throttles_filled on throttles (date_time_filled);

grant delete on signing_keys to assent_app;
grant select, insert, update, delete
  on grants, ended_grants, oauth_tokens, interactions, revoked_tokens, sessions, passkeys, passkey_challenges, throttles
  to assent_app;
