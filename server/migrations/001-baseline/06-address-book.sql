-- Contacts and groups, the log of their changes, and the CRMs that numbers are looked up in.

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- One row per advisor. Every change of a book locks its row first, so that changes to one book take turns and can't deadlock.
create table contact_books (
  advisor_id bigint primary key references advisors,
  -- How many contacts there are, and how many of them with an email: searches needn't count the whole book.
  contact_count integer not null default 0,
  email_count integer not null default 0,
  -- Changes of contacts, numbered for each advisor without gaps by the book's row. Every change of contacts locks that row until
  -- the commit, so numbers are in the order of commits, and a reader who has seen one has seen all before it.
  last_change bigint not null default 0
);

-- Every contact counts in its advisor's book, which references the advisor: one check per statement. A check per contact was a tenth
-- of an import.
create table contacts (
  advisor_id bigint not null,
  contact_id bigint generated always as identity,
  identifier uuid not null default gen_random_uuid(),
  first_name text,
  last_name text,
  nickname text,
  email_address text collate "und-x-icu",
  phone text,
  birth_date date,
  client_anniversary date,
  gender smallint not null default 0,
  marital_status smallint not null default 0,
  address1 text,
  address2 text,
  city text,
  state text,
  postal_code text,
  source integer not null,
  remote_contact_id text,
  remote_contact_url text,
  -- The word, not the number: the contract's summary shows the word, and searches sort by what they show.
  email_status text collate "und-x-icu" not null default 'None',
  email_address_disposition smallint not null default 0,
  disable_email_status boolean not null default false,
  date_time_unsubscribed timestamptz,
  custom_fields jsonb not null default '[]',
  group_count integer not null default 0,
  -- What a search looks through, folded by the domain.
  search_text text not null,
  -- The beginnings of its words (store/address-book/search-keys.ts).
  search_keys text[] not null,
  date_time_created timestamptz not null,
  date_time_modified timestamptz not null,
  -- A contact made by texting has no names: it is shown by its number.
  full_name text collate "und-x-icu" not null generated always as (
    coalesce(
      nullif(trim(coalesce(first_name, '') || ' ' || coalesce(last_name, '')), ''),
      phone,
      email_address,
      'Unnamed'
    )
  ) stored,
  -- U+FFFF is above every other character of the root collation, and taken out of what is set: so an unset email is
  -- last, and the key never null.
  email_order text collate "und-x-icu" not null generated always as (
    coalesce(replace(email_address, U&'\FFFF', ''), U&'\FFFF')
  ) stored,
  primary key (advisor_id, contact_id)
);
-- One for each sort. Pages are found in them without the table, those of contacts modified since a date too; and by consent, which is
-- of the phone, in the two that the advisor's app sorts by.
create index contacts_full_name on contacts (advisor_id, full_name, contact_id) include (date_time_modified, phone);
create index contacts_email on contacts (advisor_id, email_order, contact_id) include (date_time_modified);
create index contacts_email_status on contacts (advisor_id, email_status, contact_id) include (date_time_modified);
create index contacts_group_count on contacts (advisor_id, group_count, contact_id) include (date_time_modified);
create index contacts_source on contacts (advisor_id, source, contact_id) include (date_time_modified);
create index contacts_created on contacts (advisor_id, date_time_created, contact_id) include (date_time_modified);
create index contacts_modified on contacts (advisor_id, date_time_modified, contact_id) include (phone);
create index contacts_phone on contacts (advisor_id, phone, contact_id) where phone is not null;
create index contacts_remote on contacts (advisor_id, remote_contact_id) where remote_contact_id is not null;
create index contacts_search on contacts using gin (advisor_id, search_keys);

-- A row is about contacts with consecutive ids that one statement changed: a batch of an import is one row, not thousands.
create table contact_changes (
  advisor_id bigint not null,
  number bigint not null,
  change text not null check (change in ('created', 'updated', 'deleted')),
  first_contact_id bigint not null,
  last_contact_id bigint not null,
  -- Domain time.
  date_time timestamptz not null,
  -- Real time: a change is kept for 30 days.
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (advisor_id, number)
);

create table groups (
  advisor_id bigint not null references advisors,
  group_id bigint generated always as identity,
  name text collate "und-x-icu" not null,
  external_id text,
  source integer not null,
  contact_count integer not null default 0,
  search_text text not null,
  date_time_created timestamptz not null,
  date_time_modified timestamptz not null,
  primary key (advisor_id, group_id),
  unique (advisor_id, external_id)
);

create table memberships (
  advisor_id bigint not null,
  group_id bigint not null,
  contact_id bigint not null,
  primary key (advisor_id, group_id, contact_id),
  foreign key (advisor_id, contact_id) references contacts
);
create index memberships_contact on memberships (advisor_id, contact_id, group_id);

create table deleted_groups (
  advisor_id bigint not null references advisors,
  group_id bigint not null,
  primary key (advisor_id, group_id)
);

-- An advisor's CRM: how to reach it, and the numbers to look up in it.
create table crm_connections (
  advisor_id bigint primary key references advisors,
  url text not null,
  -- The signing secret, by AES-256-GCM under a key that is not in the database.
  sealed_secret bytea not null,
  -- After a lookup that failed no other is tried until then (real time).
  lookups_after timestamptz not null default '-infinity',
  lookup_fault text,
  date_time_created timestamptz not null
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

-- The file that an advisor imports in the app, or imported last. It is kept so that a node that takes over can read it again, and so that rows
-- that were refused can be given back.
create table contact_imports (
  advisor_id bigint not null references advisors,
  import_id bigint generated always as identity,
  file_name text not null,
  file bytea not null,
  status text not null default 'previewed' check (status in ('previewed', 'running', 'done', 'failed', 'stopped')),
  row_count integer not null,
  -- Rows that were dealt with, and what became of them.
  rows_done integer not null default 0,
  created integer not null default 0,
  updated integer not null default 0,
  unchanged integer not null default 0,
  repeated integer not null default 0,
  refused integer not null default 0,
  -- The first rows that were refused or lost something, with the reasons.
  notes jsonb not null default '[]',
  -- Real time: until when its node is believed to live, and for how long the file is kept.
  leased_until timestamptz not null default '-infinity',
  uploaded_at timestamptz not null default clock_timestamp(),
  primary key (advisor_id, import_id)
);
create index contact_imports_running on contact_imports (leased_until) where status = 'running';
-- One at a time.
create unique index contact_imports_one on contact_imports (advisor_id) where status = 'running';

-- As the owner, because only the owner of an index may empty its list.
create function empty_contact_search_list() returns void
language sql security definer set search_path = public, pg_temp
as $$
  select gin_clean_pending_list('contacts_search');
$$;

grant select, insert, update on contact_books to assent_app;
grant select, insert, update, delete on contacts, groups, memberships, crm_connections, crm_lookups, contact_imports to assent_app;
grant select, insert, delete on contact_changes, deleted_groups to assent_app;
-- Ids are taken before a batch is written, so that contacts keep the order of their file though batches overlap.
grant usage on sequence contacts_contact_id_seq to assent_app;
