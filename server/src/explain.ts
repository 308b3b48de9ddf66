import { ConfigError } from './config.ts';
import { MigrationError } from './store/database/migrate.ts';

/** What a person can mend is said in a line; anything else keeps its stack. */
export function explain(error: unknown): string {
  const known = error instanceof ConfigError || error instanceof MigrationError;
  return known || !(error instanceof Error) ? String((error as Error).message) : String(error.stack);
}
