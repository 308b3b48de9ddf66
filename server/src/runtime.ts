import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { carrierKinds } from './adapters/carriers/kinds.ts';
import { openCheckpointFolder } from './adapters/checkpoints/folder.ts';
import { checkpointCommand, runCommand } from './adapters/commands/command.ts';
import { crmOpener } from './adapters/crm/open.ts';
import { checkFolders, checkRedis } from './adapters/diagnostics/checks.ts';
import { contactFiles } from './adapters/files/contacts/contact-files.ts';
import { archivePackages } from './adapters/files/exports/packages.ts';
import { archiveMemory } from './adapters/files/keys/archive-memory.ts';
import { archiveSigner, sealingKeysOf } from './adapters/files/keys/keys.ts';
import { networksFor } from './adapters/outbound/addresses.ts';
import { makePush } from './adapters/webhooks/push.ts';
import { type Config, ConfigError } from './config.ts';
import type { Deps } from './deps.ts';
import { followCarriers } from './domain/carriers/open-carriers.ts';
import { checkDatabase as checkFacts } from './domain/operations/database-checks.ts';
import type { ArchiveMemory, CheckpointFolder, DeliverCheckpoint, SandboxClock, SendMail } from './domain/ports.ts';
import { startSandboxClock } from './domain/sandbox/sandbox-clock.ts';
import { startDatabaseClock } from './domain/shared/database-clock.ts';
import { makeSealer } from './domain/shared/sealing.ts';
import { makeSignals, newArchiveSigns, type Signals } from './domain/shared/signals.ts';
import { takeTurn } from './domain/shared/turns.ts';
import { makeScreeners } from './domain/supervision/screeners.ts';
import type { Log } from './log.ts';
import { exposureOf } from './store/database/connecting/tls.ts';
import { unreachableDatabase } from './store/database/connecting/unreachable.ts';
import type { Pool } from './store/database/db.ts';
import { isEmbeddedRunning, startEmbedded } from './store/database/embedded.ts';
import { DatabaseTimeout } from './store/database/errors.ts';
import { connect } from './store/database/pool.ts';
import { type DatabaseFacts, inspectDatabase } from './store/database/schema/inspection.ts';
import {
  appRole,
  checkDatabase,
  ensureDatabase,
  fixClock,
  MigrationError,
  migrate,
} from './store/database/schema/migrate.ts';

/** A process's connection to its database and everything built on it. The server and every command start here. */
export type Runtime = Omit<Deps, 'db' | 'reserved'> & {
  databaseUrl: string;
  pool: Pool;
  db: Pool;
  reserved: Pool;
  /** For jobs, so that requests can't keep them waiting. */
  background: Pool;
  stop(): Promise<void>;
};

/** The database, as its owner, for as long as the work takes. Only a sandbox's login may be the owner's. */
export async function asOwner<Result>(
  { config, databaseUrl }: Pick<Runtime, 'config' | 'databaseUrl'>,
  work: (db: Pool) => Promise<Result>,
): Promise<Result> {
  const pool = connect({ connectionString: databaseUrl, timeoutMs: config.databaseTimeoutMs, size: 1 });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** The database's address, and how to disconnect from it. The embedded one serves one server. */
export type Database = { url: string; stop(): Promise<void>; serve?: (as: string) => Promise<string | null> };

const databaseName = 'assent';
/** Four for replies and revocations, and four for texts and what carriers bring. */
const reservedSizes = { api: 4, work: 4, all: 8 };
const backgroundSize = 4;
const stoppingMs = 5_000;
const pollMs = 100;

/** The database at DATABASE_URL, or the embedded PostgreSQL, which is started if it isn't running. */
export async function openDatabase(config: Config, say: (line: string) => void): Promise<Database> {
  if (config.databaseUrl) return { url: config.databaseUrl, stop: async () => {} };
  makeDataFolder(config);
  const embedded = await startEmbedded(config.dataDir, say);
  try {
    await ensureDatabase(embedded.url('postgres'), databaseName);
    return { url: embedded.url(databaseName), stop: embedded.stop, serve: embedded.serve };
  } catch (error) {
    await embedded.stop();
    throw error;
  }
}

/** A checkout may belong to somebody else. */
function makeDataFolder({ dataDir }: Config): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.W_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new ConfigError(
      `The data folder ${dataDir} can’t be written by you (${code}): set ASSENT_DATA_DIR to a folder of your own.`,
      { cause },
    );
  }
}

