-- How advisors and staff sign in: sessions, passkeys, invitations, and what failed.

-- Browsers in which an advisor, or one of the staff, is signed in, by the SHA-256 of their cookie.
create table sessions (
  session_hash bytea primary key,
  advisor_id bigint references advisors,
  method text not null check (method in ('password', 'passkey', 'sandbox')),
  -- As people know it: Safari on iPhone.
  browser text not null,
  date_time_created timestamptz not null,
  -- To within some minutes.
  date_time_seen timestamptz not null,
  date_time_expires timestamptz not null,
  staff_id bigint references staff,
  constraint sessions_owner check (num_nonnulls(advisor_id, staff_id) = 1)
);
create index sessions_advisor on sessions (advisor_id);
create index sessions_staff on sessions (staff_id);
create index sessions_expires on sessions (date_time_expires);

-- Browsers in which an advisor has signed in before, by the SHA-256 of their cookie: guesses of passwords by strangers don't count
-- against sign-ins there. A browser may belong to several of them.
create table devices (
  device_hash bytea,
  advisor_id bigint references advisors,
  date_time_expires timestamptz not null,
  primary key (device_hash, advisor_id)
);
create index devices_advisor on devices (advisor_id, date_time_expires);
create index devices_expires on devices (date_time_expires);

-- Of an advisor or of one of the staff.
create table passkeys (
  advisor_id bigint references advisors,
  passkey_id text primary key,
  name text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  date_time_created timestamptz not null,
  date_time_used timestamptz,
  staff_id bigint references staff,
  constraint passkeys_owner check (num_nonnulls(advisor_id, staff_id) = 1)
);
create index passkeys_advisor on passkeys (advisor_id);
create index passkeys_staff on passkeys (staff_id);

-- Challenges that a passkey has still to answer, each once. The one of a registration belongs to who registers.
create table passkey_challenges (
  challenge_hash bytea primary key,
  advisor_id bigint references advisors,
  date_time_expires timestamptz not null,
  staff_id bigint references staff
);
create index passkey_challenges_expires on passkey_challenges (date_time_expires);

-- One-time links at which advisors choose a password, and staff add a passkey, by the SHA-256 of their code. A new link replaces
-- the one before.
create table invitations (
  advisor_id bigint unique references advisors,
  code_hash bytea primary key,
  date_time_expires timestamptz not null,
  staff_id bigint unique references staff,
  constraint invitations_owner check (num_nonnulls(advisor_id, staff_id) = 1)
);
create index invitations_expires on invitations (date_time_expires);

-- Sign-ins that failed, until an entry counts them: of accounts that are there and of such as are not, so that both take
-- the same time.
create table sign_in_failures (
  account_hash bytea primary key,
  advisor_id bigint,
  method text not null,
  address text not null,
  trace_id text,
  failures integer not null,
  first_failed timestamptz not null,
  last_failed timestamptz not null,
  staff_id bigint
);

-- Buckets that failed attempts empty and time fills, by the SHA-256 of what they are counted for.
create table throttles (
  bucket_hash bytea primary key,
  attempts_left double precision not null,
  date_time_filled timestamptz not null
);
create index throttles_filled on throttles (date_time_filled);

grant select, insert, update, delete on
  sessions, devices, passkeys, passkey_challenges, invitations, sign_in_failures, throttles
  to assent_app;
