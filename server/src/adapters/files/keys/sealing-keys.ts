import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from '../../../config.ts';
import { sealingKeyBytes } from '../../../domain/shared/sealing.ts';
import { readOrMake } from './made-files.ts';

/** The keys that seal secrets: the configured ones, or in the sandbox one that it makes for itself. */
export function sealingKeysOf({
  credentialsKeys,
  environment,
  dataDir,
}: Pick<Config, 'credentialsKeys' | 'environment' | 'dataDir'>): Buffer[] {
  if (credentialsKeys.length > 0 || environment !== 'sandbox') return credentialsKeys;
  const made = readOrMake(join(dataDir, 'credentials.key'), () => randomBytes(sealingKeyBytes).toString('base64'));
  return [Buffer.from(made, 'base64')];
}
