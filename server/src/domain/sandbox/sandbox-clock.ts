import type { Db } from '../../store/database/db.ts';
import { addToClockOffset, findClockOffset } from '../../store/sandbox/sandbox-clock.ts';
import type { Clock } from '../ports.ts';

/** A clock that can be moved forward. Its offset is in the database, so every node and the next start agree on it. */
export type SandboxClock = Clock & {
  offsetMs(): number;
  advance(ms: number): Promise<void>;
  /** Picks up a move by another node. */
  refresh(): Promise<void>;
};

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
