import { type Deps, onReserved, type Reserved } from '../deps.ts';
import type { FollowedCarriers } from '../domain/carriers/open-carriers.ts';
import { wakeWaiting } from '../domain/consent/consent-lookups.ts';
import { wakeReaders } from '../domain/events/events.ts';
import { reportUnprovenConsents } from '../domain/texting/unproven-consents.ts';
import type { Log } from '../log.ts';
import type { SandboxClock } from '../sandbox/sandbox-clock.ts';
import { type Job, type Running, repeat, together } from './repeat.ts';

export type RequestDeps = Deps & Reserved & { sandboxClock: SandboxClock | undefined; carriers: FollowedCarriers };

/** What a process that answers requests follows: changes that others made and that its requests wait for or go by. */
export function startRequestJobs(deps: RequestDeps, log: Log): Running {
  const jobs = [
    { name: 'wake waiting requests', everyMs: 200, run: () => wakeAll(onReserved(deps)) },
    { name: 'follow carriers', everyMs: 1_000, run: () => deps.carriers.refresh() },
    // Those that no worker of this process was told about.
    { name: 'report unproven consents', everyMs: 1_000, run: async () => reportUnprovenConsents(deps, log) },
    ...clockJobs(deps.sandboxClock),
  ];
  return together(jobs.map((job) => repeat(deps, job, log)));
}

/** Those who wait for a consent, and those who wait for an event. */
async function wakeAll(deps: Deps): Promise<void> {
  await Promise.all([wakeWaiting(deps), wakeReaders(deps)]);
}

export function clockJobs(clock: SandboxClock | undefined): Job[] {
  return clock ? [{ name: 'follow the sandbox clock', everyMs: 500, run: () => clock.refresh() }] : [];
}
