import { type Deps, inTransaction } from '../../deps.ts';
import { lockHeads } from '../../store/archive/archive.ts';
import * as pace from '../../store/texting/pace.ts';

/** A text waits no longer than the texts before it take, whatever its slot was when it was accepted. */
export async function shortenWaits(deps: Deps): Promise<void> {
  const far = await pace.listFarAhead(deps.db, deps.databaseClock.now());
  if (far.length === 0) return;
  const moved = await inTransaction(deps, async ({ db, databaseClock }) => {
    // Its own statement comes first, so that the next one sees every text whose slot is in the head.
    await lockHeads(
      db,
      far.map(({ advisorId }) => advisorId),
    );
    return pace.shortenWaits(db, far, databaseClock.now());
  });
  if (moved > 0) deps.signals.queued.raise();
}
