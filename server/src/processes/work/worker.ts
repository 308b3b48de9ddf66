// The worker: a thread that hands texts to the carrier and runs the jobs, so that requests don't wait for it. It has its
// own connections and shares no memory with the side that answers requests (notes.ts has all that they tell each other).
import { parentPort, workerData } from 'node:worker_threads';
import { readConfig } from '../../config.ts';
import { onReserved } from '../../deps.ts';
import { findRestored } from '../../domain/archive/archive-status.ts';
import { readReply } from '../../domain/consent/reading/reply-words.ts';
import { type Dispatcher, dispatcher } from '../../domain/delivery/dispatcher.ts';
import { sendDueMessages } from '../../domain/messages/due-messages.ts';
import type { Running } from '../../jobs/repeat.ts';
import { startJobs, statusOf } from '../../jobs/start.ts';
import { byTurns, type Log, makeLog, nameOf } from '../../log.ts';
import { connectRuntime, explain, type Runtime } from '../../runtime.ts';
import { threadMetrics } from '../../thread-metrics.ts';
import { type NoteFromWorker, type NoteToWorker, pulseMs, type Question } from './notes.ts';
import { workerSignals } from './signals.ts';

/** `again`: it replaces one that died. */
export type WorkerData = { databaseUrl: string; again: boolean };

type Answers = Record<Question, () => Promise<unknown>>;

/** Connections for jobs. Texts, replies and receipts have the reserved ones. */
const poolSize = 4;

const port = parentPort;
if (!port) throw new Error('This is a thread of the server; start that.');
const { databaseUrl, again } = workerData as WorkerData;
const tell = (note: NoteFromWorker) => port.postMessage(note);
const config = { ...readConfig(), databasePoolSize: poolSize };
const output = byTurns({ write: (lines) => tell({ about: 'log', lines }) });
const log = makeLog(config.logLevel, output, nameOf(config));
await work().catch((err) => {
  if (again) log.error({ err }, 'the worker can’t start');
  else tell({ about: 'refusal', why: explain(err) });
  process.exit(1);
});

async function work(): Promise<void> {
  const side = workerSignals(tell);
  const runtime = await connectRuntime(config, log, { url: databaseUrl, stop: async () => {} }, side.signals);
  await runtime.reserved.open();
  // Before the first text is claimed.
  runtime.signals.archive.restored = await findRestored(runtime);
  // Compiles the patterns now, so that the first reply doesn't wait for it.
  readReply('Hello');
  // Loaded on demand: without traces it costs nothing.
  const tracer = config.otlpEndpoint
    ? (await import('../../adapters/tracing/tracer.ts')).openTracer(config, log, 'work')
    : null;
  const texting = dispatcher(onReserved({ ...runtime, tracer }), log);
  const answers = answersOf(runtime, texting);
  let jobs: Running | undefined;
  const pulse = setInterval(() => tell(side.pulse()), pulseMs);

  async function stop(): Promise<void> {
    runtime.signals.stopping.abort();
    clearInterval(pulse);
    await jobs?.stop();
    await Promise.all([tracer?.stop(), runtime.stop()]);
    port?.close();
  }

  port?.on('message', (note: NoteToWorker) => {
    side.hear(note);
    if (note.about === 'begin') jobs ??= startJobs({ ...runtime, tracer }, log, texting);
    if (note.about === 'question') void answer(answers, note, log);
    if (note.about === 'stop') void stop();
  });
  tell({ about: 'ready' });
}

function answersOf(runtime: Runtime, texting: Dispatcher): Answers {
  const metrics = threadMetrics(runtime.pool);
  return {
    async due() {
      // The clock was moved on the other side.
      await runtime.sandboxClock?.refresh();
      await sendDueMessages(runtime);
      await texting.settled();
    },
    metrics: () => metrics.getMetricsAsJSON(),
    carriers: async () => (await statusOf(runtime, texting)).map(({ status }) => status),
  };
}

async function answer(answers: Answers, { id, what }: { id: number; what: Question }, log: Log): Promise<void> {
  try {
    tell({ about: 'answer', id, value: await answers[what]() });
  } catch (err) {
    log.warn({ err, what }, 'the worker can’t answer');
    tell({ about: 'failure', id });
  }
}
