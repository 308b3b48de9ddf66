import { setTimeout as pause } from 'node:timers/promises';
import { type App, buildApp } from './app.ts';
import { type Config, ConfigError } from './config.ts';
import { dispatcher } from './domain/delivery/dispatcher.ts';
import { sendDueMessages } from './domain/messages/due-messages.ts';
import { startJobs } from './jobs/start.ts';
import { makeLog } from './log.ts';
import { startRuntime } from './runtime.ts';
import { greeting, writeSandboxFile } from './sandbox/sandbox-file.ts';

export type Server = { stop(): Promise<void> };

const portBusyMs = 5_000;
const pollMs = 20;

/** The product: database, HTTP server and jobs, until stopped. */
export async function serve(config: Config, say: (line: string) => void): Promise<Server> {
  const log = makeLog(config.logLevel);
  const runtime = await startRuntime(config, log, say);
  try {
    const texting = dispatcher(runtime, log);
    const deliverDue = () => sendDueMessages(runtime).then(texting.settled);
    const app = await buildApp({ ...runtime, log, deliverDue });
    const sandbox = runtime.sandboxClock && (await writeSandboxFile(runtime));
    await listen(app, config);
    const jobs = startJobs(runtime, log, texting);
    if (sandbox) say(await greeting(runtime, sandbox));
    log.info({ port: config.port, environment: config.environment }, 'listening');
    if (!runtime.signer) log.warn('ARCHIVE_KEY_FILE is not set: this node signs no checkpoints of the archive');
    if (!runtime.checkpointFolder)
      log.warn('ARCHIVE_OUTSIDE_DIR is not set: this node keeps no checkpoints outside the database');
    return {
      async stop() {
        log.info('stopping');
        app.beginStop();
        runtime.signals.stopping.abort();
        await Promise.all([jobs.stop(), drain(app, config)]);
        await runtime.stop();
        log.info('stopped');
      },
    };
  } catch (error) {
    await runtime.stop();
    throw error;
  }
}

/** An earlier server may still be on its way out: give it a moment before the port counts as taken. */
async function listen(app: App, { host, port }: Config): Promise<void> {
  for (const deadline = Date.now() + portBusyMs; ; await pause(pollMs)) {
    try {
      await app.listen({ host, port });
      return;
    } catch (error) {
      const busy = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (busy && Date.now() < deadline) continue;
      throw busy ? new ConfigError(`Port ${port} is taken: set PORT to another.`, { cause: error }) : error;
    }
  }
}

/**
 * Stops without failing a request: for a while everything is still answered, each answer closing its connection, so
 * that clients go elsewhere by themselves; then nothing new is accepted, and what was begun is finished.
 */
async function drain(app: App, config: Config): Promise<void> {
  for (const end = Date.now() + config.stopGraceMs; Date.now() < end && (await connections(app)) > 0; )
    await pause(pollMs);
  // A client that is slow to send gets the time it always has; Node no longer watches it once the server closes.
  const cutOff = setTimeout(() => app.server.closeAllConnections(), config.requestTimeoutMs + config.databaseTimeoutMs);
  await app.close();
  clearTimeout(cutOff);
}

function connections(app: App): Promise<number> {
  return new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count ?? 0)));
}
