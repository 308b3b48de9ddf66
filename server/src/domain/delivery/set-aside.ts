import { type Deps, inTransaction } from '../../deps.ts';
import { setAside } from '../../store/delivery/set-aside.ts';
import { byOperator } from '../archive/archive.ts';
import { findRestored } from '../archive/archive-status.ts';
import { stopAllBroadcasts } from '../broadcasts/broadcasts.ts';
import { problem } from '../problems.ts';

/**
 * Puts every text that waits in a restored database in doubt, and stops texts to groups: they may have gone out after the moment that
 * was restored. Only while something outside says that it was restored. Returns how many there were of both.
 */
export async function setWaitingAside(deps: Deps): Promise<{ texts: number; broadcasts: number }> {
  if (!(await findRestored(deps)))
    throw problem(
      'conflict',
      'Nothing outside the database says that it was restored, so every text that waits is still to be sent.',
    );
  // First: they would go on adding texts.
  const broadcasts = await stopAllBroadcasts(deps, byOperator);
  let texts = 0;
  for (let taken = -1; taken !== 0; texts += taken)
    taken = await inTransaction(deps, ({ db, clock }) => setAside(db, clock.now()));
  return { texts, broadcasts };
}
