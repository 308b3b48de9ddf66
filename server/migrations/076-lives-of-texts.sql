-- A text that waits ends when its life does, so those are looked for every second. Attempts that failed because of the carrier alone
-- aren't among the tries.
create index dispatches_expiry on dispatches (expires_at);
alter table dispatches add column tries smallint not null default 0;
-- Our code for why a text wasn't delivered, beside the carrier's.
alter table unmatched_receipts add column failure_code text;
