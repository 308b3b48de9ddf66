-- Contacts and groups, the log of their changes, and what is taken from CRMs.

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- A contact as the sorts see it, coming to (1) or leaving (-1) its place in each.
create type contact_change as (
  advisor_id bigint,
  contact_id bigint,
  full_name text collate "und-x-icu",
  email_order text collate "und-x-icu",
  email_status text collate "und-x-icu",
  group_count integer,
  source integer,
  date_time_created timestamptz,
  change integer,
  date_time_modified timestamptz
);

-- A contact's place in a sort: its key there, then its id.
create type contact_text_place as (key text collate "und-x-icu", contact_id bigint);

create type contact_number_place as (key bigint, contact_id bigint);

create type contact_time_place as (key timestamptz, contact_id bigint);

-- One row an advisor: how many contacts, and how many of them with an email. Every change of a book locks its row
-- first, so that changes to one book take turns and never wait for each other in a circle.
create table contact_books (
  advisor_id bigint primary key references advisors,
  contact_count integer not null default 0,
  email_count integer not null default 0,
  -- Changes of contacts, numbered for each advisor without gaps by the book's row. Every change of contacts locks that row until
  -- the commit, so numbers are in the order of commits, and a reader who has seen one has seen all before it.
  last_change bigint not null default 0
);

-- Every contact counts in its advisor's book, which references the advisor: one check per statement. A check per contact was a tenth
-- of an import.
create table contacts (
  advisor_id bigint not null,
  contact_id bigint generated always as identity,
  identifier uuid not null default gen_random_uuid(),
  first_name text,
  last_name text,
  nickname text,
  email_address text collate "und-x-icu",
  phone text,
  birth_date date,
  client_anniversary date,
  gender smallint not null default 0,
  marital_status smallint not null default 0,
  address1 text,
  address2 text,
  city text,
  state text,
  postal_code text,
  source integer not null,
  remote_contact_id text,
  remote_contact_url text,
  -- The word, not the number: the contract's summary shows the word, and searches sort by what they show.
  email_status text collate "und-x-icu" not null default 'None',
  email_address_disposition smallint not null default 0,
  disable_email_status boolean not null default false,
  date_time_unsubscribed timestamptz,
  custom_fields jsonb not null default '[]',
  group_count integer not null default 0,
  -- What a search looks through, folded by the domain.
  search_text text not null,
  -- Made from search_text by contact_search_keys().
  search_keys text[] not null,
  date_time_created timestamptz not null,
  date_time_modified timestamptz not null,
  -- A contact made by texting has no names: it is shown by its number.
  full_name text collate "und-x-icu" not null generated always as (
    coalesce(
      nullif(trim(coalesce(first_name, '') || ' ' || coalesce(last_name, '')), ''),
      phone,
      email_address,
      'Unnamed'
    )
  ) stored,
  -- U+FFFF is above every other character of the root collation, and taken out of what is set: so an unset email is
  -- last, and the key never null.
  email_order text collate "und-x-icu" not null generated always as (
    coalesce(replace(email_address, U&'\FFFF', ''), U&'\FFFF')
  ) stored,
  -- A contact that came back from an export has the identifier it had before, which finds it when the file comes again.
  -- Others are found by their contact_id, and pay for no index.
  restored boolean not null default false,
  primary key (advisor_id, contact_id)
);
create index contacts_full_name on contacts (advisor_id, full_name, contact_id);
create index contacts_email on contacts (advisor_id, email_order, contact_id);
create index contacts_email_status on contacts (advisor_id, email_status, contact_id);
create index contacts_group_count on contacts (advisor_id, group_count, contact_id);
create index contacts_source on contacts (advisor_id, source, contact_id);
create index contacts_created on contacts (advisor_id, date_time_created, contact_id);
create index contacts_phone on contacts (advisor_id, phone, contact_id) where phone is not null;
create index contacts_modified on contacts (advisor_id, date_time_modified, contact_id);
create index contacts_remote on contacts (advisor_id, remote_contact_id) where remote_contact_id is not null;
create index contacts_search on contacts using gin (advisor_id, search_keys);
create index contacts_restored on contacts (advisor_id, identifier) where restored;

-- For each sort of a book, its contacts in order, cut into blocks of at most block_max: where a block begins and how
-- many contacts it holds. A page is found by adding up counts and reading on from the beginning of one block, so the
-- middle of a million costs what the first page costs. OFFSET alone reads everything before the page.
create table contact_blocks (
  advisor_id bigint not null,
  sort_by text not null,
  low_text text collate "und-x-icu" not null,
  low_number bigint not null,
  low_time timestamptz not null,
  low_id bigint not null,
  contact_count integer not null,
  primary key (advisor_id, sort_by, low_text, low_number, low_time, low_id)
) with (fillfactor = 50);

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

