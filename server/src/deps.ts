import type { Config } from './config.ts';
import type { Carrier, Clock } from './domain/ports.ts';
import type { Signals } from './domain/shared/signals.ts';
import type { Db } from './store/database/db.ts';

/** What a domain function needs: where things are remembered, what time it is, and how this deployment is set up. */
export type Deps = {
  readonly db: Db;
  readonly clock: Clock;
  readonly config: Pick<Config, 'environment' | 'publicUrl' | 'oauthIssuer' | 'carrierTimeoutMs'>;
  /** None where no carrier is connected: then nothing can be sent. */
  readonly carrier: Carrier | null;
  readonly signals: Signals;
};
