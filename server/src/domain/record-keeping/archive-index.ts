import type { Deps } from '../../deps.ts';
import * as store from '../../store/record-keeping/archive-index.ts';
import { bounded } from '../archive/archive-tree.ts';
import { requireRunning } from '../shared/signals.ts';
import { hideNumbersIn } from '../supervision/findings.ts';

/** What a statement has time for, also where each text is as long as it may be. */
const [entriesMax, bytesMax] = [2_048, 2_000_000];
const advisorsMax = 1_000;

/**
 * Makes new entries searchable. It follows the archive like the tree does, so that no text waits for it, and by the numbers alone: a
 * fault of the tree, when people search most, doesn't stop it. Digits that the console hides aren't indexed: whoever searches could guess
 * them.
 */
export async function indexArchive(deps: Deps): Promise<void> {
  for (;;) {
    let spans = bounded(await store.listUnindexed(deps.db, advisorsMax), entriesMax);
    if (spans.length === 0) return;
    requireRunning(deps);
    for (let entries = entriesMax; entries > 1 && (await store.countBytes(deps.db, spans)) > bytesMax; ) {
      entries /= 2;
      spans = bounded(spans, entries);
    }
    const texts = await store.listTextsWithDigits(deps.db, spans);
    const hidden = await hideNumbersIn(deps.turn, texts);
    const changed = hidden.filter(({ text }, index) => text !== texts[index]?.text);
    await store.indexEntries(deps.db, spans, changed);
  }
}

/** Of the firm's entries from then on, a search may miss some; null if it finds all. */
export async function findFirstUnindexed({ db }: Deps, firmId: number): Promise<Date | null> {
  return store.findFirstUnindexed(db, firmId);
}
