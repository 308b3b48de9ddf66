-- Blocks for the time of modification too, so that a reconciliation reads any page of what changed since a moment, and its
-- total, for the price of one page. A change of a contact moves it from its block to the last one.

-- With the id, which decides between equal times.
drop index contacts_modified;
create index contacts_modified on contacts (advisor_id, date_time_modified, contact_id);

alter type contact_change add attribute date_time_modified timestamptz;

-- Its key in each of the seven sorts.
create or replace function contact_sort_keys(contact contact_change)
returns table (sort_by text, text_key text, number_key bigint, time_key timestamptz)
language sql immutable
as $$
  values
    ('fullName', contact.full_name, 0::bigint, '-infinity'::timestamptz),
    ('email', contact.email_order, 0, '-infinity'),
    ('emailStatus', contact.email_status, 0, '-infinity'),
    ('groupCount', '', contact.group_count, '-infinity'),
    ('source', '', contact.source, '-infinity'),
    ('dateTimeCreated', '', 0, contact.date_time_created),
    ('dateTimeModified', '', 0, contact.date_time_modified)
$$;

create or replace function split_contact_block(block contact_blocks, block_size integer) returns void
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
as $$
declare
  key_column text := case block.sort_by
    when 'fullName' then 'full_name'
    when 'email' then 'email_order'
    when 'emailStatus' then 'email_status'
    when 'groupCount' then 'group_count'
    when 'source' then 'source'
    when 'dateTimeCreated' then 'date_time_created'
    when 'dateTimeModified' then 'date_time_modified'
  end;
  key_type text := case
    when block.sort_by in ('fullName', 'email', 'emailStatus') then 'text'
    when block.sort_by in ('groupCount', 'source') then 'number'
    else 'time'
  end;
begin
  execute format(
    $sql$
      insert into contact_blocks
      select $1, $2, %2$s, %3$s, %4$s, contact_id, least($8, $7 - position)
      from (
        select %1$I as key, contact_id, row_number() over (order by %1$I, contact_id) - 1 as position
        from contacts
        where advisor_id = $1 and (%1$I, contact_id) >= (%5$s, $6)
        order by %1$I, contact_id
        limit $7
      ) as members
      where position > 0 and position %% $8 = 0
    $sql$,
    key_column,
    case key_type when 'text' then 'key' else quote_literal('') end,
    case key_type when 'number' then 'key' else '0' end,
    case key_type when 'time' then 'key' else quote_literal('-infinity') || '::timestamptz' end,
    case key_type when 'text' then '$3' when 'number' then '$4' else '$5' end
  )
  using block.advisor_id, block.sort_by, block.low_text, block.low_number, block.low_time, block.low_id,
    block.contact_count, block_size;

  update contact_blocks
  set contact_count = block_size
  where (advisor_id, sort_by, low_text, low_number, low_time, low_id) =
    (block.advisor_id, block.sort_by, block.low_text, block.low_number, block.low_time, block.low_id);
end
$$;

create or replace function contacts_inserted() returns trigger
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  block_size constant integer := 500;
  block_max constant integer := 1000;
  batch record;
  sort record;
  is_last boolean;
  block contact_blocks;
