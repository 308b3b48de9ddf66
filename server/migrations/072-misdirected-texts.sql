-- A text whose sender is no phone number (empty, a name, a short code) belongs to nobody: it is archived for the advisor and shown to
-- the firm, and makes no member.
alter table replies alter column member_id drop not null;
alter table reply_media alter column member_id drop not null;
alter table reviews alter column member_id drop not null;
alter table reviews
  drop constraint reviews_kind_check,
  add constraint reviews_kind_check
    check (
      kind in (
        'possible_opt_out', 'opt_out_wording', 'out_of_order', 'misdirected', 'held', 'flagged', 'blocked', 'sample'
      )
    );
