import type { Db } from '../database/db.ts';
import {
  type ContentFilter,
  type ContentItemRow,
  rankColumn,
  rankColumns,
  rankValues,
  type WordSearch,
} from './content-search.ts';

/** The owner of everyone's items. Other owners are firms. */
export const everyones = 0;

/** An item's words, separated by spaces: those in its title, and the others. One without a type isn't published. */
export type IndexedItem =
  | { contentId: number; type: string; listedAt: number; titleWords: string; otherWords: string }
  | { contentId: number; type: null; listedAt: null; titleWords: null; otherWords: null };
/** A change to an owner's items. Its id is unique, even where a restored database counts the same versions again. */
export type ContentChange = { version: number; changeId: string | null };
/** The latest changes to everyone's items and to the firm's. */
export type LatestChanges = { everyonesChangeId: string | null; firmsChangeId: string | null };
/** A word as PostgreSQL reads it, as the text of a tsquery: as it is, as a beginning, and by its stem. */
export type ReadWord = { word: string; whole: string; beginning: string; stem: string };

const latestChangeId = (ownerId: string) =>
  `(select change_id from content_changes where owner_id = ${ownerId} order by version desc limit 1)`;

/** What a search in memory needs to know first. */
export async function readSearch(
  db: Db,
  firmId: number,
  words: string[],
): Promise<{ latest: LatestChanges; read: ReadWord[] }> {
  const rows = await db.query<LatestChanges & ReadWord>(
    `select
       ${latestChangeId('0')} as "everyonesChangeId", ${latestChangeId('$1')} as "firmsChangeId",
       word, to_tsquery('simple', quote)::text as whole, to_tsquery('simple', quote || ':*')::text as beginning,
       to_tsquery('english', quote)::text as stem
     from unnest($2::text[]) as word, concat('''', word, '''') as quote`,
    [firmId, words],
    'read-content-search',
  );
  const [first] = rows;
  const { everyonesChangeId = null, firmsChangeId = null } = first ?? {};
  return { latest: { everyonesChangeId, firmsChangeId }, read: rows };
}

export async function findLatestChange(db: Db, ownerId: number): Promise<ContentChange> {
  const [row] = await db.query<ContentChange>(
    `select version, change_id as "changeId"
     from content_changes
     where owner_id = $1
     order by version desc
     limit 1`,
    [ownerId],
    'find-latest-content-change',
  );
  return row ?? { version: 0, changeId: null };
}

const indexed = `
  item.type, (extract(epoch from item.date_time_listed) * 1000000)::float8 as "listedAt",
  array_to_string(title.words, ' ') as "titleWords",
  array_to_string(tsvector_to_array(ts_delete(item.words, title.words)), ' ') as "otherWords"`;
const titleWords = `lateral (select tsvector_to_array(ts_filter(item.words, '{a}')) as words) as title`;

/** An owner's published items after a url, ordered by url. */
export async function listIndexedContent(
  db: Db,
  ownerId: number,
  { after, limit }: { after: string; limit: number },
): Promise<(IndexedItem & { url: string })[]> {
  return db.query(
    `select owned.content_id as "contentId", url, ${indexed}
     from content_items owned
     cross join lateral (
       select type, date_time_listed, words from content_search where content_id = owned.content_id offset 0
     ) as item
     cross join ${titleWords}
     where ${ownerId === everyones ? 'firm_id is null and $1 = 0::bigint' : 'firm_id = $1'} and url > $2
     order by firm_id, url
     limit $3`,
    [ownerId, after, limit],
  );
}

/** The owner's changes from this one on, itself included if it is still there, and the items that the later ones changed. */
export async function listContentChanges(
  db: Db,
  ownerId: number,
  { from, limit }: { from: number; limit: number },
): Promise<{ changes: ContentChange[]; items: IndexedItem[] }> {
  const rows = await db.query<ContentChange | IndexedItem>(
    `with changes as materialized (
       select version, change_id, content_ids
       from content_changes
       where owner_id = $1 and version >= $2
       order by version
       limit $3
     )
     select
       version, change_id as "changeId", null::bigint as "contentId", null as type, null::float8 as "listedAt",
       null as "titleWords", null as "otherWords"
     from changes
     union all
     select null, null, content_id, ${indexed}
     from (select distinct unnest(content_ids) as content_id from changes where version > $2) as changed
     left join lateral (
       select type, date_time_listed, words from content_search where content_id = changed.content_id offset 0
     ) as item on true
     cross join ${titleWords}`,
    [ownerId, from, limit],
    'list-content-changes',
  );
  const isChange = (row: ContentChange | IndexedItem): row is ContentChange => 'version' in row && row.version !== null;
  return {
    changes: rows.filter(isChange).sort((one, other) => one.version - other.version),
    items: rows.filter((row): row is IndexedItem => !isChange(row)),
  };
}

/** These items in this order, with the changes that are the latest by now. */
export async function listChosenContent(
  db: Db,
  { firmId }: ContentFilter,
  contentIds: number[],
): Promise<(LatestChanges & ContentItemRow)[]> {
  return db.query(
    `select
       title, url, ${latestChangeId('0')} as "everyonesChangeId", ${latestChangeId('$1')} as "firmsChangeId"
     from unnest($2::bigint[]) with ordinality as chosen (content_id, position)
     cross join lateral (select title, url from content_items where content_id = chosen.content_id offset 0) as item
     order by position`,
    [firmId, contentIds],
    'list-chosen-content',
  );
}

/** A page of these items, best first, with the changes that are the latest by now. */
export async function listRankedContent(
  db: Db,
  { firmId }: ContentFilter,
  search: WordSearch,
  { contentIds, offset, limit }: { contentIds: number[]; offset: bigint; limit: number },
): Promise<(LatestChanges & ContentItemRow)[]> {
  return db.query(
    `with query as materialized (
       select ${rankColumns(search)}
     ),
     page as (
       select content_id, date_time_listed, ${rankColumn} as rank
       from unnest($6::bigint[]) as chosen
       cross join lateral (select * from content_search where content_id = chosen offset 0) as item
       cross join query
       order by rank desc, date_time_listed desc, content_id
       offset $4
       limit $5
     )
     select
       title, url, ${latestChangeId('0')} as "everyonesChangeId", ${latestChangeId('$3')} as "firmsChangeId"
     from page
     cross join lateral (select title, url from content_items where content_id = page.content_id offset 0) as item
     order by page.rank desc, page.date_time_listed desc, page.content_id`,
    [...rankValues(search), firmId, offset, limit, contentIds],
  );
}
