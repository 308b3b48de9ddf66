import { readConfig } from './config.ts';
import { explain } from './runtime.ts';
import { serve } from './serve.ts';

const parentPollMs = 500;

/** Serves until a signal; also what `assent serve` does. */
export async function main(): Promise<void> {
  const config = readConfig();
  const starting = serve(config, (line) => process.stdout.write(`${line}\n`));

  let stopping = false;
  const stop = () => {
    // An impatient second signal changes nothing: the stop has a bound, and cutting it short would lose what it waits for.
    if (stopping) return;
    stopping = true;
    // Also while it starts: what has been started by then, PostgreSQL above all, would be left behind.
    starting
      .then((server) => server.stop())
      .then(
        () => process.exit(0),
        (error) => fail(error.stack),
      );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  process.on('SIGHUP', stop);
  if (config.startedByNpm) stopWithParent(stop);
  await starting;
}

/** A kill -9 of npm reaches nobody else: without this the server would live on, unseen, and hold the port. */
function stopWithParent(stop: () => void): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stop();
  }, parentPollMs).unref();
}

function fail(why: string): void {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}

if (import.meta.main) main().catch((error) => fail(explain(error)));