export function hasDatabase({ databaseUrl, dataDir }: Config): boolean {
  return Boolean(databaseUrl) || isEmbeddedRunning(dataDir);
}

/** There is no database to look at: none is named, and no sandbox runs. */
export class NoDatabase extends ConfigError {}

/** A command answers from a database that is there, never from a sandbox that it would have to start. */
export function requireDatabase(config: Config): void {
  if (!hasDatabase(config))
    throw new NoDatabase(
      `DATABASE_URL is not set, and no sandbox is running in ${config.dataDir}: set DATABASE_URL, or run \`npm start\` first.`,
    );
}

/** What this deployment's login sees of the database. It changes nothing. */
export function inspect({ url }: Database): Promise<DatabaseFacts> {
  return inspectDatabase(url);
}

/** Brings the schema up to date, as its owner. Returns the names of the migrations that were missing. */
export async function migrateDatabase(
  config: Config,
  say: (line: string) => void,
  options: { shards: number | undefined },
): Promise<string[]> {
  requireDatabase(config);
  const database = await openDatabase(config, say);
  try {
    const applied = await migrate(database.url, options);
    if (config.environment === 'production') await fixClock(database.url);
    return applied;
  } finally {
    await database.stop();
  }
}

/** An error that a person can fix, or that the system gives for a file or an address, is one line. Any other keeps its stack. */
export function explain(error: unknown): string {
  const unreachable = unreachableDatabase(error);
  if (unreachable) return unreachable;
  if (error instanceof DatabaseTimeout) return `${error.message} Try again, or set DATABASE_TIMEOUT_MS higher.`;
  if (!(error instanceof Error)) return String((error as Error).message);
  const known = error instanceof ConfigError || error instanceof MigrationError || 'syscall' in error;
  return known ? error.message : String(error.stack);
}

/** Opens the database, migrates it in the sandbox, and connects as the restricted role. Only a server serves. */
export async function startRuntime(
  config: Config,
  log: Log,
  say: (line: string) => void,
  { serves = false } = {},
): Promise<Runtime> {
  const database = await openDatabase(config, say);
  try {
    if (serves) await claimDataFolder(database, config);
    // A sandbox migrates itself. In production the owner migrates, and the server only checks.
    if (config.environment === 'sandbox') await migrate(database.url);
    else await checkDatabase(database.url);
    const exposure = config.environment === 'production' && exposureOf(database.url);
    if (exposure) log.warn(`DATABASE_URL names another machine, and ${exposure}: add sslmode=verify-full`);
    return await connectRuntime(config, log, database);
  } catch (error) {
    await database.stop();
    throw error;
  }
}

/** A second server would write the first one's sandbox.json. An earlier one may still be stopping, so it waits a moment. */
async function claimDataFolder(database: Database, { dataDir, port }: Config): Promise<void> {
  for (const deadline = Date.now() + stoppingMs; ; await pause(pollMs)) {
    const other = await database.serve?.(`process ${process.pid}, at http://localhost:${port}`);
    if (!other) return;
    if (Date.now() < deadline) continue;
    const next = 'Stop it, or set ASSENT_DATA_DIR to a different folder for a second sandbox.';
    throw new ConfigError(`The data folder ${dataDir} is in use by ${other}. ${next}`);
  }
}

/** Connects to a database that is up to date. */
export async function connectRuntime(config: Config, log: Log, database: Database): Promise<Runtime> {
  const { role } = config;
  const options = {
    connectionString: database.url,
    timeoutMs: config.databaseTimeoutMs,
    role: appRole,
    onError: (err: Error) => log.warn({ err }, 'an idle database connection broke'),
  };
  const background = connect({ ...options, size: backgroundSize });
  const pool = role === 'work' ? background : connect({ ...options, size: config.databasePoolSize });
  const reserved = connect({ ...options, size: reservedSizes[role], keepOpen: true });
  const disconnect = () => Promise.all([...new Set([pool, background, reserved])].map((each) => each.end()));
  try {
    return {
      ...(await runtimeOn({ pool, background, reserved, config, log })),
      databaseUrl: database.url,
      diagnose: async () => [
        ...(await checkFolders(config)),
        ...checkFacts(await inspect(database), config, database.url),
        ...(await checkRedis(config)),
      ],
      async stop() {
        await disconnect();
        await database.stop();
      },
    };
  } catch (error) {
    // A connection that stays open would keep a process running that couldn't start.
    await disconnect();
    throw error;
  }
}

