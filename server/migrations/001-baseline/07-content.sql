-- The content library and its search.

-- A published item that comes to (1) or leaves (-1) its place.
create type content_change as (
  title text collate "und-x-icu",
  content_id bigint,
  firm_id bigint,
  type text,
  change integer
);

-- The content library: what is everyone's, and what is one firm's alone.
create table content_items (
  content_id bigint generated always as identity primary key,
  -- Unset: everyone's.
  firm_id bigint references firms,
  type text not null check (type in ('WebContent', 'Emails', 'SocialPosts', 'Print', 'DownloadContent')),
  title text collate "und-x-icu" not null,
  url text not null,
  summary text,
  keywords text[] not null,
  status text not null check (status in ('draft', 'published', 'archived')),
  -- The feed that it came from.
  source text,
  date_time_published timestamptz,
  date_time_created timestamptz not null,
  date_time_modified timestamptz not null,
  unique nulls not distinct (firm_id, url)
);
-- Read from its nearer end, and alone as far as a page is only skipped.
create index content_items_title on content_items (title, content_id) include (firm_id, type) where status = 'published';
-- How a sync walks through what its source has brought.
create index content_items_source on content_items (source, url) where source is not null;

-- What a search looks through, of what is published: the words of title (A), keywords (B) and summary (C) as the domain
-- folds them, each by its stem, those of title and keywords also as they are, for beginnings. Apart from the items, since
-- to count what matches a search may have to look at every fifth row, and narrow rows are fewer pages.
create table content_search (
  content_id bigint primary key references content_items,
  firm_id bigint,
  type text not null,
  date_time_listed timestamptz not null,
  words tsvector not null
);
-- Two, so that what other firms have costs nobody anything.
create index content_search_everyones on content_search using gin (words)
  with (gin_pending_list_limit = 512)
  where firm_id is null;
create index content_search_firms on content_search using gin (firm_id, words)
  with (gin_pending_list_limit = 512)
  where firm_id is not null;

-- Every word of the library: what a misspelt one may have been meant to be.
create table content_words (
  word text collate "C" primary key
);
create index content_words_near on content_words using gin (word gin_trgm_ops) with (gin_pending_list_limit = 64);

-- What changed in an owner's part of the search, statement by statement: a node that has it in memory catches up from here.
-- The highest version is the owner's current one, and only the last thousand are kept.
create table content_changes (
  -- A firm, or 0 for everyone's.
  owner_id bigint not null,
  version bigint not null,
  -- A database that was restored from a copy counts the same versions again, for other changes.
  change_id uuid not null default gen_random_uuid(),
  content_ids bigint[] not null,
  primary key (owner_id, version)
);

-- The library by title, cut into blocks of at most 1,000 items, as an advisor's contacts are: a page in the middle costs what
-- the first one costs. A block counts its published items by firm and type, because a search sees only some of them.
create table content_blocks (
  block_id bigint generated always as identity primary key,
  low_title text collate "und-x-icu" not null,
  low_id bigint not null,
  unique (low_title, low_id)
);
insert into content_blocks (low_title, low_id)
values ('', -1);

create table content_block_counts (
  block_id bigint not null references content_blocks,
  firm_id bigint,
  type text not null,
  item_count integer not null,
  unique nulls not distinct (block_id, firm_id, type)
);

-- The words that look like one, the likest first; of five letters and fewer also those that begin like it, which share
-- too few trigrams with what they are misspelt as. Whoever asks measures the distance.
create function near_content_words(asked text, word_limit integer) returns setof text
language sql stable set pg_trgm.similarity_threshold = 0.25
as $$
  select word
  from (
    select word
    from content_words
    where word % asked
    union
    select word
    from content_words
    where length(asked) <= 5
      and word >= left(asked, 1)
      and word < left(asked, 1) || chr(1114111)
      and length(word) between length(asked) - 1 and length(asked) + 1
  ) as near
  order by similarity(word, asked) desc, word
  limit word_limit
$$;

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

create function log_content_changes(changed_owner_id bigint, changed_ids bigint[]) returns void
language plpgsql
as $$
declare
  versions_kept constant bigint := 1000;
  next_version bigint;
begin
  -- The lock of the blocks: changes take turns until their commit, so whoever sees a version sees all before it.
  perform pg_advisory_xact_lock(hashtextextended('content blocks', 0));
  select coalesce(max(version), 0) + 1
  into next_version
  from content_changes
  where owner_id = changed_owner_id;
  insert into content_changes (owner_id, version, content_ids)
  values (changed_owner_id, next_version, changed_ids);
  delete from content_changes
  where owner_id = changed_owner_id and version <= next_version - versions_kept;
end
$$;

-- They run as the owner: the application's role reads changes and can't write them.
create function content_search_arrived() returns trigger
language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  perform log_content_changes(coalesce(firm_id, 0), array_agg(content_id)) from arrived group by firm_id;
  return null;
end
$$;

create function content_search_departed() returns trigger
language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  perform log_content_changes(coalesce(firm_id, 0), array_agg(content_id)) from departed group by firm_id;
  return null;
end
$$;

create trigger content_blocks_inserted after insert on content_items
  referencing new table as arrived for each statement execute function content_inserted();
create trigger content_blocks_updated after update on content_items
  referencing old table as departed new table as arrived for each statement execute function content_updated();
create trigger content_search_inserted after insert on content_search
  referencing new table as arrived for each statement execute function content_search_arrived();
create trigger content_search_updated after update on content_search
  referencing new table as arrived for each statement execute function content_search_arrived();
create trigger content_search_deleted after delete on content_search
  referencing old table as departed for each statement execute function content_search_departed();

grant select, insert, update on content_items to assent_app;
grant select, insert, update, delete on content_search to assent_app;
grant select, insert on content_words to assent_app;
grant select on content_changes, content_blocks, content_block_counts to assent_app;
