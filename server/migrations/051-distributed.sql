-- What statements use where the database is distributed, and on one PostgreSQL as well.

-- Scopes that a grant had, and those of another that it lacked.
create function scopes_of_both(had text[], more text[]) returns text[]
  language sql immutable
  return had || array(select unnest(more) except select unnest(had));

-- What the triggers on contacts do, for the contacts of one advisor. A shard has a part of a statement's rows, so where the
-- database is distributed the store calls these instead, and each statement of theirs goes to the advisor's node. `changes` are
-- rows of contact_change.
create function count_contacts(of_advisor bigint, changes jsonb) returns void
language plpgsql
as $$
declare
  block_size constant integer := 500;
  block_max constant integer := 1000;
  contact_counted bigint;
  email_counted bigint;
  sorts text[];
  texts text[];
  numbers bigint[];
  times timestamptz[];
  ids bigint[];
  moved bigint[];
  block contact_blocks;
begin
  select coalesce(sum(change), 0), coalesce(sum(change) filter (where email_order <> U&'\FFFF'), 0)
  into contact_counted, email_counted
  from jsonb_populate_recordset(null::contact_change, changes);
  -- The book first: from here on this transaction has its blocks to itself.
  insert into contact_books as book (advisor_id, contact_count, email_count)
  values (of_advisor, contact_counted, email_counted)
  on conflict (advisor_id) do update
  set contact_count = book.contact_count + excluded.contact_count,
      email_count = book.email_count + excluded.email_count;

  -- What comes and leaves at the same place in a sort (an update that kept this key) is no move.
  select
    array_agg(sort_by), array_agg(text_key), array_agg(number_key), array_agg(time_key), array_agg(contact_id),
    array_agg(change)
  into sorts, texts, numbers, times, ids, moved
  from (
    select sort_by, text_key, number_key, time_key, contact.contact_id, sum(contact.change) as change
    from jsonb_populate_recordset(null::contact_change, changes) as contact, contact_sort_keys(contact)
    group by 1, 2, 3, 4, 5
    having sum(contact.change) <> 0
  ) as moves;
  if sorts is null then
    return;
  end if;

  -- The first block of each sort begins below everything.
  insert into contact_blocks (advisor_id, sort_by, low_text, low_number, low_time, low_id, contact_count)
  select of_advisor, sort_by, '', -9223372036854775808, '-infinity'::timestamptz, -1, 0
  from (select distinct unnest(sorts) as sort_by) as sorted
  on conflict do nothing;

  update contact_blocks as target
  set contact_count = target.contact_count + touched.change
  from (
    select moves.sort_by, low_text, low_number, low_time, low_id, sum(change) as change
    from unnest(sorts, texts, numbers, times, ids, moved)
      as moves (sort_by, text_key, number_key, time_key, contact_id, change)
    cross join lateral (
      select low_text, low_number, low_time, low_id
      from contact_blocks
      where advisor_id = of_advisor
        and sort_by = moves.sort_by
        and (low_text, low_number, low_time, low_id)
          <= (text_key collate "und-x-icu", number_key, time_key, contact_id)
      order by low_text desc, low_number desc, low_time desc, low_id desc
      limit 1
    ) as home
    group by 1, 2, 3, 4, 5
    having sum(change) <> 0
  ) as touched
  where target.advisor_id = of_advisor
    and target.sort_by = touched.sort_by
    and target.low_text = touched.low_text
    and target.low_number = touched.low_number
    and target.low_time = touched.low_time
    and target.low_id = touched.low_id;

  delete from contact_blocks
  where advisor_id = of_advisor and contact_count = 0 and low_id >= 0;
  for block in
    select *
    from contact_blocks
    where advisor_id = of_advisor and contact_count > block_max
  loop
    perform split_contact_block(block, block_size);
  end loop;
end
$$;

create function log_changes_of_contacts(of_advisor bigint, what text, contact_ids bigint[], at timestamptz) returns void
language plpgsql
as $$
declare
  firsts bigint[];
  lasts bigint[];
  last_number bigint;
begin
  select array_agg(first_id order by first_id), array_agg(last_id order by first_id)
  into firsts, lasts
  from (
    select min(contact_id) as first_id, max(contact_id) as last_id
    from (
      select contact_id, contact_id - row_number() over (order by contact_id) as run
      from (select distinct unnest(contact_ids) as contact_id) as given
    ) as numbered
    group by run
  ) as runs;
  if firsts is null then
    return;
  end if;
  insert into contact_books as book (advisor_id, last_change)
  values (of_advisor, cardinality(firsts))
  on conflict (advisor_id) do update
  set last_change = book.last_change + excluded.last_change
  returning last_change into last_number;
  insert into contact_changes (advisor_id, number, change, first_contact_id, last_contact_id, date_time)
  select of_advisor, last_number - cardinality(firsts) + nth, what, first_id, last_id, coalesce(at, domain_now())
  from unnest(firsts, lasts) with ordinality as run (first_id, last_id, nth);
end
$$;
