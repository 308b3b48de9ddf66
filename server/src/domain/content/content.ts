import { type Deps, inTransaction } from '../../deps.ts';
import type { ContentFields, IndexedContent, KnownContent } from '../../store/content/content.ts';
import * as store from '../../store/content/content.ts';
import type { Db } from '../../store/database/db.ts';
import { wordsOf } from './content-words.ts';

export { type ContentStatus, type ContentType, contentStatuses, contentTypes } from '../../store/content/content.ts';
export { type ContentItem, type ContentSearch, contentOrder, contentSorts, searchContent } from './content-search.ts';

/** Items belong to a firm, or to everyone if it is null. Each source's items are kept apart. */
export type ContentOwner = { firmId: number | null; source: string | null };
export type ContentInput = Omit<ContentFields, 'source'>;
export type SaveResult = 'added' | 'changed' | 'unchanged';

const contentBatchMax = 1_000;

/**
 * Saves a batch in one transaction. Owner and url identify an item; of duplicate urls, the last one wins. Returns each
 * item's outcome, in order. Unchanged items are not written.
 */
export async function saveContent(deps: Deps, owner: ContentOwner, items: ContentInput[]): Promise<SaveResult[]> {
  if (items.length > contentBatchMax) throw new Error(`A batch has at most ${contentBatchMax} items.`);
  if (items.length === 0) return [];
  const wanted = new Map(items.map((item) => [item.url, { ...item, source: owner.source }]));
  const saved = await inTransaction(deps, async ({ db, clock }) => {
    await store.lockContent(db, owner.firmId);
    const rows = await store.listContent(db, owner.firmId, [...wanted.keys()]);
    const existing = new Map(rows.map((row) => [row.url, row]));
    const outcomes = new Map<string, SaveResult>();
    const write: Write = { added: [], changed: [] };
    for (const [url, fields] of wanted) {
      const row = existing.get(url);
      const outcome = row ? (differs(row, fields) ? 'changed' : 'unchanged') : 'added';
      if (!row) write.added.push(fields);
      else if (outcome === 'changed') write.changed.push(fields);
      outcomes.set(url, outcome);
    }
    await save(db, owner.firmId, write, clock.now());
    return outcomes;
  });
  return items.map(({ url }) => saved.get(url) as SaveResult);
}

/** The owner's items from a source, by url: a sync uses them to decide which pages to read again. */
export async function listKnownContent(
  deps: Deps,
  { firmId, source }: ContentOwner,
): Promise<Map<string, Omit<KnownContent, 'url'>>> {
  const known = new Map<string, Omit<KnownContent, 'url'>>();
  for (let after: string | undefined = ''; after !== undefined; ) {
    const limit = contentBatchMax;
    const page: KnownContent[] = await store.listKnownContent(deps.db, firmId, { source, after, limit });
    for (const { url, ...rest } of page) known.set(url, rest);
    after = page.length === limit ? page.at(-1)?.url : undefined;
  }
  return known;
}

/** Archives the owner's items from this source at these urls. Returns the urls of those that weren't archived yet. */
export async function archiveContent(deps: Deps, owner: ContentOwner, urls: string[]): Promise<string[]> {
  const archived: string[] = [];
  for (let start = 0; start < urls.length; start += contentBatchMax)
    archived.push(...(await archiveBatch(deps, owner, urls.slice(start, start + contentBatchMax))));
  return archived;
}

async function archiveBatch(deps: Deps, { firmId, source }: ContentOwner, urls: string[]): Promise<string[]> {
  return inTransaction(deps, async ({ db, clock }) => {
    await store.lockContent(db, firmId);
    const changed = (await store.listContent(db, firmId, urls))
      .filter((row) => row.source === source && row.status !== 'archived')
      .map((row) => ({ ...row, status: 'archived' as const }));
    await save(db, firmId, { added: [], changed }, clock.now());
    return changed.map(({ url }) => url);
  });
}

type Write = { added: ContentFields[]; changed: ContentFields[] };

async function save(db: Db, firmId: number | null, { added, changed }: Write, now: Date): Promise<void> {
  const [inserts, updates] = [added.map(indexed), changed.map(indexed)];
  await store.insertContent(db, firmId, inserts, now);
  await store.updateContent(db, firmId, updates, now);
  const words = [...inserts, ...updates].flatMap(({ titleWords, keywordWords, summaryWords }) =>
    `${titleWords} ${keywordWords} ${summaryWords}`.split(' '),
  );
  await store.insertContentWords(db, [...new Set(words)].filter(Boolean));
}

function indexed(item: ContentFields): IndexedContent {
  const joined = (text: string) => wordsOf(text).join(' ');
  return {
    ...item,
    titleWords: joined(item.title),
    keywordWords: joined(item.keywords.join(' ')),
    summaryWords: joined(item.summary ?? ''),
  };
}

function differs(row: ContentFields, fields: ContentFields): boolean {
  return (
    row.type !== fields.type ||
    row.title !== fields.title ||
    row.summary !== fields.summary ||
    row.status !== fields.status ||
    row.source !== fields.source ||
    row.keywords.join('\0') !== fields.keywords.join('\0') ||
    row.dateTimePublished?.getTime() !== fields.dateTimePublished?.getTime()
  );
}
