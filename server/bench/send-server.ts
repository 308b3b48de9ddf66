// The real app in a separate process, in one of three shapes. `product`: unchanged. `nowhere`: the same checks,
// credentials, validation and serialization, but the batch that stores a send returns at once. `function`: each send calls
// one SQL function with its own commit. It ends with the process that forked it.
import type { AddressInfo } from 'node:net';
import { buildApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { onReserved } from '../src/deps.ts';
import { growTree } from '../src/domain/archive/archive-tree.ts';
import { copyCheckpoints } from '../src/domain/archive/checkpoint-copies.ts';
import { dispatcher } from '../src/domain/delivery/dispatcher.ts';
import type { MessageResult } from '../src/domain/messages/sends.ts';
import { segmentsOf } from '../src/domain/texting/segments.ts';
import type { RunningJobs } from '../src/jobs/repeat.ts';
import { startRequestJobs } from '../src/jobs/requests.ts';
import { startJobs } from '../src/jobs/start.ts';
import { makeLog } from '../src/log.ts';
import { type Runtime, startRuntime } from '../src/runtime.ts';
import type { Db } from '../src/store/database/db.ts';

export type Shape = 'product' | 'nowhere' | 'function';
/** What runs next to the app: nothing; building the archive's tree, as often as in the product; or all jobs. */
export type Dispatch = 'paused' | 'signing' | 'running';
/** Its message once it is listening. */
export type Ready = { port: number };

/** The part of a send in the batch of domain/messages/sends.ts that is needed here. */
type Send = { advisorId: number; by: { actor: string; traceId: string | null }; phones: string[]; text: string };
type Answer = (send: Send) => Promise<MessageResult>;

const answers: Record<Exclude<Shape, 'product'>, (runtime: Runtime) => Answer> = { nowhere, function: byFunction };

const signMs = 2_000;

if (import.meta.main) await main();

async function main(): Promise<void> {
  const [shape, dispatch] = process.argv.slice(2) as [Shape, Dispatch];
  const config = readConfig();
  const log = makeLog(config.logLevel);
  const runtime = await startRuntime(config, log, () => {});
  const db = shape === 'product' ? runtime.db : withBatch(runtime.db, answers[shape](runtime));
  const app = await buildApp({ ...runtime, db, log });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const jobs: RunningJobs[] = [];
  if (dispatch === 'running') {
    const deps = { ...runtime, db: runtime.background };
    jobs.push(startJobs(deps, log, dispatcher(onReserved(deps), log)), startRequestJobs(runtime, log));
  }
  let signed = Promise.resolve();
  const signNext = () => {
    signed = signed.then(() => sign(runtime));
  };
  const signing = dispatch === 'signing' ? setInterval(signNext, signMs) : undefined;

  process.once('disconnect', async () => {
    clearInterval(signing);
    // Once the node stops, the tree can't be signed.
    await signed;
    app.server.closeAllConnections();
    runtime.signals.stopping.abort();
    await Promise.all([app.close(), ...jobs.map((each) => each.stop())]);
    await runtime.stop();
    process.exit(0);
  });
  // Ctrl-C reaches the whole process group; our parent decides when we stop.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  const ready: Ready = { port: (app.server.address() as AddressInfo).port };
  process.send?.(ready);
}

async function sign(runtime: Runtime): Promise<void> {
  if ((await growTree(runtime)) !== null) await copyCheckpoints(runtime);
}

function withBatch(db: Db, answer: Answer): Db {
  // This server gets only sends, so every batch is the one that stores them.
  return { ...db, batch: ((_batch: unknown, send: Send) => answer(send)) as unknown as Db['batch'] };
}

function nowhere(): Answer {
  let messageId = 0;
  return async ({ phones: [phone = ''] }) => {
    const success = { messageId: ++messageId, memberId: 1, phone, status: 'queued' as const };
    return { successes: [success], failures: [] };
  };
}

function byFunction({ db, clock }: Runtime): Answer {
  return async ({ advisorId, by, phones: [phone = ''], text }) => {
    const { segments, encoding } = segmentsOf(text);
    const [row] = await db.query<{ messageId: number; memberId: number }>(
      'select message_id as "messageId", member_id as "memberId" from bench_send($1, $2, $3, $4, $5, $6, $7, $8)',
      [advisorId, phone, text, by.actor, by.traceId, segments, encoding, clock.now()],
      'bench-send',
    );
    if (!row) throw new Error('The function refused a send.');
    return { successes: [{ ...row, phone, status: 'queued' }], failures: [] };
  };
}