create table groups (
  advisor_id bigint not null references advisors,
  group_id bigint generated always as identity,
  name text collate "und-x-icu" not null,
  external_id text,
  source integer not null,
  contact_count integer not null default 0,
  search_text text not null,
  date_time_created timestamptz not null,
  date_time_modified timestamptz not null,
  primary key (advisor_id, group_id),
  unique (advisor_id, external_id)
);

create table memberships (
  advisor_id bigint not null,
  group_id bigint not null,
  contact_id bigint not null,
  primary key (advisor_id, group_id, contact_id),
  foreign key (advisor_id, contact_id) references contacts
);
create index memberships_contact on memberships (advisor_id, contact_id, group_id);

create table deleted_groups (
  advisor_id bigint not null references advisors,
  group_id bigint not null,
  primary key (advisor_id, group_id)
);

-- An advisor's CRM: how to reach it, what was taken from it, what each sync came to, and the numbers to look up in it.
create table crm_connections (
  advisor_id bigint primary key references advisors,
  kind text not null,
  -- What is no secret: the address, the user name, where numbers without a country code are from.
  settings jsonb not null,
  -- A password or a signing secret, by AES-256-GCM under a key that is not in the database.
  sealed_secret bytea,
  -- Domain time; unset, it is synced on demand only.
  next_sync_at timestamptz,
  daily boolean not null,
  -- The sync that is running, and until when (real time) its node is believed to live.
  sync_id bigint,
  syncing_until timestamptz,
  -- After a lookup that failed no other is tried until then (real time).
  lookups_after timestamptz not null default '-infinity',
  lookup_fault text,
  date_time_created timestamptz not null
);
create index crm_connections_due on crm_connections (next_sync_at) where next_sync_at is not null;

-- A contact as the CRM had it last. Where the book's differs from these fields, somebody edited it here.
create table crm_contacts (
  advisor_id bigint not null references advisors,
  kind text not null,
  remote_contact_id text not null,
  -- Unset once the contact was deleted here: a sync doesn't bring it back.
  contact_id bigint,
  locator text not null,
  version text,
  fields jsonb not null,
  -- Since when the CRM no longer lists it.
  missing_since timestamptz,
  primary key (advisor_id, kind, remote_contact_id),
  foreign key (advisor_id, contact_id) references contacts on delete set null (contact_id)
);
create index crm_contacts_contact on crm_contacts (advisor_id, contact_id) where contact_id is not null;

create table crm_syncs (
  advisor_id bigint not null references advisors,
  sync_id bigint generated always as identity,
  kind text not null,
  actor text not null,
  status text not null check (status in ('running', 'succeeded', 'failed', 'interrupted')),
  reason text,
  added integer not null default 0,
  updated integer not null default 0,
  unchanged integer not null default 0,
  conflicts integer not null default 0,
  duplicates integer not null default 0,
  missing integer not null default 0,
  refused integer not null default 0,
  date_time_started timestamptz not null,
  date_time_ended timestamptz,
  primary key (advisor_id, sync_id)
);

-- What a person should look at after a sync, one by one.
create table crm_findings (
  advisor_id bigint not null,
  sync_id bigint not null,
  finding_id bigint generated always as identity,
  kind text not null,
  remote_contact_id text,
  contact_id bigint,
  detail text not null,
  primary key (advisor_id, sync_id, finding_id),
  foreign key (advisor_id, sync_id) references crm_syncs
);

-- Numbers that texting made known and the CRM may know more about. Written with the contact, so that none is forgotten.
create table crm_lookups (
  advisor_id bigint not null references advisors,
  phone text not null,
  failures smallint not null default 0,
  -- Real time: the next try, and until when somebody is at it.
  not_before timestamptz not null,
  leased_until timestamptz,
  primary key (advisor_id, phone)
);
create index crm_lookups_ready on crm_lookups (not_before);

-- Brings counts and blocks in step with the changes, in the transaction that makes them.
create function apply_contact_changes(changes contact_change[]) returns void
language plpgsql
as $$
declare
  block_size constant integer := 500;
  block_max constant integer := 1000;
  block contact_blocks;
