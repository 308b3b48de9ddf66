-- Supervision: what a firm's lexicon looks for in texts, and the reviews of what it found.

-- A change adds a version. A firm without a row uses ours, version 0.
create table lexicons (
  firm_id bigint not null references firms,
  version integer not null,
  -- As JSON: name, action, and either a detector or phrases.
  rules text not null,
  date_time_created timestamptz not null,
  -- Unset if an operator set it.
  set_by bigint references staff,
  primary key (firm_id, version)
);

-- What a firm should look at. Every review is of something in the archive; of a text that we sent or held, also its message. A reply
-- from a sender that is no phone number has no member.
create table reviews (
  advisor_id bigint not null,
  review_id bigint generated always as identity,
  firm_id bigint not null references firms,
  kind text not null check (
    kind in (
      'possible_opt_out', 'opt_out_wording', 'out_of_order', 'misdirected', 'held', 'flagged', 'blocked', 'sample'
    )
  ),
  member_id bigint,
  archive_number bigint not null,
  status text not null default 'open' check (status in ('open', 'approved', 'rejected')),
  date_time_created timestamptz not null,
  message_id bigint,
  rules text[] not null default '{}',
  lexicon_version integer,
  decided_by bigint references staff,
  decided_at timestamptz,
  assigned_to bigint references staff,
  -- From then on a compliance officer decides it.
  escalated_at timestamptz,
  primary key (advisor_id, review_id)
);
create index reviews_open on reviews (firm_id, review_id) where status = 'open';
-- The queue by kind, by whose they are, and what was escalated, however many are open.
create index reviews_open_kind on reviews (firm_id, kind, review_id) where status = 'open';
create index reviews_assigned on reviews (assigned_to, review_id) where status = 'open' and assigned_to is not null;
create index reviews_escalated on reviews (firm_id, review_id) where status = 'open' and escalated_at is not null;
create index reviews_created on reviews (firm_id, date_time_created);
create index reviews_decided on reviews (firm_id, decided_at) where status <> 'open';
-- A review's id is unique because one sequence gives it, and the primary key begins with the advisor. Reviewers know the id
-- alone, so it keeps an index.
create index reviews_id on reviews (review_id);

-- The days that a firm's sample was drawn of, each once.
create table review_samples (
  firm_id bigint not null references firms,
  day date not null,
  date_time_created timestamptz not null,
  primary key (firm_id, day)
);

create trigger append_only before update or delete or truncate on lexicons
  for each statement execute function refuse_change();
alter table lexicons enable always trigger append_only;

grant usage on sequence reviews_review_id_seq to assent_app;
grant select, insert on lexicons, review_samples to assent_app;
grant select, insert, update on reviews to assent_app;
