import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '../../store/database/db.ts';
import { addToClockOffset, type ClockRow, findClock } from '../../store/sandbox/sandbox-clock.ts';
import type { Clock, SandboxClock } from '../ports.ts';
import { makeResetGuard, type ResetGuard } from '../shared/reset-guard.ts';

type Following = {
  /** Told when another process resets the sandbox. */
  resetGuard?: ResetGuard;
  /** Called after a reset, by whatever process. */
  onReset?(): void;
};

const resetPollMs = 50;

export async function startSandboxClock(
  db: Db,
  real: Clock,
  { resetGuard = makeResetGuard(), onReset = () => {} }: Following = {},
): Promise<SandboxClock> {
  let known = await findClock(db);

  function follow(found: ClockRow): void {
    if (found.resets > known.resets) {
      known = found;
      onReset();
      resetGuard.wasReset();
    }
    // Never back without a reset: a query that was running while the clock moved returns an older offset.
    else if (found.resets === known.resets) known = { ...known, offsetMs: Math.max(known.offsetMs, found.offsetMs) };
    if (found.isResetting && !resetGuard.isResetting()) void resetGuard.reset(waitForReset);
  }

  /** Until it is over, or whoever announced it has died. */
  async function waitForReset(): Promise<void> {
    for (;;) {
      const found = await findClock(db).catch(() => null);
      if (found) follow(found);
      if (found && !found.isResetting) return;
      await pause(resetPollMs);
    }
  }

  return {
    now: () => new Date(real.now().getTime() + known.offsetMs),
    offsetMs: () => known.offsetMs,
    resets: () => known.resets,
    advance: async (ms) => follow(await addToClockOffset(db, ms)),
    refresh: async () => follow(await findClock(db)),
  };
}
