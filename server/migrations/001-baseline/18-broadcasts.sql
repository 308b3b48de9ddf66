-- Texts to a group: each person gets their own. Who they are and what each of them is told is settled when it starts.

create table broadcasts (
  advisor_id bigint not null,
  broadcast_id bigint generated always as identity,
  -- As it was then: groups are renamed and deleted. Those who are asked for their consent need not be one.
  group_id bigint,
  group_name text,
  text text not null,
  -- Of the wording that the text is, where it asks for consent.
  wording_version integer,
  status text not null check (status in ('sending', 'done', 'stopped')),
  -- How many people are in it, and of how many the text was accepted or refused so far.
  people integer not null,
  accepted integer not null default 0,
  refused integer not null,
  actor text not null,
  trace_id text,
  -- Domain time: when the next batch is due. Whoever sends one locks the row, and so does a stop.
  due_at timestamptz not null,
  date_time_created timestamptz not null,
  date_time_ended timestamptz,
  primary key (advisor_id, broadcast_id)
);
create index broadcasts_due on broadcasts (due_at, broadcast_id) where status = 'sending';

-- A text is accepted in the transaction that writes its message_id here, so that a crash can't text anybody twice.
create table broadcast_recipients (
  advisor_id bigint not null,
  broadcast_id bigint not null,
  place integer not null,
  contact_id bigint not null,
  name text,
  phone text,
  text text not null,
  state text not null check (state in ('waiting', 'accepted', 'refused', 'stopped')),
  -- Domain time: one who waits for their day isn't accepted before, so that a stop still counts.
  not_before timestamptz,
  message_id bigint,
  -- Why they got none.
  code text,
  primary key (advisor_id, broadcast_id, place),
  check ((message_id is not null) = (state = 'accepted') and (code is not null) = (state = 'refused'))
);
create index broadcast_recipients_waiting on broadcast_recipients (advisor_id, broadcast_id, place) where state = 'waiting';

grant select, insert, update on broadcasts, broadcast_recipients to assent_app;
