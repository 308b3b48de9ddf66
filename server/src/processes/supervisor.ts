import cluster, { type Worker } from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { type Config, ConfigError } from '../config.ts';
import { makeLog, nameOf, standardOutput } from '../log.ts';
import { openDatabase } from '../runtime.ts';
import { makeGathering } from './gathering.ts';
import type { Measured, NoteFromProcess } from './notes.ts';
import { keepRunning } from './work/keep-running.ts';

type End = { child: number | undefined; code: number; signal: string; why: string | undefined };

const program = fileURLToPath(new URL('../main.ts', import.meta.url));

/**
 * Runs several processes that answer on one port, and replaces one that ends. Node takes the connections here and gives each
 * to the next process. The first process has the worker, unless the role is `api`. Between them is the database alone, as
 * between machines.
 */
export async function supervise(config: Config, say: (line: string) => void): Promise<{ stop(): Promise<void> }> {
  const log = makeLog(config.logLevel, standardOutput({ shared: true }), nameOf(config));
  const stopping = new AbortController();
  const running = new Map<number, Worker>();
  let restarts = 0;
  // In the order of their places: of what all of them know, the first tells.
  const inOrder = () => [...running].sort(([one], [other]) => one - other).map(([, worker]) => worker);
  const gathering = makeGathering(inOrder, () => [restartsMetric(restarts)]);
  const database = await openDatabase(config, say);
  // Metrics may be NaN, which JSON doesn't know.
  cluster.setupPrimary({ exec: program, args: [], serialization: 'advanced' });

  /** Resolves when it has ended. */
  function run(place: number, ready: () => void): Promise<End> {
    let why: string | undefined;
    const worker = cluster.fork({
      ROLE: place === 0 ? config.role : 'api',
      WORKERS: String(config.workers),
      DATABASE_URL: database.url,
    });
    const { pid } = worker.process;
    worker.on('error', (err) => log.error({ err, child: pid }, 'a process failed'));
    worker.on('message', (note: NoteFromProcess) => {
      gathering.hear(worker, note);
      if (note.about === 'refusal') why = note.why;
      if (note.about !== 'ready') return;
      running.set(place, worker);
      ready();
    });
    return new Promise((resolve) => {
      worker.once('exit', (code, signal) => {
        if (running.get(place) === worker) running.delete(place);
        gathering.forget(worker);
        resolve({ child: pid, code, signal, why });
      });
    });
  }

  function keep(place: number, first: Promise<End>): Promise<void> {
    const again = (ready: () => void) => {
      restarts += 1;
      return run(place, ready);
    };
    const onEnd = (end: End) => log.error(end, 'a process ended; it is replaced');
    return keepRunning({ first, again, onEnd, stopping: stopping.signal });
  }

  // Alone: it migrates a sandbox, and if a setting is wrong, one of them says so.
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  const first = run(0, resolve);
  try {
    await Promise.race([ready, first.then(refused)]);
  } catch (error) {
    await database.stop();
    throw error;
  }
  const kept = [keep(0, first)];
  for (let place = 1; place < config.workers; place++)
    kept.push(
      keep(
        place,
        run(place, () => {}),
      ),
    );
  return {
    async stop() {
      stopping.abort();
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill();
      await Promise.all(kept);
      await database.stop();
    },
  };
}

function refused({ why }: End): never {
  throw new ConfigError(why ?? 'The first process ended before it was ready.');
}

function restartsMetric(value: number): Measured {
  return {
    name: 'assent_process_restarts_total',
    help: 'How often a process that answers requests ended and was replaced.',
    type: 'counter',
    aggregator: 'sum',
    values: [{ value, labels: {} }],
  };
}
