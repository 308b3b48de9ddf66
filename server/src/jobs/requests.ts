import { type Deps, onReserved } from '../deps.ts';
import { callStatuses, forgetStatus, writeStatus } from '../domain/carriers/status.ts';
import { wakeWaiting } from '../domain/consent/consent-lookups.ts';
import { haltOf } from '../domain/delivery/halts.ts';
import { wakeReaders } from '../domain/events/events.ts';
import { heartbeatEveryMs, writeHeartbeat } from '../domain/operations/nodes.ts';
import { writeTraffic, writeTrafficEveryMs } from '../domain/operations/traffic.ts';
import { anchorEveryMs } from '../domain/shared/database-clock.ts';
import { reportTampering } from '../domain/shared/signals.ts';
import type { Log } from '../log.ts';
import { type Job, type RunningJobs, repeat, together } from './repeat.ts';

/** What a process that answers requests follows: changes that others made and that its requests wait for or go by. */
export function startRequestJobs(deps: Deps, log: Log): RunningJobs {
  const running = together(requestJobsOf(deps, log).map((job) => repeat(deps, job, log)));
  return {
    async stop() {
      await running.stop();
      if (deps.config.role !== 'api') return;
      await forgetStatus(deps).catch((err) => log.warn({ err }, 'carrier call counts can’t be removed'));
    },
  };
}

export function requestJobsOf(deps: Deps, log: Log): Job[] {
  const writeCalls = () => writeStatus(deps, callStatuses(deps.carriers.list()));
  const reserved = onReserved(deps);
  const wakeAll = async () => void (await Promise.all([wakeWaiting(reserved), wakeReaders(reserved)]));
  const callCounts = { name: 'write carrier call counts', everyMs: 3_000, run: writeCalls };
  return [
    { name: 'wake waiting requests', everyMs: 200, run: wakeAll },
    { name: 'report tampering', everyMs: 1_000, run: async () => reportTampering(deps, log) },
    ...(deps.config.role === 'api' ? [callCounts, ...processJobsOf(deps, () => {})] : []),
  ];
}

/** What every process does, whatever its role. */
export function processJobsOf(deps: Deps, onCarriers: () => void): Job[] {
  const { carriers, databaseClock, sandboxClock: clock } = deps;
  // A carrier's change takes effect within a second or so.
  const followCarriers = async () => {
    await carriers.refresh();
    onCarriers();
  };
  return [
    { name: 'refresh carriers', everyMs: 1_000, run: followCarriers },
    { name: 'write traffic', everyMs: writeTrafficEveryMs, run: () => writeTraffic(deps) },
    { name: 'heartbeat', everyMs: heartbeatEveryMs, run: () => beat(deps) },
    { name: 'anchor the clock', everyMs: anchorEveryMs, run: () => databaseClock.anchor() },
    ...(clock ? [{ name: 'refresh the sandbox clock', everyMs: 500, run: () => clock.refresh() }] : []),
  ];
}

/** What an operator sees of this process. */
async function beat(deps: Deps): Promise<void> {
  const { role } = deps.config;
  await writeHeartbeat(deps, { role, halted: role === 'api' ? deps.databaseClock.fault() : haltOf(deps) });
}
