import type { Db } from '../../store/database/db.ts';
import { findDatabaseTime, updateLatestTime } from '../../store/shared/database-time.ts';
import type { DatabaseClock } from '../ports.ts';
import { problem } from '../problems.ts';

export const anchorEveryMs = 2_000;
const anchoredWithinMs = 10_000;
/** Tokens and sessions are as wrong as this machine's clock. */
export const apartMsMax = 2_000;
/** A step that the database refuses entries for, as `record_at` does; a smaller one passes while time stands still. */
const steppedMsMax = 20_000;
const notedEveryMs = 2_000;

/** The machine's clocks: the one that can be set, and the one that can't. */
type Machine = { wallMs(): number; monotonicMs(): number };
const thisMachine: Machine = { wallMs: () => Date.now(), monotonicMs: () => performance.now() };

/**
 * The database's time on this machine. Each look at it says between which two moments it was so, and what is known moves only as far as
 * that proves it wrong: a slow answer moves nothing. Time never goes back: where the database's clock was set back, it stands still
 * until that has caught up.
 */
export async function startDatabaseClock(db: Db, machine: Machine = thisMachine): Promise<DatabaseClock> {
  let [aheadOfMonotonicMs, latestMs, anchoredMs] = [Number.NaN, 0, 0];

  async function anchor(): Promise<void> {
    const askedMs = machine.monotonicMs();
    const found = await findDatabaseTime(db);
    const answeredMs = machine.monotonicMs();
    const [least, most] = [found.nowMs - answeredMs, found.nowMs - askedMs];
    const known = Number.isNaN(aheadOfMonotonicMs) ? (least + most) / 2 : aheadOfMonotonicMs;
    aheadOfMonotonicMs = Math.min(Math.max(known, least), most);
    latestMs = found.latestMs;
    anchoredMs = answeredMs;
    if (found.nowMs > latestMs + notedEveryMs) await updateLatestTime(db);
  }

  const databaseMs = () => machine.monotonicMs() + aheadOfMonotonicMs;
  const aheadMs = () => machine.wallMs() - databaseMs();
  await anchor();
  return {
    now: () => new Date(Math.max(databaseMs(), latestMs)),
    aheadMs,
    anchor,
    fault() {
      if (machine.monotonicMs() - anchoredMs > anchoredWithinMs)
        return `the database’s clock couldn’t be read for ${anchoredWithinMs / 1000} s`;
      const steppedMs = latestMs - databaseMs();
      if (steppedMs > steppedMsMax)
        return `the database’s clock was set back: it is ${seconds(steppedMs)} before what it said last, and nothing is recorded until it has caught up or assent clock accept`;
      const apartMs = aheadMs();
      if (Math.abs(apartMs) <= apartMsMax) return null;
      return `this machine’s clock is ${seconds(Math.abs(apartMs))} ${apartMs > 0 ? 'ahead of' : 'behind'} the database’s`;
    },
  };
}

/** Whoever asks for a text to be accepted. People's replies, receipts and revocations don't. */
export function requireRightTime({ databaseClock }: { databaseClock: DatabaseClock }): void {
  const fault = databaseClock.fault();
  if (!fault) return;
  throw problem('downstream_unavailable', 'A clock of ours is wrong; nothing was done. Retry with backoff.', {
    cause: new Error(fault),
  });
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
