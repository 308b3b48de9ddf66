import type { Db } from '../database/db.ts';
import type { ContentType } from './content.ts';

/** An item as a search shows it. */
export type ContentItemRow = { title: string; url: string };
/** The searching advisor's firm, and the type of item. */
export type ContentFilter = { firmId: number; type: ContentType | 'All' };
/** A word of the search, and other words that it may be a misspelling of. */
export type AskedWord = { word: string; others: string[] };
/** Items must have all of the words, or any of them. */
type WordSearch = { words: AskedWord[]; any: boolean };
export type ContentPage = { offset: bigint; limit: number };
/** Only so many items are ranked: a whole number of pages, so no page is partly ranked. */
type RankedPage = ContentPage & { rankedMax: number };
export type FoundContent = { total: number; items: ContentItemRow[] };

export async function findFirmId(db: Db, advisorId: number): Promise<number> {
  const found = await db.value<number>(
    'select firm_id as "firmId" from advisors where advisor_id = $1',
    [advisorId],
    'find-firm-id',
  );
  return found ?? -1;
}

/** Nearly every item has a word that begins with a given letter, so a single letter is no prefix. */
const prefixLengthMin = 2;
/** If any word will do, a short prefix would match most of the library. */
const anyPrefixLengthMin = 4;
/** The weights of a word in summary, keywords and title; the first is PostgreSQL's D, which no word has. */
const weights = `'{0, 0.1, 0.4, 1}'`;
/** Added to the date of an item with the words in its title, so that one sort puts those first: two keys take 25 ms more. */
const titledFirst = `interval '100000000 hours'`;

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
       select
         ${queryOf(search)} as query, to_tsquery('english', $1) as title, to_tsquery('simple', $2) as whole,
         to_tsquery('english', $2) as stems, to_tsquery('simple', $3) as phrase
     ),
     matched as materialized (
       ${matching('firm_id is null')}
       union all
       ${matching('firm_id = $4')}
     ),
     chosen as (
       select content_id, place
       from matched
       order by place desc, content_id
       offset $6
       limit $7
     ),
     page as (
       select chosen.content_id, ${isRanked ? `${rank} as rank, date_time_listed as place` : '0 as rank, place'}
       from chosen
       cross join lateral (
         select date_time_listed, words from content_search where content_id = chosen.content_id offset 0
       ) as item
       cross join query
       order by 2 desc, 3 desc, 1
       offset $8
       limit $9
     )
     select totals.total, item.title, item.url
     from (select count(*) as total from matched) as totals
     left join page on true
     left join lateral (select title, url from content_items where content_id = page.content_id offset 0) as item on true
     order by page.rank desc, page.place desc, page.content_id`,
    [
      titleOf(search),
      wholeOf(search),
      phraseOf(search),
      firmId,
      type,
      isRanked ? 0 : offset,
      isRanked ? rankedMax : limit,
      isRanked ? offset : 0,
      limit,
    ],
  );
  return foundIn(rows);
}

const matching = (whose: string) => `
  select
    content_id,
    date_time_listed + case when words @@ (select title from query) then ${titledFirst} else '0' end as place
  from content_search
  where words @@ (select query from query) and ${whose} and ($5 = 'All' or type = $5)`;

const rank = `
  ts_rank(${weights}, words, query)
    + case when words @@ stems then 0.25 else 0 end
    + case when words @@ whole then 0.25 else 0 end
    + case when words @@ phrase then 1 else 0 end`;

/** A page of all published items by title. */
export async function listContentByTitle(
  db: Db,
  { firmId, type }: ContentFilter,
  { offset, limit }: ContentPage,
): Promise<FoundContent> {
  const rows = await db.query<{ total: number } & ContentItemRow>(
    `with page as materialized (
       select title, content_id
       from content_items
       where ${isListed}
       order by title, content_id
       offset $3
       limit $4
     )
     select totals.total, item.title, item.url
     from (select count(*) as total from content_items where ${isListed}) as totals
     left join page on true
     left join lateral (select title, url from content_items where content_id = page.content_id offset 0) as item on true
     order by page.title, page.content_id`,
    [firmId, type, offset, limit],
    'list-content-by-title',
  );
  return foundIn(rows);
}

const isListed = `status = 'published' and (firm_id is null or firm_id = $1) and ($2 = 'All' or type = $2)`;

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
function queryOf({ words, any }: WordSearch): string {
  const prefixMin = any ? anyPrefixLengthMin : prefixLengthMin;
  const terms = words.map(({ word, others }) => {
    const forms = [word, ...others].flatMap((each) => [
      `to_tsquery('simple', '''${each}''${each.length >= prefixMin ? ':*' : ''}')`,
      `to_tsquery('english', '''${each}''')`,
    ]);
    return `(${forms.join(' || ')})`;
  });
  return terms.join(any ? ' || ' : ' && ');
}

/** Matches the words anywhere in the title. */
function titleOf({ words, any }: WordSearch): string {
  const forms = words.map(({ word, others }) => `(${[word, ...others].map((each) => `'${each}':A`).join(' | ')})`);
  return forms.join(any ? ' | ' : ' & ');
}

function wholeOf({ words }: WordSearch): string {
  return words.map(({ word, others }) => `(${[word, ...others].map((each) => `'${each}'`).join(' | ')})`).join(' & ');
}

/** Matches the words in sequence in the title; of several, the last may be a prefix. */
function phraseOf({ words }: WordSearch): string {
  const meant = words.map(({ word, others }) => others[0] ?? word);
  const begun = meant.length > 1 ? meant.length - 1 : undefined;
  return meant.map((word, index) => `'${word}':${index === begun ? '*' : ''}A`).join(' <-> ');
}
