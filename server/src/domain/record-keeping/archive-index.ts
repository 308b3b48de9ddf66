import type { Deps } from '../../deps.ts';
import type { EntrySpan } from '../../store/archive/archive.ts';
import * as store from '../../store/record-keeping/archive-index.ts';
import { bounded } from '../archive/archive-tree.ts';
import { requireRunning } from '../shared/signals.ts';
import { hideNumbersIn } from '../supervision/findings.ts';

/** What a statement has time for, also where each text is as long as it may be. */
const [entriesMax, bytesMax] = [2_000, 2_000_000];
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
    const some = withRoom(spans, await store.listOverfull(deps.db, spans, bytesMax));
    const texts = await store.listTextsWithDigits(deps.db, some);
    const hidden = await hideNumbersIn(deps.turn, texts);
    await store.indexEntries(
      deps.db,
      some,
      hidden.filter(({ text }, index) => text !== texts[index]?.text),
    );
  }
}

/** The spans, in the order of advisors, up to the first entry that is too many. */
function withRoom(spans: EntrySpan[], overfull: store.EntryKey[]): EntrySpan[] {
  const [first] = overfull.toSorted((a, b) => a.advisorId - b.advisorId);
  if (!first) return spans;
  return spans.flatMap((span) => {
    const upTo = span.advisorId === first.advisorId ? first.number - 1 : span.upTo;
    return span.advisorId > first.advisorId || upTo === span.after ? [] : { ...span, upTo };
  });
}

/** Of the firm's entries from then on, a search may miss some; null if it finds all. */
export async function findFirstUnindexed({ db }: Deps, firmId: number): Promise<Date | null> {
  return store.findFirstUnindexed(db, firmId);
}
