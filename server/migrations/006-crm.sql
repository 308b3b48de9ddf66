-- An advisor's CRM: how to reach it, what was taken from it, what each sync came to, and the numbers to look up in it.

create table crm_connections (
  advisor_id bigint primary key references advisors,
  kind text not null,
  -- What is no secret: the address, the user name, where numbers without a country code are from.
  settings jsonb not null,
  -- A password or a signing secret, by AES-256-GCM under a key that is not in the database.
  sealed_secret bytea,
  -- Domain time; unset, it is synced on demand only.
  next_sync_at timestamptz,
  daily boolean not null,
  -- The sync that is running, and until when (real time) its node is believed to live.
  sync_id bigint,
  syncing_until timestamptz,
  -- After a lookup that failed no other is tried until then (real time).
  lookups_after timestamptz not null default '-infinity',
  lookup_fault text,
  date_time_created timestamptz not null
);
create index crm_connections_due on crm_connections (next_sync_at) where next_sync_at is not null;

-- A contact as the CRM had it last. Where the book's differs from these fields, somebody edited it here.
create table crm_contacts (
  advisor_id bigint not null references advisors,
  kind text not null,
  remote_contact_id text not null,
  -- Unset once the contact was deleted here: a sync doesn't bring it back.
  contact_id bigint,
  locator text not null,
  version text,
  fields jsonb not null,
  -- Since when the CRM no longer lists it.
  missing_since timestamptz,
  primary key (advisor_id, kind, remote_contact_id),
  foreign key (advisor_id, contact_id) references contacts on delete set null (contact_id)
);
create index crm_contacts_contact on crm_contacts (advisor_id, contact_id) where contact_id is not null;

create table crm_syncs (
  advisor_id bigint not null references advisors,
  sync_id bigint generated always as identity,
  kind text not null,
  actor text not null,
  status text not null check (status in ('running', 'succeeded', 'failed', 'interrupted')),
  reason text,
  added integer not null default 0,
  updated integer not null default 0,
  unchanged integer not null default 0,
  conflicts integer not null default 0,
  duplicates integer not null default 0,
  missing integer not null default 0,
  refused integer not null default 0,
  date_time_started timestamptz not null,
  date_time_ended timestamptz,
  primary key (advisor_id, sync_id)
);

-- What a person should look at after a sync, one by one.
create table crm_findings (
  advisor_id bigint not null,
  sync_id bigint not null,
  finding_id bigint generated always as identity,
  kind text not null,
  remote_contact_id text,
  contact_id bigint,
  detail text not null,
  primary key (advisor_id, sync_id, finding_id),
  foreign key (advisor_id, sync_id) references crm_syncs
);

-- Numbers that texting made known and the CRM may know more about. Written with the contact, so that none is forgotten.
create table crm_lookups (
  advisor_id bigint not null references advisors,
  phone text not null,
  failures smallint not null default 0,
  -- Real time: the next try, and until when somebody is at it.
  not_before timestamptz not null,
  leased_until timestamptz,
  primary key (advisor_id, phone)
);
create index crm_lookups_ready on crm_lookups (not_before);

grant select, insert, update on crm_contacts, crm_syncs to assent_app;
grant select, insert, update, delete on crm_connections, crm_lookups to assent_app;
grant select, insert, delete on crm_findings to assent_app;
