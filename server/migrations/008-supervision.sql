-- Supervision: what a firm's lexicon looks for in texts, and the reviews of what it found.

-- A change adds a version. A firm without a row uses ours, version 0.
create table lexicons (
  firm_id bigint not null references firms,
  version integer not null,
  -- As JSON: name, action, and either a detector or phrases.
  rules text not null,
  date_time_created timestamptz not null,
  primary key (firm_id, version)
);

-- How much of a day's texts a firm looks at, whatever they say.
alter table firms
  add column review_sample_percent double precision not null default 1 check (review_sample_percent between 0 and 100);

-- Every review is of something in the archive; of a text that we sent, or held, also its message.
alter table reviews
  add column message_id bigint,
  add column rules text[] not null default '{}',
  add column lexicon_version integer,
  add column decided_by bigint references staff,
  add column decided_at timestamptz,
  add constraint reviews_kind_check check (kind in ('opt_out_wording', 'held', 'flagged', 'blocked', 'sample')),
  add constraint reviews_status_check check (status in ('open', 'approved', 'rejected'));
-- Whoever decides names a review by this alone.
create unique index reviews_review_id on reviews (review_id);
-- What was decided and noted is in the archive.
create index archive_entries_review on archive_entries (advisor_id, member_id, number) where kind = 'review';

-- The days that a firm's sample was drawn of, each once.
create table review_samples (
  firm_id bigint not null references firms,
  day date not null,
  date_time_created timestamptz not null,
  primary key (firm_id, day)
);
-- Finds a day's texts. Texts are stored in the order of time, so that this index costs sending next to nothing.
create index messages_created on messages using brin (date_time_created);

-- Advisor 0 is the deployment's own book, for what belongs to no one advisor.
alter table archive_heads drop constraint if exists archive_heads_advisor_id_fkey;

grant select, insert on lexicons, review_samples to assent_app;
