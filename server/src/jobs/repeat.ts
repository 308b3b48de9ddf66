import { isStopping, type Signals } from '../domain/shared/signals.ts';
import type { Log } from '../log.ts';

export type Job = { name: string; everyMs: number; run(): Promise<void> };
export type RunningJobs = { stop(): Promise<void> };

/** Waits `everyMs` after each run, so runs never overlap. */
export function repeat(deps: { signals: Signals }, { name, everyMs, run }: Job, log: Log): RunningJobs {
  let current = Promise.resolve();
  const next = () => {
    current = deps.signals.resetGuard
      .run(run)
      .catch((err) => {
        // It ended between two steps, and the next node to run it goes on.
        if (!isStopping(deps, err)) log.warn({ err, job: name }, 'a job failed; it will be retried');
      })
      .then(() => {
        timer.refresh();
      });
  };
  const timer = setTimeout(next, everyMs).unref();
  return {
    async stop(): Promise<void> {
      clearTimeout(timer);
      await current;
      clearTimeout(timer);
    },
  };
}

export function together(jobs: RunningJobs[]): RunningJobs {
  return {
    async stop(): Promise<void> {
      await Promise.all(jobs.map((job) => job.stop()));
    },
  };
}
