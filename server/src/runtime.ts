import type { Config } from './config.ts';
import { type SandboxClock, startSandboxClock, systemClock } from './domain/clock.ts';
import type { Log } from './log.ts';
import { connect, type Pool } from './store/db.ts';
import { type Embedded, startEmbedded } from './store/embedded.ts';
import { appRole, checkDatabase, ensureDatabase, migrate } from './store/migrate.ts';

/** A process's connection to its database and what follows from it: the server and every command begin here. */
export type Runtime = {
  config: Config;
  pool: Pool;
  db: Pool;
  clock: SandboxClock | typeof systemClock;
  sandboxClock: SandboxClock | undefined;
  databaseUrl: string;
  stop(): Promise<void>;
};

const databaseName = 'assent';

/** Starts or attaches to the database, migrates it in the sandbox, and connects as the restricted role. */
export async function startRuntime(config: Config, log: Log, say: (line: string) => void): Promise<Runtime> {
  const embedded = config.databaseUrl ? undefined : await startEmbedded(config.dataDir, say);
  try {
    return await connectRuntime(config, log, embedded);
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

async function connectRuntime(config: Config, log: Log, embedded: Embedded | undefined): Promise<Runtime> {
  const databaseUrl = embedded?.url(databaseName) ?? config.databaseUrl;
  if (embedded) await ensureDatabase(embedded.url('postgres'), databaseName);
  // A sandbox keeps itself up to date; in production the owner migrates, and the server only checks.
  if (config.environment === 'sandbox') await migrate(databaseUrl);
  else await checkDatabase(databaseUrl);

  const pool = connect({
    connectionString: databaseUrl,
    size: config.databasePoolSize,
    timeoutMs: config.databaseTimeoutMs,
    role: appRole,
    onError: (err) => log.warn({ err }, 'an idle database connection broke'),
  });
  const sandboxClock = config.environment === 'sandbox' ? await startSandboxClock(pool) : undefined;
  return {
    config,
    pool,
    db: pool,
    clock: sandboxClock ?? systemClock,
    sandboxClock,
    databaseUrl,
    async stop() {
      await pool.end();
      await embedded?.stop();
    },
  };
}
