-- Members and their consent, texts in and out, and schedules. Locks are taken in this order, so that there is no deadlock:
-- schedules, members, books, archive heads.

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
-- No foreign key to the advisor: a check for each member was a tenth of an import. No role of the program can delete an advisor, and
-- the statements that add members look the advisor up first.
create table members (
  advisor_id bigint not null,
  -- Far from the ids of contacts, so that nobody takes one for the other.
  member_id bigint generated always as identity (start with 500001),
  phone text not null,
  state text not null default 'none' check (state in ('none', 'pending', 'accepted', 'opted_out')),
  last_changed timestamptz not null,
  consent_requests integer not null default 0,
  requested_at timestamptz,
  reminded boolean not null default false,
  helped_at timestamptz,
  last_reply_at timestamptz,
  first_texted_at timestamptz,
  date_time_created timestamptz not null,
  -- The latest stamps of the person's words on the matter, whatever the state is now. A START counts only if it is stamped
  -- after every STOP that we know, so the two are kept apart.
  stopped_at timestamptz,
  started_at timestamptz,
  -- A reply that may mean stop holds every text to the person until a reviewer decides, or the person texts START.
  -- When the person wrote the last such reply; unset while no text is held for one.
  held_since timestamptz,
  primary key (advisor_id, member_id),
  unique (advisor_id, phone)
) with (fillfactor = 80);
-- Those who were ever asked, for a list of contacts by consent. A member's row changes in place as before, unless its state changes.
create index members_consent on members (advisor_id, state, phone) where state <> 'none';
-- Finds the stops of a number, for an advisor who gets to know it later.
create index members_stopped on members (phone) where stopped_at is not null;

-- Texts from people, each once however often the carrier delivers it. A duplicate has the id and the text of an earlier reply: an id
-- alone may be used again. A reply is stored with its member's row locked, so no constraint is needed. One from a sender that is no
-- phone number (a name, a short code) has no member.
create table replies (
  advisor_id bigint not null,
  reply_id bigint generated always as identity,
  member_id bigint,
  archive_number bigint not null,
  carrier_message_id text not null,
  date_time_created timestamptz not null,
  carrier_id smallint not null,
  primary key (advisor_id, reply_id)
);
create index replies_time on replies using brin (date_time_created) with (autosummarize = on);
create index replies_carrier on replies (advisor_id, carrier_message_id);

-- Pictures and the like that came with a reply. Each is fetched from the carrier afterwards, into an entry of its own.
create table reply_media (
  advisor_id bigint not null,
  -- The reply's entry, and the place in the reply, from 1.
  reply_number bigint not null,
  place smallint not null,
  member_id bigint,
  carrier_id smallint not null,
  -- Where the carrier has it. It may be signed, so it is null once nobody has to fetch it any more.
  url text,
  content_type text not null,
  -- The entry that has it, or says why it couldn't be fetched, and the bytes in there.
  media_number bigint,
  size integer not null default 0,
  failures smallint not null default 0,
  -- Real time. Whoever claims it moves this on; null once there is an entry.
  not_before timestamptz,
  date_time_created timestamptz not null,
  primary key (advisor_id, reply_number, place)
);
create index reply_media_due on reply_media (carrier_id, not_before) where not_before is not null;

create sequence message_ids;
grant usage on sequence message_ids to assent_app;

create table messages (
  advisor_id bigint not null,
  message_id bigint not null,
  member_id bigint not null,
  kind text not null,
  archive_number bigint not null,
  status text not null,
  -- The status, if it is one that few texts have. Indexes go by this alone: a change from one usual status to another then touches no
  -- index, and stays on the row's page (a heap-only update).
  rare_status text
    generated always as (case when status in ('undelivered', 'failed', 'in_doubt', 'held', 'awaiting_consent') then status end) stored,
  segments smallint not null,
  encoding text not null,
  failure_code text,
  attempt smallint not null default 0,
  carrier_message_id text,
  scheduled_message_id bigint,
  date_time_created timestamptz not null,
  -- When it was handed over: the start of the attempt that the carrier took.
  date_time_sent timestamptz,
  date_time_delivered timestamptz,
  -- When it failed; of one in doubt, when that attempt began.
  date_time_ended timestamptz,
  -- Why a held text waits.
  held_reason text,
  -- What it waited for first, if it did, however that ended.
  waited_for text check (waited_for in ('consent', 'decision', 'hours')),
  -- Where a text stands in its thread, if that isn't about when it was written: of one that still waits, after everything.
  late_at timestamptz generated always as (
    case
      when coalesce(date_time_sent, date_time_ended) - date_time_created > interval '1 minute'
        then coalesce(date_time_sent, date_time_ended)
      when coalesce(date_time_sent, date_time_ended) is null and waited_for is not null then 'infinity'::timestamptz
    end
  ) stored,
  -- The carrier that a message was handed to last. Its id of the text is unique for that carrier only. Null until
  -- the text is handed over.
  carrier_id smallint,
  primary key (advisor_id, message_id),
  constraint messages_held_reason_check
    check ((held_reason is not null) = (status = 'held') and held_reason in ('supervision', 'possible_opt_out'))
-- What the carrier says makes a row half as large again, and texts of one page go out together: with this, all of them have room there,
-- and no index changes. At 50, a quarter didn't, and took more room in the end.
) with (fillfactor = 38);
-- Finds a day's texts. Texts are stored in the order of time, so that this index costs sending next to nothing.
create index messages_created on messages using brin (date_time_created);
-- Finds a person's held texts.
create index messages_held on messages (advisor_id, member_id, message_id) where rare_status = 'held';
-- Finds those that stand elsewhere in a thread than where they were written. Most texts never do, so a send doesn't pay for it.
create index messages_late on messages (advisor_id, member_id, late_at) where late_at is not null;
-- To look through the texts that were sent on a day: an attempt that the carrier accepted has no row in attempts.
create index messages_sent on messages using brin (date_time_sent) with (autosummarize = on);
-- A partner lists an advisor's texts, newest first: all of them or since a time, by person, by status, by schedule. A page's
-- keys and its total come from an index alone, in the order of the list; only for a usual status the rows are read. What isn't a text
-- (consent requests, reminders, confirmations) is in none of them.
create index messages_list on messages (advisor_id, date_time_created, message_id) where kind = 'text';
create index messages_member on messages (advisor_id, member_id, date_time_created, message_id) where kind = 'text';
-- The statuses that few texts have, which a search through all of them would find late. Most texts are never in it, so a send
-- doesn't pay for it.
create index messages_troubled on messages (advisor_id, rare_status, date_time_created, message_id)
  where kind = 'text' and rare_status is not null;
