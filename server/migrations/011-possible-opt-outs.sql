-- A reply that may mean stop holds every text to the person until a reviewer decides, or the person texts START.

-- When the person wrote the last such reply; unset while no text is held for one.
alter table members add column held_since timestamptz;

-- Why a held text waits.
alter table messages add column held_reason text;
update messages set held_reason = 'supervision' where status = 'held';
alter table messages
  add constraint messages_held_reason_check
    check ((held_reason is not null) = (status = 'held') and held_reason in ('supervision', 'possible_opt_out'));
-- Finds a person's held texts.
create index messages_held on messages (advisor_id, member_id, message_id) where status = 'held';

alter table reviews
  drop constraint reviews_kind_check,
  add constraint reviews_kind_check
    check (
      kind in ('possible_opt_out', 'opt_out_wording', 'out_of_order', 'held', 'flagged', 'blocked', 'sample')
    );
