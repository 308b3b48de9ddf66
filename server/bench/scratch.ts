import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for the run, and what must be stopped before it is removed, on Ctrl-C, too. */
export type Scratch = {
  folder: string;
  /** Stops it at the end of the run, unless it was stopped before: last started, first stopped. */
  owns(stop: () => Promise<void>): { stop(): Promise<void> };
  remove(): Promise<void>;
};

export function makeScratch(): Scratch {
  const folder = mkdtempSync(join(tmpdir(), 'assent-bench-'));
  // As root, PostgreSQL runs as another user, who needs access.
  chmodSync(folder, 0o711);
  const stops: (() => Promise<void>)[] = [];

  async function remove(): Promise<void> {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop().catch(() => {});
    rmSync(folder, { recursive: true, force: true });
  }

  let interrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (interrupted) return;
      interrupted = true;
      // The running measurement fails as its server stops; its error no longer matters.
      process.on('unhandledRejection', () => {});
      process.on('uncaughtException', () => {});
      remove().finally(() => process.exit(130));
    });

  return {
    folder,
    owns(stop) {
      stops.push(stop);
      return {
        async stop() {
          const index = stops.indexOf(stop);
          if (index < 0) return;
          stops.splice(index, 1);
          await stop();
        },
      };
    },
    remove,
  };
}
