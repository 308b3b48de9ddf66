import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Deps } from '../../deps.ts';
import * as store from '../../store/record-keeping/archive-index.ts';
import { bounded } from '../archive/archive-tree.ts';
import { requireRunning } from '../shared/signals.ts';
import { hideNumbers } from '../supervision/findings.ts';

const entriesMax = 2_000;
const advisorsMax = 1_000;

/**
 * Makes new entries searchable. It follows the archive like the tree does, so that no text waits for it, and by the numbers alone: a
 * fault of the tree, when people search most, doesn't stop it. Digits that the console hides aren't indexed: whoever searches could guess
 * them.
 */
export async function indexArchive(deps: Deps): Promise<void> {
  for (;;) {
    const spans = bounded(await store.listUnindexed(deps.db, advisorsMax), entriesMax);
    if (spans.length === 0) return;
    requireRunning(deps);
    const texts = await store.listTextsWithDigits(deps.db, spans);
    await store.indexEntries(deps.db, spans, await withHiddenNumbers(texts));
  }
}

/** Those that have some. A text of nothing but digits takes a millisecond: other work goes on between two. */
async function withHiddenNumbers(texts: store.EntryText[]): Promise<store.EntryText[]> {
  const changed: store.EntryText[] = [];
  for (const each of texts) {
    const text = hideNumbers(each.text);
    if (text !== each.text) changed.push({ ...each, text });
    await nextTurn();
  }
  return changed;
}

/** Of the firm's entries from then on, a search may miss some; null if it finds all. */
export async function findFirstUnindexed({ db }: Deps, firmId: number): Promise<Date | null> {
  return store.findFirstUnindexed(db, firmId);
}
