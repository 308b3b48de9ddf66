-- The library by title, cut into blocks of at most 1,000 items, as an advisor's contacts are: a page in the middle costs what
-- the first one costs. A block counts its published items by firm and type, because a search sees only some of them.
create table content_blocks (
  block_id bigint generated always as identity primary key,
  low_title text collate "und-x-icu" not null,
  low_id bigint not null,
  unique (low_title, low_id)
);
create table content_block_counts (
  block_id bigint not null references content_blocks,
  firm_id bigint,
  type text not null,
  item_count integer not null,
  unique nulls not distinct (block_id, firm_id, type)
);

-- A published item that comes to (1) or leaves (-1) its place.
create type content_change as (
  title text collate "und-x-icu",
  content_id bigint,
  firm_id bigint,
  type text,
  change integer
);

-- Cuts an overfull block: it keeps its first block_size items, and the rest become blocks of that size.
create function split_content_block(block content_blocks, block_size integer) returns void
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
as $$
declare
  members content_change[];
begin
  members := array(
    select (title, content_id, firm_id, type, 1)::content_change
    from content_items
    where status = 'published' and (title, content_id) >= (block.low_title, block.low_id)
    order by title, content_id
    limit (select sum(item_count) from content_block_counts where block_id = block.block_id)
  );
  insert into content_blocks (low_title, low_id)
  select title, content_id
  from unnest(members) with ordinality as member (title, content_id, firm_id, type, change, position)
  where position > 1 and position % block_size = 1;
  delete from content_block_counts
  where block_id = block.block_id;
  insert into content_block_counts (block_id, firm_id, type, item_count)
  select block_id, firm_id, type, count(*)
  from unnest(members) with ordinality as member (title, content_id, firm_id, type, change, position)
  join (
    select block_id, row_number() over (order by low_title, low_id) as nth
    from content_blocks
    where (low_title, low_id) >= (block.low_title, block.low_id)
      and (low_title, low_id) <= ((members[cardinality(members)]).title, (members[cardinality(members)]).content_id)
  ) as blocks on nth = (position - 1) / block_size + 1
  group by block_id, firm_id, type;
end
$$;

-- Brings the blocks in sync with the changes, in the transaction that makes them.
create function apply_content_changes(changes content_change[]) returns void
language plpgsql
as $$
declare
  block_size constant integer := 500;
  block_max constant integer := 1000;
  touched bigint[];
  block content_blocks;
begin
  -- Changes take turns: a block has items of several firms.
  perform pg_advisory_xact_lock(hashtextextended('content blocks', 0));
  with added as (
    insert into content_block_counts as counted (block_id, firm_id, type, item_count)
    select home.block_id, firm_id, type, sum(change)
    from unnest(changes) as item
    cross join lateral (
      select block_id
      from content_blocks
      where (low_title, low_id) <= (item.title, item.content_id)
      order by low_title desc, low_id desc
      limit 1
    ) as home
    group by home.block_id, firm_id, type
    having sum(change) <> 0
    on conflict (block_id, firm_id, type) do update
    set item_count = counted.item_count + excluded.item_count
    returning block_id
  )
  select array_agg(distinct block_id)
  into touched
  from added;

  delete from content_block_counts
  where block_id = any (touched) and item_count = 0;
  -- The first one begins below everything and stays.
  delete from content_blocks as emptied
  where block_id = any (touched)
    and low_id >= 0
    and not exists (select from content_block_counts where block_id = emptied.block_id);
  for block in
    select content_blocks.*
    from content_blocks
    join content_block_counts using (block_id)
    where block_id = any (touched)
    group by block_id
    having sum(item_count) > block_max
  loop
    perform split_content_block(block, block_size);
  end loop;
end
$$;

-- They run as the owner: the application's role reads counts and blocks and can't change them.
create function content_inserted() returns trigger
language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  perform apply_content_changes(array(
    select (title, content_id, firm_id, type, 1)::content_change from arrived where status = 'published'
  ));
  return null;
end
$$;

create function content_updated() returns trigger
language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  perform apply_content_changes(array(
    select (title, content_id, firm_id, type, -1)::content_change from departed where status = 'published'
    union all
    select (title, content_id, firm_id, type, 1)::content_change from arrived where status = 'published'
  ));
  return null;
end
$$;

create trigger content_blocks_inserted after insert on content_items
  referencing new table as arrived for each statement execute function content_inserted();
create trigger content_blocks_updated after update on content_items
  referencing old table as departed new table as arrived for each statement execute function content_updated();

insert into content_blocks (low_title, low_id)
values ('', -1);
insert into content_block_counts (block_id, firm_id, type, item_count)
select block_id, firm_id, type, count(*)
from content_items, content_blocks
where status = 'published'
group by block_id, firm_id, type;
select split_content_block(content_blocks, 500)
from content_blocks
where (select sum(item_count) from content_block_counts) > 1000;

-- content_counts stays for nodes of the version before.

grant select on content_blocks, content_block_counts to assent_app;
