import type { Db } from '../../store/database/db.ts';
import { addToClockOffset, findClockOffset } from '../../store/sandbox/sandbox-clock.ts';
import type { SandboxClock } from '../ports.ts';

export async function startSandboxClock(db: Db): Promise<SandboxClock> {
  let offsetMs = await findClockOffset(db);
  return {
    now: () => new Date(Date.now() + offsetMs),
    offsetMs: () => offsetMs,
    advance: async (ms) => {
      offsetMs = Math.max(offsetMs, await addToClockOffset(db, ms));
    },
    refresh: async () => {
      // Never back: a query that was running while the clock moved returns an older offset.
      offsetMs = Math.max(offsetMs, await findClockOffset(db));
    },
  };
}
