-- A text that waits for the person's consent has the status awaiting_consent and is not in the outbox. Most texts never wait,
-- so a send doesn't pay for these.
create index messages_awaiting on messages (advisor_id, member_id, message_id) where status = 'awaiting_consent';
-- Finds those whose wait is over.
create index messages_lapsing on messages (date_time_created) where status = 'awaiting_consent';
