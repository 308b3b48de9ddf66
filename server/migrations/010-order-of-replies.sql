-- Replies arrive more than once, out of order, and with clocks that are wrong.

-- The latest stamps of the person's words on the matter, whatever the state is now. A START counts only if it is stamped
-- after every STOP that we know, so the two are kept apart.
alter table members
  add column stopped_at timestamptz,
  add column started_at timestamptz;
update members
set stopped_at = case when state = 'opted_out' then decided_at end,
    started_at = case when state <> 'opted_out' then decided_at end
where decided_at is not null;
alter table members drop column decided_at;

-- A duplicate has the id and the text of an earlier reply: an id alone may be used again. A reply is stored with its
-- member's row locked, so no constraint is needed.
alter table replies drop constraint replies_advisor_id_carrier_message_id_key;
create index replies_carrier on replies (advisor_id, carrier_message_id);

-- A reply whose stamp and arrival disagree about what the person wants.
alter table reviews
  drop constraint reviews_kind_check,
  add constraint reviews_kind_check
    check (kind in ('opt_out_wording', 'out_of_order', 'held', 'flagged', 'blocked', 'sample'));
