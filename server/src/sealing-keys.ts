import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { sealingKeyBytes } from './domain/sealing.ts';

/** What secrets are sealed with: the keys of the environment, or in the sandbox one that it makes for itself. */
export function sealingKeysOf({
  credentialsKeys,
  environment,
  dataDir,
}: Pick<Config, 'credentialsKeys' | 'environment' | 'dataDir'>): Buffer[] {
  if (credentialsKeys.length > 0 || environment !== 'sandbox') return credentialsKeys;
  const path = join(dataDir, 'credentials.key');
  mkdirSync(dataDir, { recursive: true });
  try {
    // Only whoever makes the file writes it: of two that start together, the second reads the key of the first.
    writeFileSync(path, randomBytes(sealingKeyBytes).toString('base64'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return [Buffer.from(readFileSync(path, 'utf8'), 'base64')];
}
