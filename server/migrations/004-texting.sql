-- Texting: members and their consent, texts in and out, schedules, what waits to go out, and the archive of it all.
-- Locks are taken in this order, so that nobody waits in a circle: schedules, members, books, archive heads.

-- Whether the first text to a person names the firm and how to stop. Unset: on in production, off in the sandbox.
alter table firms add column first_text_line boolean;

-- Quiet hours: off, defer or refuse. Pace: texts a second from this number; unset, as fast as the carrier takes them.
alter table advisors
  add column quiet_hours text not null default 'off' check (quiet_hours in ('off', 'defer', 'refuse')),
  add column texting_pace integer check (texting_pace > 0);

-- The people of a firm who supervise: they record consent given on paper, and review.
create table staff (
  staff_id bigint generated always as identity primary key,
  firm_id bigint not null references firms,
  name text not null,
  email text not null,
  disabled boolean not null default false,
  date_time_created timestamptz not null
);
create unique index staff_email on staff (lower(email));

-- What a firm's own texts say, by kind; a change adds a version. A firm without a row uses ours, version 0.
create table wordings (
  firm_id bigint not null references firms,
  kind text not null,
  version integer not null,
  text text not null,
  date_time_created timestamptz not null,
  primary key (firm_id, kind, version)
);

-- A number that an advisor knows, and its consent, which belongs to the number and not to a contact. The row is the lock
-- between a person's STOP and whatever is about to be sent.
create table members (
  advisor_id bigint not null references advisors,
  -- Far from the ids of contacts, so that nobody takes one for the other.
  member_id bigint generated always as identity (start with 500001),
  phone text not null,
  state text not null default 'none' check (state in ('none', 'pending', 'accepted', 'opted_out')),
  last_changed timestamptz not null,
  -- When the person wrote what the state comes from. Replies arrive out of order; an older one doesn't undo a newer one.
  decided_at timestamptz,
  consent_requests integer not null default 0,
  -- The wording that the open consent request showed, as evidence for the answer.
  requested_at timestamptz,
  requested_wording text,
  requested_version integer,
  reminded boolean not null default false,
  helped_at timestamptz,
  last_reply_at timestamptz,
  first_texted_at timestamptz,
  date_time_created timestamptz not null,
  primary key (advisor_id, member_id),
  unique (advisor_id, phone)
) with (fillfactor = 80);

-- Every contact's number is known from the start.
insert into members (advisor_id, phone, last_changed, date_time_created)
select advisor_id, phone, min(date_time_created), min(date_time_created)
from contacts
where phone is not null
group by advisor_id, phone;

-- The archive. Entries are numbered densely for each advisor: a row that is gone leaves a gap. The head row gives out
-- the numbers, and the moments at which an advisor's texts may go out when there is a pace to keep.
create table archive_heads (
  advisor_id bigint primary key references advisors,
  last_number bigint not null,
  next_slot timestamptz not null default '-infinity'
) with (fillfactor = 50);

create table archive_entries (
  advisor_id bigint not null,
  number bigint not null,
  kind text not null,
  member_id bigint,
  message_id bigint,
  -- Who did it: application:3, staff:7, person, carrier, operator …
  actor text not null,
  trace_id text,
  -- Facts as JSON, kept as the text that was written: what is hashed are bytes.
  meta text not null,
  -- SHA-256 of salt and body, which lie apart, so that a body can go when its retention ends and the entry stays.
  commitment bytea not null,
  date_time_created timestamptz not null,
  primary key (advisor_id, number)
);
create index archive_entries_consent on archive_entries (advisor_id, member_id, number) where kind = 'consent';

create table archive_bodies (
  advisor_id bigint not null,
  number bigint not null,
  salt bytea not null,
  body bytea not null,
  primary key (advisor_id, number)
);

create function refuse_change() returns trigger
language plpgsql
as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end
$$;
create trigger append_only before update or delete or truncate on archive_entries
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on archive_bodies
  for each statement execute function refuse_change();
-- Always: also where replication, or somebody who says to be it, switches ordinary triggers off.
alter table archive_entries enable always trigger append_only;
alter table archive_bodies enable always trigger append_only;

