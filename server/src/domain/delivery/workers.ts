import { setTimeout as pause } from 'node:timers/promises';
import type { Deps } from '../../deps.ts';
import { hasDue } from '../../store/delivery/dispatches.ts';
import { problem } from '../problems.ts';
import { followClock } from './outbox-maintenance.ts';

/** Processes read the sandbox's clock twice a second. Until then they would date what they do before the move. */
export const clockFollowedMs = 600;
const withinMs = 10_000;
const pollMs = 50;

/**
 * For a process without a dispatcher: resolves once other processes have handed over every text that is due, and know what
 * became of it. Texts of carriers that aren't open don't count. Throws if nobody does that in time.
 */
export async function waitForWorkers(deps: Deps): Promise<void> {
  for (const deadline = performance.now() + withinMs; performance.now() < deadline; await pause(pollMs)) {
    if (await followClock(deps)) continue;
    const carrierIds = deps.carriers.list().map(({ carrierId }) => carrierId);
    if (!(await hasDue(deps.db, carrierIds, { now: deps.clock.now(), realNow: deps.databaseClock.now() }))) return;
  }
  throw problem(
    'downstream_unavailable',
    'The clock was moved, but texts that are due have not gone out yet. They need a process with the role work.',
  );
}
