import type { Config } from './config.ts';
import type {
  ArchiveMemory,
  ArchivePackages,
  CarrierKind,
  Carriers,
  CheckpointFolder,
  Clock,
  ContactFiles,
  DatabaseClock,
  DeliverCheckpoint,
  Diagnose,
  NoteSigner,
  OpenCrm,
  Push,
  SandboxClock,
  Screeners,
  SendMail,
} from './domain/ports.ts';
import type { Sealer } from './domain/shared/sealing.ts';
import type { Signals } from './domain/shared/signals.ts';
import type { TakeTurn } from './domain/shared/turns.ts';
import type { Db, Transaction } from './store/database/db.ts';

/** What a process works with, made once (runtime.ts). A function that needs less may say so with `Pick`. */
export type Deps = {
  readonly db: Db;
  /** Connections that no load on the API can take: for replies, receipts, revocations, and texts to the carrier. */
  readonly reserved: Db;
  readonly clock: Clock;
  /** Real time. */
  readonly databaseClock: DatabaseClock;
  /** The same clock, if it can be moved. */
  readonly sandboxClock: SandboxClock | undefined;
  readonly config: Config;
  readonly signals: Signals;
  readonly carriers: Carriers;
  readonly carrierKinds: Record<string, CarrierKind>;
  readonly screeners: Screeners;
  /** Between the steps of long work: what others wait for comes first. */
  readonly turn: TakeTurn;
  readonly openCrm: OpenCrm;
  readonly contactFiles: ContactFiles;
  readonly archivePackages: ArchivePackages;
  readonly push: Push;
  /** Seals the secrets that are in the database. */
  readonly sealer: Sealer;
  /** The archive's key, which is not in the database, and what is known of it outside. */
  readonly signer: NoteSigner | null;
  readonly archiveMemory: ArchiveMemory | null;
  readonly checkpointFolder: CheckpointFolder | null;
  readonly diagnose: Diagnose;
  /** Null if the operator has no command for it. */
  readonly deliverCheckpoint: DeliverCheckpoint | null;
  readonly sendMail: SendMail | null;
};

/** The same, on the reserved connections. */
export function onReserved<Given extends Pick<Deps, 'db' | 'reserved'>>(deps: Given): Given {
  return { ...deps, db: deps.reserved };
}

/** Does the work in one transaction. Its `deps` are the same, except that `db` is the transaction. */
export function inTransaction<Given extends Pick<Deps, 'db'>, Result>(
  deps: Given,
  work: (deps: Omit<Given, 'db'> & { readonly db: Transaction }) => Promise<Result>,
): Promise<Result> {
  return deps.db.transaction((db) => work({ ...deps, db }));
}
