import type { Config } from './config.ts';
import type { Carriers, Clock, Judges, Tracer } from './domain/ports.ts';
import type { Signals } from './domain/shared/signals.ts';
import type { Db, Transaction } from './store/database/db.ts';

/** What a domain function needs: the database, the time, and how this deployment is configured. */
export type Deps = {
  readonly db: Db;
  readonly clock: Clock;
  readonly config: Pick<Config, 'environment' | 'publicUrl' | 'oauthIssuer' | 'carrierTimeoutMs' | 'textLifetimeHours'>;
  /** The carriers that this node has opened. */
  readonly carriers: Carriers;
  readonly signals: Signals;
  readonly judges: Judges;
  /** Unless traces are exported, there is none. */
  readonly tracer?: Tracer | null;
};

/** Connections that no load on the API can take: for replies, receipts, revocations, and texts to the carrier. */
export type Reserved = { readonly reserved: Db };

/** The same, on the reserved connections. */
export function onReserved<Given extends Pick<Deps, 'db'> & Reserved>(deps: Given): Given {
  return { ...deps, db: deps.reserved };
}

/** Does the work in one transaction. Its `deps` are the same, except that `db` is the transaction. */
export function inTransaction<Given extends Pick<Deps, 'db'>, Result>(
  deps: Given,
  work: (deps: Omit<Given, 'db'> & { readonly db: Transaction }) => Promise<Result>,
): Promise<Result> {
  return deps.db.transaction((db) => work({ ...deps, db }));
}
