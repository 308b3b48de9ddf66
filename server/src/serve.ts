import { setTimeout as pause } from 'node:timers/promises';
import type { redisBuckets } from './adapters/redis/shared-buckets.ts';
import { type App, type AppContext, buildApp, buildWorkApp } from './app.ts';
import { type Config, ConfigError } from './config.ts';
import { onReserved } from './deps.ts';
import { prepareSigningKeys } from './domain/access/signing-keys.ts';
import { findRestored, hasForgotten } from './domain/archive/archive-status.ts';
import { sendBroadcasts } from './domain/broadcasts/sending.ts';
import { prepareReplies } from './domain/consent/reading/opt-out-phrases.ts';
import { readReply } from './domain/consent/reading/reply-words.ts';
import { type Dispatcher, dispatcher } from './domain/delivery/dispatcher.ts';
import { clockFollowedMs, waitForWorkers } from './domain/delivery/outbox-maintenance.ts';
import { sendDueMessages } from './domain/messages/due-messages.ts';
import { forgetNode, listNodes } from './domain/operations/nodes.ts';
import { writeTraffic } from './domain/operations/traffic.ts';
import type { SandboxFile } from './domain/sandbox/sandbox.ts';
import { resetSandbox } from './domain/sandbox/sandbox-reset.ts';
import { greeting, writeSandboxFile } from './domain/sandbox/sandbox-start.ts';
import { startRequestJobs } from './jobs/requests.ts';
import { startJobs, statusOf } from './jobs/start.ts';
import { type Log, makeLog } from './log.ts';
import { asOwner, type Runtime, startRuntime } from './runtime.ts';

export type Server = { stop(): Promise<void> };

const portBusyMs = 5_000;
const pollMs = 20;
/** Texts in flight get the carrier's timeout to finish. A job that takes this much longer hangs. */
const stopMarginMs = 20_000;

/** Runs the product until it is stopped: database, HTTP server, and, unless the role is `api`, the dispatcher and the jobs. */
export async function serve(config: Config, say: (line: string) => void): Promise<Server> {
  const log = makeLog(config.logLevel);
  const runtime = await startRuntime(config, log, say, { serves: true });
  const buckets = await bucketsOf(config, log);
  try {
    await runtime.reserved.open();
    // Compiles the patterns now, so that the first reply doesn't wait for it. A sandbox is rather ready a second earlier.
    if (config.environment === 'production') readReply('Hello');
    const texting = config.role === 'api' ? null : await openTexting(runtime, log);
    const { app, sandbox } = await appOf({ ...runtime, log, buckets }, texting);
    await warn(runtime, log);
    // Last of what can fail: a process that listens looks healthy, and must be whole.
    await listen(app, config);
    const work = texting && startJobs({ ...runtime, db: runtime.background }, log, texting);
    const jobs = config.role === 'work' ? null : startRequestJobs(runtime, log);
    if (config.environment === 'production') void prepareReplies(runtime.turn);
    log.info({ port: config.port, environment: config.environment, role: config.role }, 'listening');
    if (sandbox) say(greeting(runtime, sandbox));
    return {
      async stop() {
        log.info('stopping');
        app.beginStop();
        runtime.signals.stopping.abort();
        const hangs = pause(config.carrierTimeoutMs + stopMarginMs, undefined, { ref: false });
        await Promise.all([Promise.race([work?.stop(), hangs]), jobs?.stop(), drain(app, config)]);
        await writeTraffic(runtime).catch((err) => log.warn({ err }, 'the last traffic counts could not be written'));
        await forgetNode(runtime).catch((err) =>
          log.warn({ err }, 'this process could not be removed from the list of nodes'),
        );
        await Promise.all([buckets?.stop(), runtime.stop()]);
        log.info('stopped');
      },
    };
  } catch (error) {
    await Promise.all([buckets?.stop(), runtime.stop()]);
    throw error;
  }
}

async function openTexting(deps: Runtime, log: Log): Promise<Dispatcher> {
  // Before the first text is claimed.
  deps.signals.archive.restored = await findRestored(deps);
  return dispatcher(onReserved(deps), log);
}

