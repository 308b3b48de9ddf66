-- An import: less to compare for blocks, and no sort for the log.

create or replace function contacts_inserted() returns trigger
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  block_size constant integer := 500;
  block_max constant integer := 1000;
  batch record;
  sort record;
  is_last boolean;
  is_newest boolean;
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

    -- The ids of an import are higher than those before, so most often keys alone tell the block: comparing them takes a third
    -- of the time that comparing keys and ids takes.
    is_newest := not exists (
      select
      from contact_blocks
      where advisor_id = batch.advisor_id and sort_by = sort.name and low_id > batch.low_id
    );
    execute format(
      $sql$
        with blocks as materialized (
          select
            array_agg(%1$I order by %1$I, low_id) as keys, array_agg(low_id order by %1$I, low_id) as ids,
            array_agg(%2$s order by %1$I, low_id) as places
          from contact_blocks
          where advisor_id = $1 and sort_by = $2
        ),
        placed as (
          select width_bucket(%3$s, (select places from blocks)) as nth, count(*) as arrived_count
          from arrived
          group by nth
        )
        update contact_blocks
        set contact_count = contact_count + arrived_count
        from placed, blocks
        where advisor_id = $1 and sort_by = $2 and %1$I = keys[nth] and low_id = ids[nth]
      $sql$,
      sort.low_column,
      case when is_newest then quote_ident(sort.low_column)
        else format('(%I, low_id)::%I', sort.low_column, sort.place_type) end,
      case when is_newest then quote_ident(sort.key_column)
        else format('(%I, contact_id)::%I', sort.key_column, sort.place_type) end
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

-- Usually a statement changes one contact, or contacts whose ids were taken together: then there is one run, and nothing to sort.
create or replace function log_contact_changes() returns trigger
language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  -- Memberships of a deleted group are being removed, which is no change of its members.
  if current_setting('assent.clearing_group', true) = 'on' then
    return null;
  end if;
  with spans as materialized (
    select
      advisor_id, min(contact_id) as first_id, max(contact_id) as last_id, max(date_time_modified) as modified,
      max(contact_id) - min(contact_id) + 1 = count(*) as is_dense
    from changed
    group by advisor_id
  ),
  runs as materialized (
    select advisor_id, first_id, last_id, modified
    from spans
    where is_dense
    union all
    select advisor_id, min(contact_id), max(contact_id), max(date_time_modified)
    from (
      select
        advisor_id, contact_id, date_time_modified,
        contact_id - row_number() over (partition by advisor_id order by contact_id) as run
      from changed
      where advisor_id in (select advisor_id from spans where not is_dense)
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
