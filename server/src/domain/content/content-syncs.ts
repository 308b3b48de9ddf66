import { randomInt } from 'node:crypto';
import type { ContentStatus, KnownContent } from '../../store/content/content.ts';

/** An owner's items from a source, by url. */
export type KnownPages = ReadonlyMap<string, Omit<KnownContent, 'url'>>;

type SyncPlan<Page> = {
  /** Pages that are new, changed since they were read, or to have a different status: only these are read. */
  stale: Page[];
  unchanged: number;
  /** Known pages that are no longer listed; null if the listing can't tell. */
  missing: string[] | null;
};

/** Compares a sitemap with the pages known from it. An empty or partial listing can't tell which pages are gone. */
export function planSync<Page extends Pick<KnownContent, 'url' | 'dateTimePublished'>>(
  { entries, isWhole }: { entries: Page[]; isWhole: boolean },
  known: KnownPages,
  status: ContentStatus,
): SyncPlan<Page> {
  const listed = new Set(entries.map(({ url }) => url));
  const stale = entries.filter(({ url, dateTimePublished }) => {
    const page = known.get(url);
    return page?.status !== status || page.dateTimePublished?.getTime() !== dateTimePublished?.getTime();
  });
  const missing = [...known].filter(([url, page]) => !listed.has(url) && page.status !== 'archived');
  const canTell = isWhole && entries.length > 0;
  return { stale, unchanged: entries.length - stale.length, missing: canTell ? missing.map(([url]) => url) : null };
}

/** The pages of one run. If there are too many, it starts at a random one, so pages that never answer don't block others. */
export function pagesOfRun<Page>(
  stale: Page[],
  countMax: number,
  pickStart: (length: number) => number = (length) => randomInt(length),
): Page[] {
  if (stale.length <= countMax) return stale;
  const start = pickStart(stale.length);
  return [...stale.slice(start), ...stale.slice(0, start)].slice(0, countMax);
}
