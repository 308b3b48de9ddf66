-- Contacts and groups, and what makes every page of a large book cheap.

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

create table contacts (
  advisor_id bigint not null references advisors,
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
  primary key (advisor_id, contact_id)
);

create index contacts_full_name on contacts (advisor_id, full_name, contact_id);
create index contacts_email on contacts (advisor_id, email_order, contact_id);
create index contacts_email_status on contacts (advisor_id, email_status, contact_id);
create index contacts_group_count on contacts (advisor_id, group_count, contact_id);
create index contacts_source on contacts (advisor_id, source, contact_id);
create index contacts_created on contacts (advisor_id, date_time_created, contact_id);
create index contacts_phone on contacts (advisor_id, phone, contact_id) where phone is not null;
create index contacts_modified on contacts (advisor_id, date_time_modified);
create index contacts_remote on contacts (advisor_id, remote_contact_id) where remote_contact_id is not null;
create index contacts_search on contacts using gin (advisor_id, search_text gin_trgm_ops)
  with (gin_pending_list_limit = 512);

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
  foreign key (advisor_id, group_id) references groups,
  foreign key (advisor_id, contact_id) references contacts
);
create index memberships_contact on memberships (advisor_id, contact_id, group_id);

-- One row an advisor: how many contacts, and how many of them with an email. Every change of a book locks its row
-- first, so that changes to one book take turns and never wait for each other in a circle.
create table contact_books (
  advisor_id bigint primary key references advisors,
  contact_count integer not null default 0,
  email_count integer not null default 0
);

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
  change integer
);

-- Its key in each of the six sorts.
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
    ('dateTimeCreated', '', 0, contact.date_time_created)
$$;

-- Cuts an overfull block: it keeps its first block_size contacts, and the rest become blocks of that size.
create function split_contact_block(block contact_blocks, block_size integer) returns void
language plpgsql
as $$
declare
  key_column text := case block.sort_by
    when 'fullName' then 'full_name'
    when 'email' then 'email_order'
    when 'emailStatus' then 'email_status'
    when 'groupCount' then 'group_count'
    when 'source' then 'source'
    when 'dateTimeCreated' then 'date_time_created'
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

-- The triggers run as the owner: the application's role reads counts and blocks and can't put them out of step.
create function contacts_inserted() returns trigger
language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  perform apply_contact_changes(array(
    select (
      advisor_id, contact_id, full_name, email_order, email_status, group_count, source, date_time_created, 1
    )::contact_change
    from arrived
  ));
  return null;
end
$$;

create function contacts_deleted() returns trigger
language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  perform apply_contact_changes(array(
    select (
      advisor_id, contact_id, full_name, email_order, email_status, group_count, source, date_time_created, -1
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
      advisor_id, contact_id, full_name, email_order, email_status, group_count, source, date_time_created, -1
    )::contact_change
    from departed
    union all
    select (
      advisor_id, contact_id, full_name, email_order, email_status, group_count, source, date_time_created, 1
    )::contact_change
    from arrived
  ));
  return null;
end
$$;

create trigger contacts_inserted after insert on contacts
  referencing new table as arrived for each statement execute function contacts_inserted();
create trigger contacts_deleted after delete on contacts
  referencing old table as departed for each statement execute function contacts_deleted();
create trigger contacts_updated after update on contacts
  referencing old table as departed new table as arrived for each statement execute function contacts_updated();

grant select, insert, update, delete on contacts, groups, memberships to assent_app;
grant select on contact_blocks to assent_app;
-- Update is for `for update`: the row is the lock of its book.
grant select, insert, update on contact_books to assent_app;