begin
  select
    min(advisor_id) as advisor_id, min(advisor_id) = max(advisor_id) as is_of_one_book, count(*) as contact_count,
    count(*) filter (where email_order <> U&'\FFFF') as email_count,
    min(contact_id) as low_id, max(contact_id) as high_id, max(contact_id) - min(contact_id) + 1 = count(*) as is_dense,
    min(email_order) = max(email_order) as has_one_email, min(email_status) = max(email_status) as has_one_email_status,
    min(group_count) = max(group_count) as has_one_group_count, min(source) = max(source) as has_one_source,
    min(date_time_created) = max(date_time_created) as has_one_time,
    min(date_time_modified) = max(date_time_modified) as has_one_time_modified
  into batch
  from arrived;

  if batch.contact_count < block_size or not batch.is_of_one_book then
    perform apply_contact_changes(array(
      select (
        advisor_id, contact_id, full_name, email_order, email_status, group_count, source, date_time_created, 1, date_time_modified
      )::contact_change
      from arrived
    ));
    return null;
  end if;

  -- The book first, as in apply_contact_changes: from here on this transaction has its blocks to itself.
  insert into contact_books as book (advisor_id, contact_count, email_count)
  values (batch.advisor_id, batch.contact_count, batch.email_count)
  on conflict (advisor_id) do update
  set contact_count = book.contact_count + excluded.contact_count,
      email_count = book.email_count + excluded.email_count;

  for sort in
    select *
    from (
      values
        ('fullName', 'full_name', 'low_text', 'contact_text_place', false),
        ('email', 'email_order', 'low_text', 'contact_text_place', batch.has_one_email),
        ('emailStatus', 'email_status', 'low_text', 'contact_text_place', batch.has_one_email_status),
        ('groupCount', 'group_count', 'low_number', 'contact_number_place', batch.has_one_group_count),
        ('source', 'source', 'low_number', 'contact_number_place', batch.has_one_source),
        ('dateTimeCreated', 'date_time_created', 'low_time', 'contact_time_place', batch.has_one_time),
        ('dateTimeModified', 'date_time_modified', 'low_time', 'contact_time_place', batch.has_one_time_modified)
    ) as sorts (name, key_column, low_column, place_type, has_one_key)
  loop
    -- The first block of each sort begins below everything.
    insert into contact_blocks
    values (batch.advisor_id, sort.name, '', -9223372036854775808, '-infinity', -1, 0)
    on conflict do nothing;

    -- Contacts that have one key and come after all others in the sort are blocks of their own: nothing to look up.
    is_last := sort.has_one_key and batch.is_dense;
    if is_last then
      execute format(
        $sql$
          select not exists (
            select
            from contacts
            where advisor_id = $1 and (%1$I, contact_id) > ((select %1$I from arrived limit 1), $2)
          )
        $sql$,
        sort.key_column
      )
      into is_last
      using batch.advisor_id, batch.high_id;
    end if;
    if is_last then
      execute format(
        $sql$
          insert into contact_blocks (advisor_id, sort_by, low_text, low_number, low_time, low_id, contact_count)
          select $1, $2, %1$s, %2$s, %3$s, $3 + position, least($5, $4 - position)
          from (select %4$I as key from arrived limit 1) as every, generate_series(0, $4 - 1, $5) as position
        $sql$,
        case sort.low_column when 'low_text' then 'key' else quote_literal('') end,
        case sort.low_column when 'low_number' then 'key' else '0' end,
        case sort.low_column when 'low_time' then 'key' else quote_literal('-infinity') || '::timestamptz' end,
        sort.key_column
      )
      using batch.advisor_id, sort.name, batch.low_id, batch.contact_count, block_size;
      continue;
    end if;

    execute format(
      $sql$
        with blocks as materialized (
          select array_agg((%2$I, low_id)::%3$I order by %2$I, low_id) as lows
          from contact_blocks
          where advisor_id = $1 and sort_by = $2
        ),
        placed as (
          select width_bucket((%1$I, contact_id)::%3$I, lows) as nth, count(*) as arrived_count
          from arrived, blocks
          group by nth
        ),
        touched as (
          select (lows[nth]).*, arrived_count
          from placed, blocks
        )
        update contact_blocks
        set contact_count = contact_count + arrived_count
        from touched
        where advisor_id = $1 and sort_by = $2 and %2$I = key and low_id = contact_id
      $sql$,
      sort.key_column, sort.low_column, sort.place_type
    )
    using batch.advisor_id, sort.name;
    for block in
      select *
      from contact_blocks
      where advisor_id = batch.advisor_id and sort_by = sort.name and contact_count > block_max
    loop
      perform split_contact_block(block, block_size);
    end loop;
  end loop;
  return null;
end
$$;

create or replace function contacts_deleted() returns trigger
language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  perform apply_contact_changes(array(
    select (
      advisor_id, contact_id, full_name, email_order, email_status, group_count, source, date_time_created, -1, date_time_modified
    )::contact_change
    from departed
  ));
  return null;
end
$$;

create or replace function contacts_updated() returns trigger
language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  perform apply_contact_changes(array(
    select (
      advisor_id, contact_id, full_name, email_order, email_status, group_count, source, date_time_created, -1, date_time_modified
    )::contact_change
    from departed
    union all
    select (
      advisor_id, contact_id, full_name, email_order, email_status, group_count, source, date_time_created, 1, date_time_modified
    )::contact_change
    from arrived
  ));
  return null;
end
$$;

-- The blocks of the books that exist, as if their contacts had just arrived in order.
insert into contact_blocks
select advisor_id, 'dateTimeModified', '', low.*, least(500, contact_count - position)
from (
  select
    advisor_id, date_time_modified, contact_id,
    row_number() over (partition by advisor_id order by date_time_modified, contact_id) - 1 as position
  from contacts
) as ranked
join contact_books using (advisor_id)
cross join lateral (
  select -9223372036854775808, '-infinity'::timestamptz, -1
  where position = 0
  union all
  select 0, date_time_modified, contact_id
  where position > 0
) as low
where position % 500 = 0;
