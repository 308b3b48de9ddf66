import { type Deps, inTransaction } from '../../deps.ts';
import { freeBroadcasts, freeDispatches, listWaitingAdvisors } from '../../store/delivery/freeing.ts';
import { archiveSetting } from '../accounts/settings.ts';
import { byOperator } from '../archive/archive.ts';

/**
 * Ends the wait of texts that stand still, such as those that a wrong clock gave a turn tomorrow. Each passes the gate again when it is
 * claimed, and lives no longer than before. Returns how many there were; each advisor's are an entry.
 */
export async function freeWaiting(deps: Deps): Promise<number> {
  const times = () => ({ now: deps.clock.now(), realNow: deps.databaseClock.now() });
  await freeBroadcasts(deps.db, deps.clock.now());
  let texts = 0;
  for (const advisorId of await listWaitingAdvisors(deps.db, times()))
    texts += await inTransaction(deps, async (deps) => {
      const freed = await freeDispatches(deps.db, advisorId, times());
      const entry = { advisorId, what: 'waiting texts freed', of: { texts: freed }, values: {} };
      if (freed > 0) await archiveSetting(deps, byOperator, entry);
      return freed;
    });
  return texts;
}
