import { parseArgs } from 'node:util';
import { type Config, ConfigError, readConfig } from './config.ts';
import { findSiblings, type Siblings } from './processes/siblings.ts';
import { supervise } from './processes/supervisor.ts';
import { explain } from './runtime.ts';

const parentPollMs = 500;

/** What the command line may say instead of the environment. */
export type Given = { role?: string | undefined; workers?: string | undefined };

/** Serves until a signal. `assent serve` runs this too. */
export async function main({ role, workers }: Given): Promise<void> {
  const config = readConfig({ ...process.env, ...(role && { ROLE: role }), ...(workers && { WORKERS: workers }) });
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  const siblings = findSiblings();
  const starting = config.workers > 1 && !siblings ? supervise(config, say) : serveHere(config, say, siblings);

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
        (error) => fail(error.stack),
      );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  process.on('SIGHUP', stop);
  if (config.startedByNpm) stopWithParent(stop);
  await starting;
}

/** Loaded on demand: the process that only starts others needs none of it. */
async function serveHere(config: Config, say: (line: string) => void, siblings: Siblings | null) {
  const { serve } = await import('./serve.ts');
  return serve(config, say, siblings);
}

/** A kill -9 of npm doesn't reach its children: without this the server would keep running unseen and hold the port. */
function stopWithParent(stop: () => void): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stop();
  }, parentPollMs).unref();
}

function givenIn(args: string[]): Given {
  try {
    return parseArgs({ args, options: { role: { type: 'string' }, workers: { type: 'string' } } }).values;
  } catch (error) {
    throw new ConfigError((error as Error).message, { cause: error });
  }
}

async function start(): Promise<void> {
  await main(givenIn(process.argv.slice(2)));
}

/** One of several leaves it to the one that started it to tell. */
async function refuse(why: string): Promise<void> {
  const siblings = findSiblings();
  if (!siblings) return fail(why);
  await siblings.tell({ about: 'refusal', why });
  process.exit(1);
}

function fail(why: string): void {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}

if (import.meta.main) start().catch((error) => refuse(explain(error)));
