-- Texts on their way: the outbox, claims, attempts and receipts.

-- The outbox: texts that wait to go out. Whoever claims, holds or fails a text takes its row out.
create table dispatches (
  advisor_id bigint not null,
  message_id bigint not null,
  -- Real time: a slot of the pace, or the next try after a failed one.
  not_before timestamptz not null,
  -- Domain time: outside the recipient's hours until then, inside them until then, no use after then.
  deferred_until timestamptz,
  open_until timestamptz,
  expires_at timestamptz,
  carrier_id smallint not null,
  -- Attempts so far that count.
  tries smallint not null default 0,
  -- The texts of a claim are found by their ids alone: a plan that was made while the outbox was empty would otherwise read all of it,
  -- once for each text of the claim.
  primary key (message_id, advisor_id)
);
create index dispatches_ready on dispatches (carrier_id, not_before, message_id) where deferred_until is null;
create index dispatches_deferred on dispatches (deferred_until) where deferred_until is not null;
-- A text that waits ends when its life does, so those are looked for every second. Attempts that failed because of the carrier alone
-- aren't among the tries.
create index dispatches_expiry on dispatches (expires_at);

-- A claim is one row: texts that a node is handing to the carrier, each with the number of its attempt. It is written in
-- the transaction that takes the texts out of the outbox, before the carrier is called, and goes with their last outcome.
create table claims (
  claim_id uuid not null default gen_random_uuid(),
  -- The first advisor of its texts: a claim is where they are.
  advisor_id bigint not null,
  -- Domain time.
  date_time_started timestamptz not null,
  -- Real time: after that, nobody knows what became of those of its texts that have no outcome.
  leased_until timestamptz not null,
  advisor_ids bigint[] not null,
  message_ids bigint[] not null,
  attempts smallint[] not null,
  carrier_id smallint not null,
  primary key (claim_id, advisor_id)
);
create index claims_leased on claims (leased_until);

-- Attempts at handing a text to a carrier that it didn't accept; an accepted one has no row.
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
);
create index attempts_time on attempts using brin (date_time_started) with (autosummarize = on);

-- The carrier's ids of texts whose last receipt is still to come, or came after the carrier's answer. An index on messages would be
-- written for each text, and keep its update from staying in place.
create table carrier_texts (
  advisor_id bigint not null,
  carrier_id smallint not null,
  carrier_message_id text not null,
  message_id bigint not null,
  primary key (carrier_message_id, carrier_id, advisor_id)
);

-- Receipts with an id that no message has, or none yet, with all that may tell which text they are about.
create table unmatched_receipts (
  -- Nobody's yet, so the deployment's.
  advisor_id bigint not null default 0,
  carrier_id smallint not null,
  carrier_message_id text not null,
  status text not null,
  code text,
  -- The last 16 bits of our own reference, and both numbers, if the carrier repeats them.
  reference integer,
  from_number text,
  to_number text,
  -- Real time.
  date_time_created timestamptz not null,
  -- Our code for why a text wasn't delivered, beside the carrier's.
  failure_code text,
  primary key (carrier_id, carrier_message_id, advisor_id)
);

grant select, insert, update, delete on dispatches, claims, unmatched_receipts to assent_app;
grant select, insert, update on attempts to assent_app;
grant select, insert on carrier_texts to assent_app;