-- Also finds the last text of a schedule.
create index messages_schedule on messages (advisor_id, scheduled_message_id, date_time_created, message_id)
  where kind = 'text' and scheduled_message_id is not null;
-- A text that waits for the person's consent has the status awaiting_consent and is not in the outbox. Most texts never wait,
-- so a send doesn't pay for these.
create index messages_awaiting on messages (advisor_id, member_id, message_id) where rare_status = 'awaiting_consent';
-- Finds those whose wait is over.
create index messages_lapsing on messages (date_time_created) where rare_status = 'awaiting_consent';
-- Finds texts in doubt, to ask their carrier about them. Few texts are, so a send doesn't pay for it.
create index messages_in_doubt on messages (message_id) where rare_status = 'in_doubt';

-- How many texts an advisor has up to a time, so that a total counts only the later ones: a million took 100 ms. Whoever asks for
-- the list brings it up to date. Texts don't change their time and are never removed, so it stays true.
create table text_counts (
  advisor_id bigint primary key references advisors,
  up_to timestamptz not null,
  texts bigint not null
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

-- A member's consent is what its last consent entry says, which the same transaction writes. Checked at the commit, and
-- against the row as it is then: a transaction may move it twice.
-- While a shard of a distributed database is moved, what is written meanwhile comes to its new node by replication, as a role of Citus
-- that no other node knows. It was checked on the node that it comes from, so the guards let it through: otherwise the move
-- would never end, and the shard's advisors would wait for it.
create function refuse_unproven_consent() returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  if current_setting('session_replication_role') = 'replica' then
    if (select backend_type from pg_stat_get_activity(pg_backend_pid())) like 'logical replication %worker' then
      return null;
    end if;
  end if;
  if (select state from members where advisor_id = new.advisor_id and member_id = new.member_id)
    is distinct from coalesce(
      (
        select consent_state
        from archive_entries
        where advisor_id = new.advisor_id and member_id = new.member_id and kind = 'consent'
        order by number desc
        limit 1
      ),
      'none'
    )
  then
    raise exception 'consent changes only with an entry that says so' using errcode = 'insufficient_privilege';
  end if;
  return null;
end
$$;

-- Consent belongs to the number: a member who could get another number would bring its consent along.
create function refuse_other_number() returns trigger
language plpgsql
as $$
begin
  raise exception 'a member keeps its number' using errcode = 'insufficient_privilege';
end
$$;

create constraint trigger consent_changed after update of state on members
  deferrable initially deferred
  for each row when (old.state is distinct from new.state) execute function refuse_unproven_consent();
alter table members enable always trigger consent_changed;
create constraint trigger consent_added after insert on members
  deferrable initially deferred
  for each row when (new.state <> 'none') execute function refuse_unproven_consent();
alter table members enable always trigger consent_added;
create trigger number_stays before update of advisor_id, member_id, phone on members
  for each row
  when ((old.advisor_id, old.member_id, old.phone) is distinct from (new.advisor_id, new.member_id, new.phone))
  execute function refuse_other_number();
alter table members enable always trigger number_stays;
-- Entries refer to wordings and lexicons by version, and to staff by id.
create trigger append_only before update or delete or truncate on wordings
  for each statement execute function refuse_change();
alter table wordings enable always trigger append_only;

-- Ids are drawn by the statements that insert, or before them.
grant usage on sequence members_member_id_seq, scheduled_messages_scheduled_message_id_seq to assent_app;
grant select, insert on wordings, replies to assent_app;
grant select, insert, update on members, reply_media, messages, text_counts, scheduled_messages to assent_app;
