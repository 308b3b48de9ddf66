import { type Deps, inTransaction } from '../../deps.ts';
import type { ContentFields, IndexedContent } from '../../store/content/content.ts';
import * as store from '../../store/content/content.ts';
import type { Db } from '../../store/database/db.ts';
import { wordsOf } from './content-words.ts';

export {
  type ContentFields as ContentInput,
  type ContentStatus,
  type ContentType,
  contentStatuses,
  contentTypes,
} from '../../store/content/content.ts';
export { type ContentItem, type ContentSearch, contentOrder, contentSorts, searchContent } from './content-search.ts';

type SaveResult = 'added' | 'changed' | 'unchanged';

const contentBatchMax = 1_000;

/**
 * Saves a batch in one transaction. Items belong to a firm, or to everyone if it is null; that and the url identify one. Of
 * duplicate urls, the last one wins. Returns each item's outcome, in order. Unchanged items are not written.
 */
export async function saveContent(deps: Deps, firmId: number | null, items: ContentFields[]): Promise<SaveResult[]> {
  if (items.length > contentBatchMax) throw new Error(`A batch has at most ${contentBatchMax} items.`);
  if (items.length === 0) return [];
  const wanted = new Map(items.map((item) => [item.url, item]));
  const saved = await inTransaction(deps, async ({ db, clock }) => {
    await store.lockContent(db, firmId);
    const rows = await store.listContent(db, firmId, [...wanted.keys()]);
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
    await save(db, firmId, write, clock.now());
    return outcomes;
  });
  return items.map(({ url }) => saved.get(url) as SaveResult);
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
    row.keywords.join('\0') !== fields.keywords.join('\0') ||
    row.dateTimePublished?.getTime() !== fields.dateTimePublished?.getTime()
  );
}