-- Texts to people. What they say is in the archive, under archive_number.
create sequence message_ids;
create table messages (
  advisor_id bigint not null,
  message_id bigint not null,
  member_id bigint not null,
  kind text not null,
  archive_number bigint not null,
  status text not null,
  segments smallint not null,
  encoding text not null,
  failure_code text,
  attempt smallint not null default 0,
  carrier_message_id text,
  scheduled_message_id bigint,
  date_time_created timestamptz not null,
  date_time_sent timestamptz,
  date_time_delivered timestamptz,
  primary key (advisor_id, message_id)
) with (fillfactor = 70);
create index messages_carrier on messages (carrier_message_id) where carrier_message_id is not null;

-- What waits to go out, and what is being submitted: a row leaves when its outcome is known.
create table dispatches (
  advisor_id bigint not null,
  message_id bigint not null,
  -- Real time: a slot of the pace, or the next try after a failed one.
  not_before timestamptz not null,
  -- Domain time: outside the recipient's hours until then, inside them until then, no use after then.
  deferred_until timestamptz,
  open_until timestamptz,
  expires_at timestamptz,
  -- Real time: until then somebody is submitting it, and after that nobody knows what became of it.
  leased_until timestamptz,
  primary key (advisor_id, message_id)
) with (fillfactor = 70);
create index dispatches_ready on dispatches (not_before, message_id) where leased_until is null and deferred_until is null;
create index dispatches_deferred on dispatches (deferred_until) where deferred_until is not null;
create index dispatches_leased on dispatches (leased_until) where leased_until is not null;

-- Every time a text was handed to a carrier, written before the call.
create table attempts (
  advisor_id bigint not null,
  message_id bigint not null,
  attempt smallint not null,
  date_time_started timestamptz not null,
  date_time_ended timestamptz,
  -- accepted, refused, not_taken, unknown; unset while it lasts.
  outcome text,
  code text,
  primary key (advisor_id, message_id, attempt)
) with (fillfactor = 70);

-- A receipt that came before the carrier's answer to the submission that it is about.
create table early_receipts (
  carrier_message_id text primary key,
  status text not null,
  code text,
  date_time_created timestamptz not null
);

-- Texts from people, each once however often the carrier brings it.
create table replies (
  advisor_id bigint not null,
  reply_id bigint generated always as identity,
  member_id bigint not null,
  archive_number bigint not null,
  carrier_message_id text not null,
  date_time_created timestamptz not null,
  primary key (advisor_id, reply_id),
  unique (advisor_id, carrier_message_id)
);

create table scheduled_messages (
  advisor_id bigint not null,
  scheduled_message_id bigint generated always as identity,
  member_id bigint not null,
  text text not null,
  -- The first time; it repeats at that wall-clock time of the zone.
  first_date timestamptz not null,
  time_zone text not null,
  frequency smallint not null,
  -- When it is due next; when it was due last once nothing is left.
  delivery_date timestamptz not null,
  status text not null check (status in ('scheduled', 'skipped', 'completed', 'canceled')),
  reason text,
  actor text not null,
  trace_id text,
  date_time_created timestamptz not null,
  primary key (advisor_id, scheduled_message_id)
);
create index scheduled_messages_due on scheduled_messages (delivery_date, scheduled_message_id) where status = 'scheduled';
create index scheduled_messages_list on scheduled_messages (advisor_id, status, delivery_date, scheduled_message_id);

-- What a firm should look at: for now opt-outs that were understood from free wording.
create table reviews (
  advisor_id bigint not null,
  review_id bigint generated always as identity,
  firm_id bigint not null references firms,
  kind text not null,
  member_id bigint not null,
  archive_number bigint not null,
  status text not null default 'open',
  date_time_created timestamptz not null,
  primary key (advisor_id, review_id)
);
create index reviews_open on reviews (firm_id, review_id) where status = 'open';

-- What the sandbox's phones received. Production has no such phones.
create table handset_messages (
  handset_message_id bigint generated always as identity primary key,
  phone text not null,
  texting_number text not null,
  text text not null,
  carrier_message_id text not null,
  date_time_created timestamptz not null
);
create index handset_messages_phone on handset_messages (phone, handset_message_id);

grant select, insert, update on staff, wordings, members, archive_heads, messages, attempts, scheduled_messages, reviews
  to assent_app;
grant select, insert on archive_entries, archive_bodies, replies, handset_messages to assent_app;
grant select, insert, update, delete on dispatches, early_receipts to assent_app;
grant usage on sequence message_ids to assent_app;
