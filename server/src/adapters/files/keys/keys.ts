import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Config, ConfigError } from '../../../config.ts';
import { makeNoteSigner, makeSigningKey } from '../../../domain/archive/signed-notes.ts';
import type { NoteSigner } from '../../../domain/ports.ts';
import { sealingKeyBytes } from '../../../domain/shared/sealing.ts';

/** Signs checkpoints with the key in the file, or null if this node has none. The sandbox makes its own key. */
export function archiveSigner({
  archiveKeyFile,
  archiveName,
  environment,
}: Pick<Config, 'archiveKeyFile' | 'archiveName' | 'environment'>): NoteSigner | null {
  if (!archiveKeyFile) return null;
  try {
    const isSandbox = environment === 'sandbox';
    const pem = isSandbox ? readOrMake(archiveKeyFile, makeSigningKey) : readFileSync(archiveKeyFile, 'utf8');
    return makeNoteSigner(archiveName, pem);
  } catch (cause) {
    const { code, syscall } = cause as NodeJS.ErrnoException;
    const why = syscall ? `can’t be read (${code})` : 'must be an Ed25519 private key in PEM format';
    throw new ConfigError(`ARCHIVE_KEY_FILE can’t be used: ${archiveKeyFile} ${why}.`, { cause });
  }
}

/** The file's content. If there is no file, it is made first, readable by its owner alone. */
function readOrMake(path: string, make: () => string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (existsSync(path)) return readFileSync(path, 'utf8');
  // Linked into place once it is complete: a full disk leaves no half of a key, and if two processes start at once, the
  // second reads the first one's.
  const making = `${path}.${process.pid}.new`;
  try {
    writeFileSync(making, make(), { mode: 0o600, flush: true });
    linkSync(making, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(making, { force: true });
  }
  return readFileSync(path, 'utf8');
}

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
