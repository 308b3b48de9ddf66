-- A partner lists an advisor's texts, newest first: all of them or since a time, by person, by status, by schedule. A page's
-- keys and its total come from an index alone, in the order of the list. What isn't a text (consent requests, reminders,
-- confirmations) is in none of them. A text's status changes, so each of the first two has two entries for it: together they
-- cost about 20 µs of PostgreSQL's CPU for a text, accepted and delivered, of about 460.
create index messages_list on messages (advisor_id, date_time_created, message_id) include (status) where kind = 'text';
create index messages_member on messages (advisor_id, member_id, date_time_created, message_id) where kind = 'text';
-- The statuses that few texts have, which a search through all of them would find late. Most texts are never in it, so a send
-- doesn't pay for it.
create index messages_troubled on messages (advisor_id, status, date_time_created, message_id)
  where kind = 'text' and status in ('undelivered', 'failed', 'in_doubt', 'held', 'awaiting_consent');
-- Also finds the last text of a schedule.
create index messages_schedule on messages (advisor_id, scheduled_message_id, date_time_created, message_id)
  where kind = 'text' and scheduled_message_id is not null;

-- How many texts an advisor has up to a time, so that a total counts only the later ones: a million took 100 ms. Whoever asks for
-- the list brings it up to date. Texts don't change their time and are never removed, so it stays true.
create table text_counts (
  advisor_id bigint primary key references advisors,
  up_to timestamptz not null,
  texts bigint not null
);
grant select, insert, update on text_counts to assent_app;
