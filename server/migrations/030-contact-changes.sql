-- Changes of contacts, numbered for each advisor without gaps by the book's row. Every change of contacts locks that row until
-- the commit, so numbers are in the order of commits, and a reader who has seen one has seen all before it.
alter table contact_books add column last_change bigint not null default 0;

-- A row is about contacts with consecutive ids that one statement changed: a batch of an import is one row, not thousands.
create table contact_changes (
  advisor_id bigint not null,
  number bigint not null,
  change text not null check (change in ('created', 'updated', 'deleted')),
  first_contact_id bigint not null,
  last_contact_id bigint not null,
  -- Domain time.
  date_time timestamptz not null,
  -- Real time: a change is kept for 30 days.
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (advisor_id, number)
);
-- Only the triggers add to it, so that no change can be forgotten.
grant select, delete on contact_changes to assent_app;

create function log_contact_changes() returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  -- Memberships of a deleted group are being removed, which is no change of its members.
  if current_setting('assent.clearing_group', true) = 'on' then
    return null;
  end if;
  with runs as materialized (
    select advisor_id, min(contact_id) as first_id, max(contact_id) as last_id, max(date_time_modified) as modified
    from (
      select
        advisor_id, contact_id, date_time_modified,
        contact_id - row_number() over (partition by advisor_id order by contact_id) as run
      from changed
    ) as numbered
    group by advisor_id, run
  ),
  books as (
    insert into contact_books as book (advisor_id, last_change)
    select advisor_id, count(*)
    from runs
    group by advisor_id
    order by advisor_id
    on conflict (advisor_id) do update
    set last_change = book.last_change + excluded.last_change
    returning advisor_id, last_change
  )
  insert into contact_changes (advisor_id, number, change, first_contact_id, last_contact_id, date_time)
  select
    advisor_id, last_change + 1 - row_number() over (partition by advisor_id order by first_id desc), tg_argv[0],
    first_id, last_id, case tg_argv[0] when 'deleted' then domain_now() else modified end
  from runs
  join books using (advisor_id);
  return null;
end
$$;

create trigger change_created after insert on contacts
referencing new table as changed
for each statement execute function log_contact_changes('created');
create trigger change_updated after update on contacts
referencing new table as changed
for each statement execute function log_contact_changes('updated');
create trigger change_deleted after delete on contacts
referencing old table as changed
for each statement execute function log_contact_changes('deleted');

-- Contacts that changed in the last 30 days. Nobody knows which were deleted.
with runs as (
  select advisor_id, change, min(contact_id) as first_id, max(contact_id) as last_id, max(date_time_modified) as modified
  from (
    select *, contact_id - row_number() over (partition by advisor_id, change order by contact_id) as run
    from (
      select
        advisor_id, contact_id, date_time_modified,
        case when date_time_created > now() - interval '30 days' then 'created' else 'updated' end as change
      from contacts
      where date_time_modified > now() - interval '30 days'
    ) as recent
  ) as numbered
  group by advisor_id, change, run
)
insert into contact_changes (advisor_id, number, change, first_contact_id, last_contact_id, date_time)
select advisor_id, row_number() over (partition by advisor_id order by modified, first_id), change, first_id, last_id, modified
from runs;
update contact_books
set last_change = (select coalesce(max(number), 0) from contact_changes c where c.advisor_id = contact_books.advisor_id);