async function appOf(
  deps: Runtime & Pick<AppContext, 'log' | 'buckets'>,
  texting: Dispatcher | null,
): Promise<{ app: App; sandbox: SandboxFile | undefined }> {
  const { config } = deps;
  const all = { ...deps, ...(texting ? withTexting(deps, texting) : withoutTexting(deps)), ...withReset(deps) };
  if (config.role === 'work') return { app: await buildWorkApp(all), sandbox: undefined };
  await prepareSigningKeys(deps);
  const app = await buildApp(all);
  return { app, sandbox: deps.sandboxClock ? await writeSandboxFile(deps) : undefined };
}

function withTexting(deps: Runtime, texting: Dispatcher): Pick<AppContext, 'deliverDue' | 'carrierStatuses'> {
  return {
    async deliverDue() {
      await Promise.all([sendDueMessages(deps), sendBroadcasts(deps)]);
      await texting.settled();
    },
    carrierStatuses: async () => (await statusOf(deps, texting)).map(({ status }) => status),
  };
}

/** Another process hands texts over, so the database has to tell. */
function withoutTexting(deps: Runtime): Pick<AppContext, 'deliverDue'> {
  return {
    async deliverDue() {
      await pause(clockFollowedMs);
      await Promise.all([sendDueMessages(deps), sendBroadcasts(deps)]);
      await waitForWorkers(onReserved(deps));
    },
  };
}

function withReset(deps: Runtime): Pick<AppContext, 'resetSandbox'> {
  const followed = async () => {
    if ((await listNodes(deps)).length > 1) await pause(clockFollowedMs);
  };
  return { resetSandbox: () => resetSandbox(deps, { asOwner: (work) => asOwner(deps, work), followed }) };
}

/** Null if each process has its own. Loaded on demand: Redis's client is a quarter of the modules of a start. */
async function bucketsOf(
  { role, redisUrl, publicUrl }: Config,
  log: Log,
): Promise<ReturnType<typeof redisBuckets> | null> {
  if (role === 'work') return null;
  if (!redisUrl) {
    log.info('REDIS_URL is not set: rate limits apply per process');
    return null;
  }
  log.info('rate limits are shared through REDIS_URL');
  const { redisBuckets } = await import('./adapters/redis/shared-buckets.ts');
  return redisBuckets({
    url: redisUrl,
    prefix: `assent:${publicUrl}:rate:`,
    onAway: (why) => log.warn(why, 'REDIS_URL doesn’t answer: until it does, rate limits apply per process'),
    onBack: () => log.info('REDIS_URL answers again: rate limits are shared'),
  });
}

/** What an operator should know about how it is set up. */
async function warn(runtime: Runtime, log: Log): Promise<void> {
  const { config, sealer, signer, checkpointFolder } = runtime;
  if (config.role !== 'work' && !sealer.canSeal)
    log.warn('CREDENTIALS_KEY is not set: the keys that sign tokens are stored unencrypted');
  if (config.role === 'api') return;
  if (!signer) log.warn('ARCHIVE_KEY_FILE is not set: this node doesn’t sign checkpoints of the archive');
  if (await hasForgotten(runtime))
    log.warn('this node has no memory of what was signed: it takes it from the copies outside, or signs nothing');
  if (!checkpointFolder)
    log.warn('ARCHIVE_OUTSIDE_DIR is not set: this node doesn’t keep checkpoints outside the database');
}

/** An earlier server may still be stopping, so wait a moment before reporting that the port is taken. */
async function listen(app: App, { host, port }: Config): Promise<void> {
  for (const deadline = Date.now() + portBusyMs; ; await pause(pollMs)) {
    try {
      await app.listen({ host, port });
      return;
    } catch (error) {
      const busy = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (busy && Date.now() < deadline) continue;
      throw busy ? new ConfigError(`Port ${port} is taken: set PORT to a different one.`, { cause: error }) : error;
    }
  }
}

/**
 * Stops without failing a request. For a while it still answers everything and closes each connection with its response, so
 * that clients reconnect elsewhere. Then it accepts nothing new and finishes what has begun.
 */
async function drain(app: App, config: Config): Promise<void> {
  for (const end = Date.now() + config.stopGraceMs; Date.now() < end && (await connections(app)) > 0; )
    await pause(pollMs);
  // A slow client gets its usual time to send. Node stops checking for slow clients once the server closes.
  const cutOff = setTimeout(() => app.server.closeAllConnections(), config.requestTimeoutMs + config.databaseTimeoutMs);
  await app.close();
  clearTimeout(cutOff);
}

function connections(app: App): Promise<number> {
  return new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count ?? 0)));
}
