import { Worker } from 'node:worker_threads';
import { type Config, ConfigError } from '../../config.ts';
import { problem } from '../../domain/problems.ts';
import type { Signals } from '../../domain/shared/signals.ts';
import type { DestinationStream, Log } from '../../log.ts';
import { keepRunning } from './keep-running.ts';
import { type NoteFromWorker, type NoteToWorker, pulseMs, type Question } from './notes.ts';
import { requestSignals } from './signals.ts';
import type { WorkerData } from './worker.ts';

/** The worker, as the side that answers requests sees it. */
export type WorkThread = {
  signals: Signals;
  /** Resolves once it is connected. An error that a person can fix says so in a line. */
  start(databaseUrl: string): Promise<void>;
  /** Starts its jobs, also those of every worker that replaces it. */
  begin(): void;
  isRunning(): boolean;
  /** How often it died and was replaced. */
  restarts(): number;
  ask(what: Question): Promise<unknown>;
  /** Lets it finish what it has begun. */
  stop(): Promise<void>;
};

type Surroundings = { config: Pick<Config, 'carrierTimeoutMs'>; log: Log; output: DestinationStream };

/** Texts in flight get the carrier's timeout to finish. One that takes this much longer hangs. */
const stopMarginMs = 20_000;
const program = new URL('worker.ts', import.meta.url);
/**
 * It uses a tenth of it. With a limit this low V8 lets the heap grow by a half before it collects, not to four times its
 * size: 45 MB under load instead of 120. New objects, which die young, get eight mebibytes before they
 * are looked through: with two, Node took a third more CPU time.
 */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 24 };

/** Runs the worker in a thread, and replaces it if it dies. */
export function workThread({ config, log, output }: Surroundings): WorkThread {
  const questions = makeQuestions();
  const side = requestSignals(tell);
  const stopping = new AbortController();
  let worker: Worker | undefined;
  let running = false;
  let begun = false;
  let restarts = 0;
  let keeping = Promise.resolve();
  let pulse: NodeJS.Timeout | undefined;

  function tell(note: NoteToWorker): void {
    if (running) worker?.postMessage(note);
  }

  function ready(): void {
    running = true;
    if (stopping.signal.aborted) tell({ about: 'stop' });
    else if (begun) tell({ about: 'begin' });
  }

  /** Resolves when the thread has ended, to the reason if it couldn't start. */
  function run(data: WorkerData, whenReady: () => void): Promise<string | null> {
    let refusal: string | null = null;
    const launched = new Worker(program, { name: 'work', workerData: data, resourceLimits });
    worker = launched;
    launched.on('message', (note: NoteFromWorker) => {
      side.hear(note);
      questions.hear(note);
      if (note.about === 'log') output.write(note.lines);
      if (note.about === 'refusal') refusal = note.why;
      if (note.about !== 'ready') return;
      ready();
      whenReady();
    });
    launched.on('error', (err) => log.error({ err }, 'the worker failed'));
    return new Promise((resolve) => {
      launched.once('exit', () => {
        running = false;
        questions.fail();
        resolve(refusal);
      });
    });
  }

  const onEnd = () => log.error('the worker ended; it is replaced, and texts that it was handing over may be in doubt');

  return {
    signals: side.signals,
    async start(databaseUrl) {
      const { promise: started, resolve } = Promise.withResolvers<void>();
      const ended = run({ databaseUrl, again: false }, resolve);
      await Promise.race([started, ended.then(refused)]);
      const again = (ready: () => void) => {
        restarts += 1;
        return run({ databaseUrl, again: true }, ready);
      };
      keeping = keepRunning({ first: ended, again, onEnd, stopping: stopping.signal });
      pulse = setInterval(() => tell(side.pulse()), pulseMs).unref();
    },
    begin() {
      begun = true;
      tell({ about: 'begin' });
    },
    isRunning: () => running,
    restarts: () => restarts,
    ask: (what) => questions.ask(what, running, tell),
    async stop() {
      stopping.abort();
      tell({ about: 'stop' });
      const cutOff = setTimeout(() => void worker?.terminate(), config.carrierTimeoutMs + stopMarginMs);
      await keeping;
      clearTimeout(cutOff);
      clearInterval(pulse);
    },
  };
}

function refused(why: string | null): never {
  throw why === null ? new Error('The worker ended before it was ready.') : new ConfigError(why);
}

/** Questions that the worker hasn't answered yet. */
function makeQuestions() {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  const fault = () => problem('downstream_unavailable', 'The worker is restarting: try again in a moment.');

  function take(id: number): PromiseWithResolvers<unknown> | undefined {
    const question = waiting.get(id);
    waiting.delete(id);
    return question;
  }

  return {
    async ask(what: Question, isRunning: boolean, tell: (note: NoteToWorker) => void): Promise<unknown> {
      if (!isRunning) throw fault();
      const question = Promise.withResolvers<unknown>();
      lastId += 1;
      waiting.set(lastId, question);
      tell({ about: 'question', id: lastId, what });
      return question.promise;
    },
    hear(note: NoteFromWorker): void {
      if (note.about === 'answer') take(note.id)?.resolve(note.value);
      if (note.about === 'failure') take(note.id)?.reject(fault());
    },
    /** Nobody will answer. */
    fail(): void {
      for (const id of [...waiting.keys()]) take(id)?.reject(fault());
    },
  };
}
