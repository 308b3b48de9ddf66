import type { Db } from '../database/db.ts';
import type { ContentType } from './content.ts';

/** An item as a search shows it. */
export type ContentItemRow = { title: string; url: string };
/** The searching advisor's firm, and the type of item. */
export type ContentFilter = { firmId: number; type: ContentType | 'All' };
/** A word of the search, and other words that it may be a misspelling of. */
export type AskedWord = { word: string; others: string[] };
/** Items must have all of the words, or any of them. */
export type WordSearch = { words: AskedWord[]; any: boolean };
export type ContentPage = { offset: bigint; limit: number };
/** Only so many items are ranked: a whole number of pages, so no page is partly ranked. */
export type RankedPage = ContentPage & { rankedMax: number };
export type FoundContent = { total: number; items: ContentItemRow[] };

export async function findFirmId(db: Db, advisorId: number): Promise<number> {
  const [row] = await db.query<{ firmId: number }>(
    'select firm_id as "firmId" from advisors where advisor_id = $1',
    [advisorId],
    'find-firm-id',
  );
  return row?.firmId ?? -1;
}

/** The weights of a word in summary, keywords and title; the first is PostgreSQL's D, which no word has. */
const weights = `'{0, 0.1, 0.4, 1}'`;

/**
 * Items with all of the words, or any of them, best first. A word matches by its stem or as a prefix. Titles rank over
 * keywords over summaries, whole words over the same stem over prefixes, and a title with the words in sequence over
 * everything; then newer items come first. Only `rankedMax` items are ranked, those with the words in their titles and the
 * newest first, because ranking twenty thousand takes 100 ms. The rest follow in that order.
 */
export async function listContentByText(
  db: Db,
  { firmId, type }: ContentFilter,
  search: WordSearch,
  { offset, limit, rankedMax }: RankedPage,
): Promise<FoundContent> {
  const isRanked = offset < rankedMax;
  const rows = await db.query<{ total: number } & ContentItemRow>(
    `with query as materialized (
       select ${rankColumns(search)}, to_tsquery('english', $9) as title
     ),
     matched as materialized (
       ${matching('firm_id is null')}
       union all
       ${matching('firm_id = $3')}
     ),
     newest as (
       select content_id, is_titled, date_time_listed
       from matched
       order by is_titled desc, date_time_listed desc, content_id
       offset $5
       limit $6
     ),
     page as (
       select newest.content_id, newest.date_time_listed, ${isRanked ? rankColumn : 'newest.is_titled::integer'} as rank
       from newest
       cross join lateral (select words from content_search where content_id = newest.content_id offset 0) as item
       cross join query
       order by rank desc, newest.date_time_listed desc, newest.content_id
       offset $7
       limit $8
     )
     select totals.total, item.title, item.url
     from (select count(*) as total from matched) as totals
     left join page on true
     left join lateral (select title, url from content_items where content_id = page.content_id offset 0) as item on true
     order by page.rank desc, page.date_time_listed desc, page.content_id`,
    [
      ...rankValues(search),
      firmId,
      type,
      isRanked ? 0 : offset,
      isRanked ? rankedMax : limit,
      isRanked ? offset : 0,
      limit,
      titleOf(search),
    ],
  );
  return foundIn(rows);
}

const matching = (whose: string) => `
  select content_id, words @@ (select title from query) as is_titled, date_time_listed
  from content_search
  where words @@ (select query from query) and ${whose} and ($4 = 'All' or type = $4)`;

/** What `rankColumn` ranks by; its values are the statement's first two. */
export const rankColumns = ({ words, any }: WordSearch) => `
  ${queryOf(words, any)} as query, to_tsquery('simple', $1) as whole, to_tsquery('english', $1) as stems,
  to_tsquery('simple', $2) as phrase`;

export const rankValues = ({ words }: WordSearch) => [wholeOf(words), phraseOf(words)];

export const rankColumn = `
  ts_rank(${weights}, item.words, query)
    + case when item.words @@ stems then 0.25 else 0 end
    + case when item.words @@ whole then 0.25 else 0 end
    + case when item.words @@ phrase then 1 else 0 end`;

/**
 * A page of all published items by title. Block counts find the block that it begins in, so a page in the middle costs what
 * the first one costs (docs/concepts/large-books.md).
 */
