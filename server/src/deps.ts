import type { Config } from './config.ts';
import type { Carrier, Clock } from './domain/ports.ts';
import type { Signals } from './domain/shared/signals.ts';
import type { Judges } from './domain/supervision/judges.ts';
import type { Db, Transaction } from './store/database/db.ts';

/** What a domain function needs: where things are remembered, what time it is, and how this deployment is set up. */
export type Deps = {
  readonly db: Db;
  readonly clock: Clock;
  readonly config: Pick<Config, 'environment' | 'publicUrl' | 'oauthIssuer' | 'carrierTimeoutMs'>;
  /** None where no carrier is connected: then nothing can be sent. */
  readonly carrier: Carrier | null;
  readonly signals: Signals;
  readonly judges: Judges;
};

/** Does the work in one transaction: its `deps` are the same, with a `db` that is the transaction. */
export function inTransaction<Given extends Pick<Deps, 'db'>, Result>(
  deps: Given,
  work: (deps: Omit<Given, 'db'> & { readonly db: Transaction }) => Promise<Result>,
): Promise<Result> {
  return deps.db.transaction((db) => work({ ...deps, db }));
}