begin
  -- The book first, in the order of advisors: from here on this transaction has their blocks to itself.
  insert into contact_books as book (advisor_id, contact_count, email_count)
  select advisor_id, sum(change), coalesce(sum(change) filter (where email_order <> U&'\FFFF'), 0)
  from unnest(changes)
  group by advisor_id
  order by advisor_id
  on conflict (advisor_id) do update
  set contact_count = book.contact_count + excluded.contact_count,
      email_count = book.email_count + excluded.email_count;

  -- The first block of each sort begins below everything.
  insert into contact_blocks
  select distinct contact.advisor_id, sort_by, '', -9223372036854775808, '-infinity'::timestamptz, -1, 0
  from unnest(changes) as contact, contact_sort_keys(contact)
  on conflict do nothing;

  for block in
    with moves as materialized (
      -- What comes and leaves at the same place in a sort (an update that kept this key) is no move.
      select contact.advisor_id, sort_by, text_key, number_key, time_key, contact.contact_id, sum(change) as change
      from unnest(changes) as contact, contact_sort_keys(contact)
      group by 1, 2, 3, 4, 5, 6
      having sum(change) <> 0
    ),
    touched as (
      select moves.advisor_id, moves.sort_by, low_text, low_number, low_time, low_id, sum(change) as change
      from moves
      cross join lateral (
        select low_text, low_number, low_time, low_id
        from contact_blocks
        where advisor_id = moves.advisor_id
          and sort_by = moves.sort_by
          and (low_text, low_number, low_time, low_id) <= (text_key, number_key, time_key, contact_id)
        order by low_text desc, low_number desc, low_time desc, low_id desc
        limit 1
      ) as home
      group by 1, 2, 3, 4, 5, 6
      having sum(change) <> 0
    )
    update contact_blocks as target
    set contact_count = contact_count + change
    from touched
    where (target.advisor_id, target.sort_by, target.low_text, target.low_number, target.low_time, target.low_id) =
      (touched.advisor_id, touched.sort_by, touched.low_text, touched.low_number, touched.low_time, touched.low_id)
    returning target.*
  loop
    if block.contact_count > block_max then
      perform split_contact_block(block, block_size);
    elsif block.contact_count = 0 and block.low_id >= 0 then
      delete from contact_blocks
      where (advisor_id, sort_by, low_text, low_number, low_time, low_id) =
        (block.advisor_id, block.sort_by, block.low_text, block.low_number, block.low_time, block.low_id);
    end if;
  end loop;
end
$$;

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

create function set_contact_search_keys() returns trigger
language plpgsql set search_path = public, pg_temp
as $$
begin
  new.search_keys := contact_search_keys(new.search_text);
  return new;
end
$$;

-- As the owner, because only the owner of an index may empty its list.
create function empty_contact_search_list() returns void
language sql security definer set search_path = public, pg_temp
as $$
  select gin_clean_pending_list('contacts_search');
$$;

-- Its key in each of the six sorts.
-- Its key in each of the seven sorts.
create function contact_sort_keys(contact contact_change)
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

-- Cuts an overfull block: it keeps its first block_size contacts, and the rest become blocks of that size.
create function split_contact_block(block contact_blocks, block_size integer) returns void
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

create function contacts_deleted() returns trigger
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

create function contacts_updated() returns trigger
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

-- The triggers run as the owner: the application's role reads counts and blocks and can't put them out of step.
-- Contacts that arrive one by one or by the hundred are placed one by one. From a block's worth of contacts of one book on,
-- it is cheaper to read all of the book's blocks once, and to find the places in that list: an eighth of the time.
-- An import: less to compare for blocks, and no sort for the log.
create function contacts_inserted() returns trigger
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
create function log_contact_changes() returns trigger
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

create trigger contacts_inserted after insert on contacts
  referencing new table as arrived for each statement execute function contacts_inserted();
create trigger contacts_deleted after delete on contacts
  referencing old table as departed for each statement execute function contacts_deleted();
create trigger contacts_updated after update on contacts
  referencing old table as departed new table as arrived for each statement execute function contacts_updated();
create trigger search_keys_outdated before update of search_text on contacts
  for each row when (new.search_text <> old.search_text and new.search_keys = old.search_keys)
  execute function set_contact_search_keys();
create trigger change_created after insert on contacts
referencing new table as changed
for each statement execute function log_contact_changes('created');
create trigger change_updated after update on contacts
referencing new table as changed
for each statement execute function log_contact_changes('updated');
create trigger change_deleted after delete on contacts
referencing old table as changed
for each statement execute function log_contact_changes('deleted');

grant select, insert, update on contact_books, crm_contacts, crm_syncs to assent_app;
grant select, insert, update, delete on contacts, groups, memberships, crm_connections, crm_lookups to assent_app;
grant select on contact_blocks to assent_app;
grant select, delete on contact_changes to assent_app;
grant select, insert, delete on deleted_groups, crm_findings to assent_app;
-- Ids are taken before a batch is written, so that contacts keep the order of their file though batches overlap.
grant usage on sequence contacts_contact_id_seq to assent_app;
