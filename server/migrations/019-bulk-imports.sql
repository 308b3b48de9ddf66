-- An import of a whole book: an index for searches that costs a fifth, blocks that are counted for a batch at once, and
-- contacts that come back from an export.

-- The keys of a search text: of each word its first three characters and the next three, of one that begins with no digit
-- also the first two, and of one that does every three of these digits. Trigrams were 65 keys for a contact with a name, an
-- email and a phone, and more than half of the time of an import; these are 24.
-- store/address-book/search-keys.ts gives a contact its keys. This function is for contacts without them: those of before,
-- and those that a node of the version before writes while nodes are replaced.
create function contact_search_keys(search_text text) returns text[]
language sql immutable
return array(
  select distinct key
  from unnest(string_to_array(search_text, ' ')) as word
  cross join lateral (
    select left(word, 2)
    where length(word) >= 2 and word !~ '^[0-9]'
    union all
    select left(word, 3)
    where length(word) >= 3
    union all
    select '+' || substr(word, 4, 3)
    where length(word) >= 6 and word !~ '^[0-9]*$'
    union all
    select substr(word, start, 3)
    from generate_series(2, length(substring(word from '^[0-9]*')) - 2) as start
  ) as keys (key)
);

alter table contacts
  add column search_keys text[] not null generated always as (contact_search_keys(search_text)) stored;
alter table contacts alter column search_keys drop expression;

create function set_contact_search_keys() returns trigger
language plpgsql set search_path = public, pg_temp
as $$
begin
  new.search_keys := contact_search_keys(new.search_text);
  return new;
end
$$;
create trigger search_keys_missing before insert on contacts
  for each row when (new.search_keys is null) execute function set_contact_search_keys();
create trigger search_keys_outdated before update of search_text on contacts
  for each row when (new.search_text <> old.search_text and new.search_keys = old.search_keys)
  execute function set_contact_search_keys();

-- Without a limit of its own: an import raises it for a batch and then empties the list, every other connection of ours
-- has 512 kB (store/database/connections.ts).
drop index contacts_search;
create index contacts_search on contacts using gin (advisor_id, search_keys);

-- As the owner, because only the owner of an index may empty its list.
create function empty_contact_search_list() returns void
language sql security definer set search_path = public, pg_temp
as $$
  select gin_clean_pending_list('contacts_search');
$$;

-- Every contact counts in its advisor's book, which references the advisor: one check per statement. A check per contact
-- was a tenth of an import.
alter table contacts drop constraint contacts_advisor_id_fkey;

-- A contact that came back from an export has the identifier it had before, which finds it when the file comes again.
-- Others are found by their contact_id, and pay for no index.
alter table contacts add column restored boolean not null default false;
create index contacts_restored on contacts (advisor_id, identifier) where restored;

-- Ids are taken before a batch is written, so that contacts keep the order of their file though batches overlap.
grant usage on sequence contacts_contact_id_seq to assent_app;

-- It reads a few hundred contacts in the order of an index. For a table that was never analyzed the planner would read and
-- sort the whole book instead, which took 40 µs for each contact of an import.
alter function split_contact_block(contact_blocks, integer) set enable_seqscan = off;
alter function split_contact_block(contact_blocks, integer) set enable_bitmapscan = off;
alter function split_contact_block(contact_blocks, integer) set enable_sort = off;

-- A contact's place in a sort: its key there, then its id.
create type contact_text_place as (key text collate "und-x-icu", contact_id bigint);
create type contact_number_place as (key bigint, contact_id bigint);
create type contact_time_place as (key timestamptz, contact_id bigint);

-- Contacts that arrive one by one or by the hundred are placed one by one. From a block's worth of contacts of one book on,
-- it is cheaper to read all of the book's blocks once, and to find the places in that list: an eighth of the time.
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
    min(date_time_created) = max(date_time_created) as has_one_time
  into batch
  from arrived;

  if batch.contact_count < block_size or not batch.is_of_one_book then
    perform apply_contact_changes(array(
      select (
        advisor_id, contact_id, full_name, email_order, email_status, group_count, source, date_time_created, 1
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
        ('dateTimeCreated', 'date_time_created', 'low_time', 'contact_time_place', batch.has_one_time)
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
