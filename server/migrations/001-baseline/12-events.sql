-- What partners are told, as a feed.

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
  -- A receipt that came with the carrier's answer makes two events of one row: the number before this one is the text's `sent`.
  was_sent boolean,
  -- Of a consent.
  state text,
  previous_state text,
  -- Why a scheduled message was skipped.
  reason text,
  -- Domain time.
  date_time timestamptz not null,
  -- Real time: an event is kept for 30 days.
  recorded_at timestamptz not null default clock_timestamp(),
  -- Whose access to the advisor ended: only that application is told.
  application_id bigint,
  -- Only the advisor's own app is told.
  broadcast_id bigint,
  primary key (advisor_id, number)
);

grant select, insert, delete on events to assent_app;
