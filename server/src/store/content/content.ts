import type { Db } from '../database/db.ts';

export const contentTypes = ['WebContent', 'Emails', 'SocialPosts', 'Print', 'DownloadContent'] as const;
export type ContentType = (typeof contentTypes)[number];
export const contentStatuses = ['draft', 'published', 'archived'] as const;
export type ContentStatus = (typeof contentStatuses)[number];

export type ContentFields = {
  type: ContentType;
  title: string;
  url: string;
  summary: string | null;
  keywords: string[];
  status: ContentStatus;
  dateTimePublished: Date | null;
};
/** An item with its words as the domain normalizes them, separated by spaces. */
export type IndexedContent = ContentFields & { titleWords: string; keywordWords: string; summaryWords: string };

const given = `
  jsonb_to_recordset($1) as given (
    type text, title text, url text, summary text, keywords text[], status text,
    "dateTimePublished" timestamptz, "titleWords" text, "keywordWords" text, "summaryWords" text
  )`;

/** A stop word that only takes up a position: without it, the last and the first word would look adjacent in a phrase. */
const apart = (words: string) => `'the ' || ${words}`;

/** Locks the owner's content against other changes until the transaction ends. */
export async function lockContent(db: Db, firmId: number | null): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('content', $1))`, [firmId ?? 0]);
}

export async function listContent(db: Db, firmId: number | null, urls: string[]): Promise<ContentFields[]> {
  return db.query<ContentFields>(
    `select
       type, title, url, summary, keywords, status, date_time_published as "dateTimePublished"
     from content_items
     where firm_id is not distinct from $1 and url = any ($2)`,
    [firmId, urls],
  );
}

export async function insertContent(db: Db, firmId: number | null, items: IndexedContent[], now: Date): Promise<void> {
  if (items.length === 0) return;
  await db.query(
    `insert into content_items (
       firm_id, type, title, url, summary, keywords, status, date_time_published, date_time_created, date_time_modified
     )
     select $2, type, title, url, summary, keywords, status, "dateTimePublished", $3, $3
     from ${given}`,
    [JSON.stringify(items), firmId, now],
  );
  await upsertSearch(db, firmId, items);
}

export async function updateContent(db: Db, firmId: number | null, items: IndexedContent[], now: Date): Promise<void> {
  if (items.length === 0) return;
  await db.query(
    `update content_items as item
     set type = given.type, title = given.title, summary = given.summary, keywords = given.keywords,
         status = given.status, date_time_published = "dateTimePublished", date_time_modified = $3
     from ${given}
     where firm_id is not distinct from $2 and item.url = given.url`,
    [JSON.stringify(items), firmId, now],
  );
  await deleteSearch(db, firmId, items);
  await upsertSearch(db, firmId, items);
}

/** Removes items from the search that are no longer published. */
async function deleteSearch(db: Db, firmId: number | null, items: IndexedContent[]): Promise<void> {
  const urls = items.flatMap(({ status, url }) => (status === 'published' ? [] : url));
  if (urls.length === 0) return;
  await db.query(
    `delete from content_search
     where content_id in (
       select content_id
       from content_items
       where firm_id is not distinct from $1 and url = any ($2)
     )`,
    [firmId, urls],
  );
}

/** Keeps the search in sync with these items, in the transaction that saves them. */
async function upsertSearch(db: Db, firmId: number | null, items: IndexedContent[]): Promise<void> {
  const published = items.filter(({ status }) => status === 'published');
  if (published.length === 0) return;
  await db.query(
    `insert into content_search (content_id, firm_id, type, date_time_listed, words)
     select content_id, firm_id, item.type, coalesce(date_time_published, date_time_created),
       setweight(to_tsvector('simple', "titleWords") || to_tsvector('english', ${apart('"titleWords"')}), 'A')
         || setweight(to_tsvector('simple', "keywordWords") || to_tsvector('english', ${apart('"keywordWords"')}), 'B')
         || setweight(to_tsvector('english', "summaryWords"), 'C')
     from ${given}
     cross join lateral (
       select *
       from content_items
       where firm_id is not distinct from $2 and url = given.url
       offset 0
     ) as item
     on conflict (content_id) do update
     set type = excluded.type, date_time_listed = excluded.date_time_listed, words = excluded.words`,
    [JSON.stringify(published), firmId],
  );
}

/** Adds words that are new to the library, in sorted order to avoid deadlocks. */
export async function insertContentWords(db: Db, words: string[]): Promise<void> {
  await db.query(
    `insert into content_words (word)
     select word
     from unnest($1::text[]) as word
     where not exists (select from content_words known where known.word = word.word)
     order by word
     on conflict do nothing`,
    [words],
  );
}
