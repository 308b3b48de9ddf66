import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for the run and what must be stopped before it can go, also on Ctrl-C. */
export type Scratch = {
  folder: string;
  /** Stops it when the run ends, unless it was stopped before: what began last ends first. */
  owns(stop: () => Promise<void>): { stop(): Promise<void> };
  remove(): Promise<void>;
};

export function makeScratch(): Scratch {
  const folder = mkdtempSync(join(tmpdir(), 'assent-bench-'));
  // As root, PostgreSQL runs as another user, who must be able to come in.
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
      // What is being measured fails on its own as its server goes; nobody is interested any more.
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
