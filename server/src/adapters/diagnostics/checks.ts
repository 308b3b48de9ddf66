import { constants, existsSync } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '../../config.ts';
import { type CheckFinding, failing, ok, warning } from '../../domain/operations/findings.ts';

const freeWarn = 0.1;
const freeFailBytes = 100 * 1024 * 1024;

/** Folders that this process writes to: whether it may, and how much room there is. */
export async function checkFolders(config: Config): Promise<CheckFinding[]> {
  const { role, databaseUrl, dataDir, archiveKeyFile, archiveOutsideDir } = config;
  const folders = [
    ...(databaseUrl ? [] : [['data folder', dataDir]]),
    ...(archiveKeyFile && role !== 'api' ? [['key’s folder', dirname(archiveKeyFile)]] : []),
    ...(archiveOutsideDir && role !== 'api' ? [['outside folder', archiveOutsideDir]] : []),
  ] as [check: string, path: string][];
  // A sandbox makes them when it starts.
  const there = folders.filter(([, path]) => config.environment === 'production' || existsSync(path));
  return Promise.all(there.map(([check, path]) => checkFolder(check, path)));
}

async function checkFolder(check: string, path: string): Promise<CheckFinding> {
  try {
    await access(path, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const says = code === 'ENOENT' ? `${path} doesn’t exist` : `${path} can’t be written (${code})`;
    return failing(check, says, code === 'ENOENT' ? 'Mount its disk, or make it.' : 'Let the server’s user write it.');
  }
  const { bavail, blocks, bsize } = await statfs(path);
  const [free, share] = [bavail * bsize, bavail / Math.max(1, blocks)];
  const says = `${path} has ${(free / 1e9).toFixed(1)} GB left, ${Math.round(share * 100)} %`;
  if (free < freeFailBytes) return failing(check, says, 'Make room: nothing can be stored on a full disk.');
  return share < freeWarn ? warning(check, says, 'Make room before it is full.') : ok(check, says);
}

/** Without it each process goes by its own rates, so nothing fails. */
export async function checkRedis({ redisUrl, role }: Config): Promise<CheckFinding[]> {
  if (!redisUrl || role === 'work') return [];
  try {
    // Loaded on demand: other verbs start without it.
    const { pingRedis } = await import('../redis/ping.ts');
    return [ok('Redis', `it answers in ${(await pingRedis(redisUrl)).toFixed(0)} ms`)];
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const says = `it doesn’t answer (${code ?? message}): each process goes by its own rates`;
    return [warning('Redis', says, 'Check REDIS_URL, and whether Redis runs.')];
  }
}
