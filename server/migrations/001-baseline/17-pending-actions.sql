-- What somebody has decided and can still undo: a job does what is due.

create table pending_actions (
  advisor_id bigint not null references advisors,
  -- Random: who knows one can’t guess another.
  action_id bigint not null,
  kind text not null,
  -- What it is about: contacts, a group, or a review.
  target_ids bigint[] not null,
  -- What is done to it and by whom, as JSON, where the kind doesn't say.
  detail text,
  -- Real time: a person has these seconds, however a sandbox's clock is moved meanwhile.
  due_at timestamptz not null,
  primary key (advisor_id, action_id)
);
create index pending_actions_due on pending_actions (due_at);

grant select, insert, update, delete on pending_actions to assent_app;
