-- A firm decides for whom a STOP to one of its advisors counts: for that advisor, or for every advisor of the firm.
alter table firms
  add column opt_out_scope text not null default 'advisor'
    check (opt_out_scope in ('advisor', 'firm'));

-- Finds the stops of a number, for an advisor who gets to know it later.
create index members_stopped on members (phone) where stopped_at is not null;
