-- Firms, their advisors and their staff.

create table firms (
  firm_id bigint generated always as identity primary key,
  name text not null,
  date_time_created timestamptz not null,
  -- Whether the first text to a person names the firm and how to stop. Unset: on in production, off in the sandbox.
  first_text_line boolean,
  -- How much of a day's texts a firm looks at, whatever they say.
  review_sample_percent double precision not null default 1 check (review_sample_percent between 0 and 100),
  -- A firm decides for whom a STOP to one of its advisors counts: for that advisor, or for every advisor of the firm.
  opt_out_scope text not null default 'advisor'
    check (opt_out_scope in ('advisor', 'firm'))
);

create table advisors (
  advisor_id bigint generated always as identity (start with 1001) primary key,
  firm_id bigint not null references firms,
  name text not null,
  email text not null,
  password_hash text,
  texting_number text,
  time_zone text not null,
  -- Whether a text needs the person's consent, and whether the account is set up to ask for it.
  consent_required boolean not null default true,
  consent_collection boolean not null default true,
  disabled boolean not null default false,
  date_time_created timestamptz not null,
  -- Quiet hours: off, defer or refuse. Pace: texts a second from this number; unset, as fast as the carrier takes them.
  quiet_hours text not null default 'off' check (quiet_hours in ('off', 'defer', 'refuse')),
  texting_pace integer check (texting_pace > 0),
  -- A number names its carrier. What was noted of its registration is for people to read.
  carrier_id smallint references carriers,
  campaign text
);
create unique index advisors_email on advisors (lower(email));
create unique index advisors_texting_number on advisors (texting_number);

-- Numbers that advisors had before, or have with another carrier now, and until when: real time. People answer the texts that they
-- have, and carriers bring some answers days later.
create table earlier_numbers (
  number text,
  carrier_id smallint,
  advisor_id bigint references advisors,
  left_at timestamptz not null,
  primary key (number, carrier_id, advisor_id)
);
create index earlier_numbers_left on earlier_numbers (left_at);

-- Those who work in the console. Reviewers and compliance officers are of one firm: they review, and record consent given on paper.
-- Operators run the deployment and are of no firm. An account is for one firm: somebody who works for two has one in each, so that
-- neither learns of the other from an address that is taken.
create table staff (
  staff_id bigint generated always as identity primary key,
  firm_id bigint references firms,
  name text not null,
  email text not null,
  role text not null check (role in ('reviewer', 'compliance_officer', 'operator')),
  disabled boolean not null default false,
  date_time_created timestamptz not null,
  -- When a link that replaces their passkeys was last made.
  date_time_reinvited timestamptz,
  constraint staff_firm check ((firm_id is null) = (role = 'operator'))
);
create unique index staff_email on staff (lower(email), firm_id) nulls not distinct;

-- Retention and holds are the firm's: an advisor who could be moved to another firm would leave them behind.
create function refuse_other_firm() returns trigger
language plpgsql
as $$
begin
  raise exception 'an advisor stays with the firm' using errcode = 'insufficient_privilege';
end
$$;

create trigger firm_stays before update of firm_id on advisors
  for each row when (old.firm_id is distinct from new.firm_id) execute function refuse_other_firm();
alter table advisors enable always trigger firm_stays;

grant select, insert, update on firms, advisors, earlier_numbers to assent_app;
grant select, insert on staff to assent_app;
grant update (disabled, role, date_time_reinvited) on staff to assent_app;
grant select on migrations to assent_app;
