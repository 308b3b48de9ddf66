import type { Deps } from '../../deps.ts';
import type { ContentType } from '../../store/content/content.ts';
import type { AskedWord, ContentFilter, ContentItemRow, FoundContent } from '../../store/content/content-search.ts';
import * as store from '../../store/content/content-search.ts';
import type { Db } from '../../store/database/db.ts';
import { type Page, pageOf, rowsOf } from '../shared/paging.ts';
import { distance } from '../shared/text/distance.ts';
import { isBlank } from '../shared/text/text-rules.ts';
import { meaningfulWords } from './content-words.ts';

export type ContentItem = ContentItemRow;
export type ContentSearch = { contentType: ContentType | 'All'; text?: string; page: number; pageSize: number };

export const contentSorts = ['relevance', 'title'] as const;

/** With these, no search takes PostgreSQL more than 150 ms at 100,000 items. If any word will do, each adds all of its items. */
const [wordsMax, anyWordsMax] = [4, 3];
const nearWordsMax = 100;
const meaningsMax = 3;
const correctedLengthMin = 4;
const shortWordLength = 5;
const rankedMin = 400;

/** By relevance if there is text, otherwise by title. */
export function contentOrder(text: string | undefined) {
  return text === undefined || isBlank(text)
    ? ({ sortBy: 'title', sortDirection: 'asc' } as const)
    : ({ sortBy: 'relevance', sortDirection: 'desc' } as const);
}

/** Searches the items that are published for everyone or for the advisor's firm. */
export async function searchContent(
  deps: Deps,
  advisorId: number,
  { contentType: type, text = '', page, pageSize }: ContentSearch,
): Promise<Page<ContentItem>> {
  const order = { page, pageSize, ...contentOrder(text) };
  const rows = rowsOf(order);
  const filter = { firmId: await store.findFirmId(deps.db, advisorId), type };
  const { total, items } =
    order.sortBy === 'title'
      ? await store.listContentByTitle(deps.db, filter, rows)
      : await findText(deps, filter, text, rows);
  return pageOf(order, total, items);
}

/** Items with all of the words; if none, with the words corrected; if still none, with any of the words. */
async function findText(
  deps: Deps,
  filter: ContentFilter,
  text: string,
  { offset, limit }: { offset: bigint; limit: number },
): Promise<FoundContent> {
  const asked = meaningfulWords(text).slice(0, wordsMax);
  if (asked.length === 0) return { total: 0, items: [] };
  const page = { offset, limit, rankedMax: Math.ceil(rankedMin / limit) * limit };
  const words = asked.map((word): AskedWord => ({ word, others: [] }));
  const found = await store.listContentByText(deps.db, filter, { words, any: false }, page);
  if (found.total > 0) return found;
  const meant = await corrected(deps.db, words);
  // Without corrections it is the same search, and it takes as long as the first.
  const isCorrected = meant.some(({ others }) => others.length > 0);
  const again = isCorrected
    ? await store.listContentByText(deps.db, filter, { words: meant, any: false }, page)
    : found;
  if (again.total > 0 || meant.length === 1) return again;
  return store.listContentByText(deps.db, filter, { words: meant.slice(0, anyWordsMax), any: true }, page);
}

/** Adds corrections to words that the library doesn't have, even as a prefix. Very short words are all near each other. */
async function corrected(db: Db, words: AskedWord[]): Promise<AskedWord[]> {
  const asked = words.map(({ word }) => word);
  const known = new Set(await store.listKnownWords(db, asked));
  const unknown = asked.filter((word) => !known.has(word) && word.length >= correctedLengthMin);
  if (unknown.length === 0) return words;
  const near = await store.listNearWords(db, unknown, nearWordsMax);
  return asked.map((word) => ({ word, others: meanings(word, near.get(word) ?? []) }));
}

/** The nearest of similar words, one slip away, or two in longer words. */
function meanings(word: string, similar: string[]): string[] {
  const slipsMax = word.length <= shortWordLength ? 1 : 2;
  const near = similar
    .map((each) => ({ each, slips: distance(word, each, slipsMax) }))
    .filter(({ each, slips }) => each !== word && slips <= slipsMax);
  const least = Math.min(...near.map(({ slips }) => slips));
  return near
    .filter(({ slips }) => slips === least)
    .map(({ each }) => each)
    .slice(0, meaningsMax);
}
