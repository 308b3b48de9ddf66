import { type Deps, inTransaction } from '../../deps.ts';
import { resetLatestTime } from '../../store/shared/database-time.ts';
import { archiveSetting } from '../accounts/settings.ts';
import type { Staff } from '../accounts/staff.ts';
import { byCommand } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { isBlank } from '../shared/text/text-rules.ts';

type Act = { reason: string; staff: Staff };

/**
 * Lets everything be recorded again although the database's clock says less than it said before: from now on it is right. The entry is
 * the first that has the earlier time, in the transaction that accepts it.
 */
export async function acceptStep(deps: Deps, { reason, staff }: Act) {
  if (isBlank(reason)) throw problem('invalid_request', 'A reason is needed: why the clock was set back.');
  if (staff.disabled) throw problem('forbidden', `${staff.name} is disabled.`);
  const accepted = await inTransaction(deps, async (deps) => {
    const { from, to } = await resetLatestTime(deps.db);
    if (from <= to) throw problem('conflict', 'The database’s clock wasn’t set back: there is nothing to accept.');
    const clock = { now: () => new Date(to.getTime() + (deps.sandboxClock?.offsetMs() ?? 0)) };
    const times = { from: from.toISOString(), to: to.toISOString() };
    const entry = await archiveSetting({ ...deps, clock }, byCommand(staff.staffId), {
      what: 'clock step accepted',
      of: times,
      values: { reason },
    });
    return { entry, ...times };
  });
  await deps.databaseClock.anchor();
  return accepted;
}