export async function listContentByTitle(
  db: Db,
  { firmId, type }: ContentFilter,
  { offset, limit }: ContentPage,
): Promise<FoundContent> {
  const rows = await db.query<{ total: number } & ContentItemRow>(
    `with asked as materialized (
       select $1::bigint as firm_id, $2::text as type, $3::bigint as page_offset, $4::bigint as page_size
     ),
     counts as materialized (
       select block_id, sum(item_count) as item_count
       from content_block_counts
       where (firm_id is null or firm_id = (select firm_id from asked)) and ${isOfType}
       group by block_id
     ),
     starts as (
       select low_title, low_id, sum(item_count) over (order by low_title, low_id rows unbounded preceding) - item_count as start
       from content_blocks
       join counts using (block_id)
     ),
     page as materialized (
       select item.*
       from (
         select low_title, low_id, ((select page_offset from asked) - start)::bigint as skip
         from starts
         where start <= (select page_offset from asked)
         order by start desc
         limit 1
       ) as block
       cross join lateral (
         select title, content_id
         from content_items
         where status = 'published'
           and (title, content_id) >= (block.low_title, block.low_id)
           and (firm_id is null or firm_id = (select firm_id from asked))
           and ${isOfType}
         order by title, content_id
         offset block.skip
         limit (select page_size from asked)
       ) as item
     )
     select totals.total, item.title, item.url
     from (select coalesce(sum(item_count), 0)::bigint as total from counts) as totals
     left join page on true
     left join lateral (select title, url from content_items where content_id = page.content_id offset 0) as item on true
     order by page.title, page.content_id`,
    [firmId, type, offset, limit],
    'list-content-by-title',
  );
  return foundIn(rows);
}

const isOfType = `((select type from asked) = 'All' or type = (select type from asked))`;

/** Which of these words are a word of the library, or the beginning of one. */
export async function listKnownWords(db: Db, words: string[]): Promise<string[]> {
  const rows = await db.query<{ word: string }>(
    `select asked.word
     from unnest($1::text[]) as asked (word)
     where exists (
       select
       from content_words known
       where known.word >= asked.word and known.word < asked.word || chr(1114111)
     )`,
    [words],
    'list-known-words',
  );
  return rows.map(({ word }) => word);
}

/** For each of these words, words of the library that look similar, the most similar first. */
export async function listNearWords(db: Db, words: string[], limit: number): Promise<Map<string, string[]>> {
  const rows = await db.query<{ asked: string; word: string }>(
    `select asked, word
     from unnest($1::text[]) as asked
     cross join lateral near_content_words(asked, $2) with ordinality as near (word, position)
     order by asked, position`,
    [words, limit],
    'list-near-words',
  );
  const near = new Map(words.map((word): [string, string[]] => [word, []]));
  for (const { asked, word } of rows) near.get(asked)?.push(word);
  return near;
}

/** Past the last page there is one row with the total and no item. */
function foundIn(rows: ({ total: number } & ContentItemRow)[]): FoundContent {
  const [first] = rows;
  const items = first && first.url !== null ? rows.map(({ title, url }) => ({ title, url })) : [];
  return { total: first?.total ?? 0, items };
}

/** Words have only letters and digits, so they can't contain an operator. */
function queryOf(words: AskedWord[], any: boolean): string {
  const terms = words.map(({ word, others }) => {
    const forms = [word, ...others].flatMap((each) => [
      `to_tsquery('simple', '''${each}''${isBeginning(each) ? ':*' : ''}')`,
      `to_tsquery('english', '''${each}''')`,
    ]);
    return `(${forms.join(' || ')})`;
  });
  return terms.join(any ? ' || ' : ' && ');
}

/** Nearly every item has a word that begins with a given letter, so a single letter is no prefix. */
export function isBeginning(word: string): boolean {
  return word.length > 1;
}

function wholeOf(words: AskedWord[]): string {
  return words.map(({ word, others }) => `(${[word, ...others].map((each) => `'${each}'`).join(' | ')})`).join(' & ');
}

/** Matches the words anywhere in the title. */
function titleOf({ words, any }: WordSearch): string {
  const forms = words.map(({ word, others }) => `(${[word, ...others].map((each) => `'${each}':A`).join(' | ')})`);
  return forms.join(any ? ' | ' : ' & ');
}

/** Matches the words in sequence in the title; of several, the last may be a prefix. */
function phraseOf(words: AskedWord[]): string {
  const meant = words.map(({ word, others }) => others[0] ?? word);
  const begun = meant.length > 1 ? meant.length - 1 : undefined;
  return meant.map((word, index) => `'${word}':${index === begun ? '*' : ''}A`).join(' <-> ');
}
