-- The content library and its search.

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
  date_time_published timestamptz,
  date_time_created timestamptz not null,
  date_time_modified timestamptz not null,
  unique nulls not distinct (firm_id, url)
);
-- Counts and skips items without reading their rows.
create index content_items_title on content_items (title, content_id) include (firm_id, type) where status = 'published';

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

grant select, insert, update on content_items to assent_app;
grant select, insert, update, delete on content_search to assent_app;
grant select, insert on content_words to assent_app;
