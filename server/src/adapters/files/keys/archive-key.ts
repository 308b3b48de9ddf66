import { readFileSync } from 'node:fs';
import { type Config, ConfigError } from '../../../config.ts';
import { makeNoteSigner, makeSigningKey } from '../../../domain/archive/signed-notes.ts';
import type { NoteSigner } from '../../../domain/ports.ts';
import { readOrMake } from './made-files.ts';

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
