import { ConfigError, readConfig } from './config.ts';
import { serve } from './serve.ts';
import { MigrationError } from './store/migrate.ts';

const parentPollMs = 500;

/** Serves until a signal; also what `assent serve` does. */
export async function main(): Promise<void> {
  const config = readConfig();
  const server = await serve(config, (line) => process.stdout.write(`${line}\n`));

  let stopping = false;
  const stop = () => {
    // An impatient second signal changes nothing: the stop has a bound, and cutting it short would lose what it waits for.
    if (stopping) return;
    stopping = true;
    server.stop().then(
      () => process.exit(0),
      (error) => {
        process.stderr.write(`${error.stack}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  process.on('SIGHUP', stop);
  if (config.startedByNpm) stopWithParent(stop);
}

/** A kill -9 of npm reaches nobody else: without this the server would live on, unseen, and hold the port. */
function stopWithParent(stop: () => void): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stop();
  }, parentPollMs).unref();
}

/** What a person can mend is said in a line; anything else keeps its stack. */
export function explain(error: unknown): string {
  const known = error instanceof ConfigError || error instanceof MigrationError;
  return known || !(error instanceof Error) ? String((error as Error).message) : String(error.stack);
}

if (import.meta.main)
  main().catch((error) => {
    process.stderr.write(`${explain(error)}\n`);
    process.exit(1);
  });
