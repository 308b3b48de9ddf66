import { type Deps, inTransaction } from '../../deps.ts';
import { setAside } from '../../store/delivery/set-aside.ts';
import { findRestored } from '../archive/archive-status.ts';
import { problem } from '../problems.ts';

/**
 * Puts every text that waits in a restored database in doubt: it may have gone out after the moment that was restored. Only while
 * something outside says that it was restored. Returns how many there were.
 */
export async function setWaitingAside(deps: Deps): Promise<number> {
  if (!(await findRestored(deps)))
    throw problem(
      'conflict',
      'Nothing outside the database says that it was restored, so every text that waits is still to be sent.',
    );
  let count = 0;
  for (let taken = -1; taken !== 0; count += taken)
    taken = await inTransaction(deps, ({ db, clock }) => setAside(db, clock.now()));
  return count;
}
