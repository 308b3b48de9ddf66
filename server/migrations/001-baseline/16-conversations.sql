-- What an advisor's own app knows of a conversation with a person. The texts are in messages and replies: a conversation without a
-- row here has nothing read, nothing done and no draft, and sending a text costs nothing here.

create table conversations (
  advisor_id bigint not null,
  member_id bigint not null,
  -- Every reply up to this one has been read.
  read_reply_id bigint not null default 0,
  -- Domain time. It is in the inbox again once there is something newer.
  done_at timestamptz,
  -- Domain time: out of the inbox until then, or until the person writes.
  snoozed_at timestamptz,
  snoozed_until timestamptz,
  draft text,
  primary key (advisor_id, member_id),
  check ((snoozed_at is null) = (snoozed_until is null))
);

-- Texts that an advisor keeps to send again, with fields that are filled in for each person.
create table saved_replies (
  advisor_id bigint not null,
  saved_reply_id bigint generated always as identity,
  title text collate "und-x-icu" not null,
  text text not null,
  primary key (advisor_id, saved_reply_id)
);

-- What an advisor signs texts with. The app puts it into an empty composer, where it can be read and removed; nothing else adds it.
create table signatures (
  advisor_id bigint primary key,
  text text not null
);

-- A person's replies, and their other texts: what isn't in messages_member, and the last of each in the order of
-- conversations, which needs no sorting then: a log is read only as far as the page goes.
create index replies_member on replies (advisor_id, member_id, date_time_created, reply_id);
create index replies_list on replies (advisor_id, date_time_created, member_id);
create index messages_other_member on messages (advisor_id, member_id, date_time_created, message_id) where kind <> 'text';
create index messages_other_list on messages (advisor_id, date_time_created, member_id) where kind <> 'text';
create index scheduled_messages_member on scheduled_messages (advisor_id, member_id) where status = 'scheduled';

grant select, insert, update on conversations to assent_app;
grant select, insert, update, delete on saved_replies to assent_app;
grant select, insert, update on signatures to assent_app;
