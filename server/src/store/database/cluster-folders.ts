import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  globSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * For what PostgreSQL's user must reach under root. Earlier versions put whole clusters here, each in a folder named after the
 * hash of its data folder's path, and they stayed when the data folder was deleted. Now it is only the programs.
 */
export const sharedHome = '/var/lib/assent';
const hashLength = 12;
/** In a folder there: the path of the data folder that uses it. Earlier versions didn't write it. */
const noteName = 'data-folder';

/** A cluster in `sharedHome` that no data folder is known to use. */
export type Leftover = {
  path: string;
  bytes: number;
  /** The data folder that used it and is gone, or has a cluster of its own now; null if that isn't known. */
  dataDir: string | null;
};

/** The cluster is in its data folder, unless an earlier version put it elsewhere. */
export function clusterFolder(dataDir: string, home = sharedHome): string {
  const [inside, earlier] = [join(dataDir, 'postgres'), join(home, shortHash(dataDir), 'postgres')];
  if (existsSync(inside) || !existsSync(earlier)) return inside;
  // A data folder that was deleted and made again starts anew: the credentials of the earlier one are gone.
  return existsSync(dataDir) && readdirSync(dataDir).length > 0 ? earlier : inside;
}

/** So that it can be told once the data folder is gone. */
export function noteDataFolder(dataDir: string, home = sharedHome): void {
  const folder = clusterFolder(dataDir, home);
  if (dirname(folder) !== dataDir) writeFileSync(join(dirname(folder), noteName), `${dataDir}\n`);
}

/** The postmaster's process id, if it is running and ours: after a reboot the id may be another program's. */
export function runningPid(folder: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
    process.kill(pid, 0);
    if (!existsSync('/proc/self/cwd')) return pid;
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(folder) ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Those that this user may look into: root, usually. */
export function listLeftovers(home = sharedHome): Leftover[] {
  const clusters = globSync(`${'[0-9a-f]'.repeat(hashLength)}/postgres`, { cwd: home }).map((path) => join(home, path));
  return clusters
    .filter(isReadable)
    .sort()
    .flatMap((cluster) => {
      const path = dirname(cluster);
      const dataDir = notedIn(path);
      const isUsed = runningPid(cluster) !== undefined || (dataDir && clusterFolder(dataDir, home) === cluster);
      return isUsed ? [] : [{ path, bytes: bytesIn(path), dataDir }];
    });
}

export function removeLeftover({ path }: Leftover): void {
  rmSync(path, { recursive: true, force: true });
}

/** In one sentence; null if there are none. */
export function describeLeftovers(leftovers: Leftover[]): string | null {
  const [first] = leftovers;
  if (!first) return null;
  const megabytes = Math.ceil(leftovers.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6);
  const folders = leftovers.length === 1 ? 'a folder' : `${leftovers.length} folders`;
  return `${dirname(first.path)} has ${folders} of PostgreSQL’s files that no data folder is known to use: ${megabytes} MB`;
}

export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, hashLength);
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function notedIn(path: string): string | null {
  try {
    return readFileSync(join(path, noteName), 'utf8').trim();
  } catch {
    return null;
  }
}

function bytesIn(path: string): number {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  // On the disk, not by length: PostgreSQL's files have holes, and its user may delete one meanwhile.
  return files.reduce((sum, { parentPath, name }) => {
    const found = lstatSync(join(parentPath, name), { throwIfNoEntry: false });
    return sum + (found?.blocks ?? 0) * 512;
  }, 0);
}
