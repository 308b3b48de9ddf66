-- What partners are told: events, numbered for each advisor without gaps by the row that numbers archive entries. That row is
-- locked until the commit, so numbers are in the order of commits, and a reader who has seen one has seen all before it.
alter table archive_heads add column last_event bigint not null default 0;

create table events (
  advisor_id bigint not null,
  number bigint not null,
  type text not null,
  member_id bigint,
  message_id bigint,
  scheduled_message_id bigint,
  -- Of a message.
  status text,
  failure_code text,
  -- Of a consent.
  state text,
  previous_state text,
  -- Why a scheduled message was skipped.
  reason text,
  -- Domain time.
  date_time timestamptz not null,
  -- Real time: an event is kept for 30 days.
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (advisor_id, number)
);
grant select, insert, delete on events to assent_app;