type ConnectedPools = { pool: Pool; background: Pool; reserved: Pool; config: Config; log: Log };

async function runtimeOn({ pool, background, reserved, config, log }: ConnectedPools) {
  const signals = makeSignals();
  const screeners = makeScreeners();
  // What this process knows is from before.
  const onReset = () => {
    Object.assign(signals.archive, newArchiveSigns());
    screeners.forget();
  };
  const databaseClock = await startDatabaseClock(reserved);
  const sandboxClock =
    config.environment === 'sandbox'
      ? await startSandboxClock(pool, databaseClock, { resetGuard: signals.resetGuard, onReset })
      : undefined;
  const outside = following(sandboxClock, (resets) => archiveOutside(config, resets));
  const sealer = makeSealer(sealingKeysOf(config));
  const carriers = followCarriers({
    db: reserved,
    sealer,
    kinds: carrierKinds,
    extra: {
      db: reserved,
      clock: sandboxClock ?? databaseClock,
      publicUrl: config.publicUrl,
      environment: config.environment,
      outboundAllowedNetworks: config.outboundAllowedNetworks,
      untilReset: signals.resetGuard.signal,
      report(event) {
        if (event.event === 'refused') log.warn(event, 'a carrier refuses our credentials');
        else log.info(event, 'a carrier connection changed');
      },
    },
    onFault: ({ name, why }) => log.error({ carrier: name, why }, 'a carrier can’t be opened'),
  });
  await carriers.refresh();
  return {
    config,
    pool,
    db: pool,
    reserved,
    background,
    clock: sandboxClock ?? databaseClock,
    databaseClock,
    sandboxClock,
    carriers,
    carrierKinds,
    signer: archiveSigner(config),
    archiveMemory: outside.memory,
    checkpointFolder: outside.folder,
    deliverCheckpoint: checkpointDelivererOf(config, signals),
    sendMail: mailerOf(config, signals),
    signals,
    screeners,
    turn: takeTurn,
    openCrm: crmOpener(config.outboundAllowedNetworks),
    contactFiles,
    archivePackages,
    push: makePush(networksFor(config)),
    sealer,
  };
}

type ArchiveOutside = { memory: ArchiveMemory | null; folder: CheckpointFolder | null };

/** What is known of the archive outside the database. After each reset of a sandbox it begins anew, beside what was there. */
function archiveOutside(config: Config, resets: number): ArchiveOutside {
  const folder = checkpointFolderOf(config, resets);
  const others = config.archiveOtherCopies.map((path) => openCheckpointFolder(folderAfter(path, resets)));
  return { memory: archiveMemory(config, [...(folder ? [folder] : []), ...others], resets), folder };
}

/** In production the operator makes the folder: if it is missing, its disk isn't mounted. */
function checkpointFolderOf({ archiveOutsideDir, environment }: Config, resets: number): CheckpointFolder | null {
  if (!archiveOutsideDir) return null;
  const path = folderAfter(archiveOutsideDir, resets);
  if (environment === 'sandbox') mkdirSync(path, { recursive: true, mode: 0o700 });
  return openCheckpointFolder(path);
}

function folderAfter(path: string, resets: number): string {
  return resets > 0 ? join(path, `reset-${resets}`) : path;
}

/** The same two, of whatever reset was the last. Only a sandbox is reset. */
function following(clock: SandboxClock | undefined, open: (resets: number) => ArchiveOutside): ArchiveOutside {
  if (!clock) return open(0);
  let known = { resets: clock.resets(), outside: open(clock.resets()) };
  const current = () => {
    const resets = clock.resets();
    if (resets !== known.resets) known = { resets, outside: open(resets) };
    return known.outside;
  };
  const { memory, folder } = known.outside;
  return {
    memory: memory && delegate(() => current().memory as ArchiveMemory),
    folder: folder && delegate(() => current().folder as CheckpointFolder),
  };
}

function delegate<Target extends object>(target: () => Target): Target {
  return new Proxy({} as Target, { get: (_, name) => Reflect.get(target(), name) });
}

function mailerOf({ alertMailCommand: command }: Config, { stopping }: Signals): SendMail | null {
  return command ? (message) => runCommand(command, { stdin: message }, { until: stopping.signal }) : null;
}

/** A stopping node doesn't wait for it. */
function checkpointDelivererOf(
  { archiveCheckpointCommand: command }: Config,
  { stopping }: Signals,
): DeliverCheckpoint | null {
  return command ? checkpointCommand(command, { until: stopping.signal }) : null;
}
