import { parseArgs } from 'node:util';
import { ConfigError, readConfig } from './config.ts';
import { makeLog } from './log.ts';
import { explain } from './runtime.ts';
import { serve } from './serve.ts';

const parentPollMs = 500;

/** What the command line may say instead of the environment. */
type ServeOptions = { role?: string | undefined };

/** Serves until a signal. `assent serve` runs this too. */
export async function main({ role }: ServeOptions): Promise<void> {
  const config = readConfig({ ...process.env, ...(role && { ROLE: role }) });
  endWithoutMessage(config.logLevel);
  const starting = serve(config, (line) => void process.stdout.write(`${line}\n`));

  let stopping = false;
  const stop = () => {
    // A second signal changes nothing: stopping takes a limited time, and cutting it short would lose work in progress.
    if (stopping) return;
    stopping = true;
    // Wait for the start too: otherwise whatever is running by then, above all PostgreSQL, would be left behind.
    starting
      .then((server) => server.stop())
      .then(
        () => process.exit(0),
        (error) => fail(explain(error)),
      );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  process.on('SIGHUP', stop);
  if (config.startedByScript) stopWithParent(stop);
  await starting;
}

/** A fault that nobody expected ends the process. Node would print its message, which may quote a text or a number. */
function endWithoutMessage(logLevel: string): void {
  process.on('uncaughtException', (err) => {
    makeLog(logLevel).fatal({ err }, 'the process ends: an error was not handled');
    process.exit(1);
  });
}

/** A kill -9 of the script doesn't reach its children: without this the server would keep running unseen and hold the port. */
function stopWithParent(stop: () => void): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stop();
  }, parentPollMs).unref();
}

function givenIn(args: string[]): ServeOptions {
  try {
    return parseArgs({ args, options: { role: { type: 'string' } } }).values;
  } catch (error) {
    throw new ConfigError((error as Error).message, { cause: error });
  }
}

async function start(): Promise<void> {
  await main(givenIn(process.argv.slice(2)));
}

function fail(why: string): void {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}

if (import.meta.main) start().catch((error) => fail(explain(error)));
