import { existsSync, globSync, readFileSync } from 'node:fs';
import type pg from 'pg';

/** CPU time in milliseconds since the start: of the servers' processes, and of all processes of PostgreSQL. */
export type CpuTime = { node: number; postgresql: number };

type Stat = { parent: number; ownMs: number; endedChildrenMs: number };

/** Linux counts in hundredths of a second. */
const tickMs = 10;

/** Undefined where there is no /proc. */
export async function cpuTime(pids: number[], owner: pg.Client): Promise<CpuTime | undefined> {
  const { rows } = await owner.query('select pg_backend_pid() as pid');
  return cpuTimeOf(pids, [readStat(rows[0].pid)?.parent ?? 0]);
}

/** The same, by the process ids of the first process of each PostgreSQL. */
export function cpuTimeOf(pids: number[], postmasters: number[]): CpuTime | undefined {
  const [servers, first] = [pids, postmasters].map((given) => given.flatMap((pid) => readStat(pid) ?? [])) as [
    Stat[],
    Stat[],
  ];
  if (servers.length < pids.length || first.length < postmasters.length) return undefined;
  const running = globSync('/proc/[0-9]*').flatMap((path) => readStat(Number(path.slice('/proc/'.length))) ?? []);
  const backends = running.filter(({ parent }) => postmasters.includes(parent));
  const ended = first.reduce((sum, { endedChildrenMs }) => sum + endedChildrenMs, 0);
  return { node: sumOf(servers), postgresql: ended + sumOf(backends) };
}

function sumOf(processes: { ownMs: number }[]): number {
  return processes.reduce((sum, { ownMs }) => sum + ownMs, 0);
}

/** Microseconds for each of `count`. */
export function cpuOfEach(before: CpuTime | undefined, after: CpuTime | undefined, count: number) {
  const each = (kind: keyof CpuTime) => (before && after ? ((after[kind] - before[kind]) * 1000) / count : undefined);
  return { node: each('node'), postgresql: each('postgresql') };
}

/**
 * CPU time in milliseconds of the connections that a database has now, except the owner's, to the microsecond. Without /proc, the
 * time on the clock.
 */
export async function connectionsCpu(owner: pg.Client): Promise<() => number> {
  const { rows } = await owner.query<{ pid: number }>(
    `select pid
     from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
  );
  const paths = rows.map(({ pid }) => `/proc/${pid}/schedstat`);
  if (!paths.every((path) => existsSync(path))) return () => performance.now();
  return () => paths.reduce((sum, path) => sum + Number(readFileSync(path, 'utf8').split(' ')[0]) / 1e6, 0);
}

/** The most memory that a process had, in megabytes. Undefined where there is no /proc. */
export function peakMemory(pid: number): number | undefined {
  try {
    const kib = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kib === undefined ? undefined : (Number(kib) * 1024) / 1e6;
  } catch {
    return undefined;
  }
}

/** The fields after the name, which is in parentheses: state, parent, and from the twelfth the times. */
function readStat(pid: number): Stat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15);
    return {
      parent: fields[1] ?? 0,
      ownMs: (user + system) * tickMs,
      endedChildrenMs: (childrenUser + childrenSystem) * tickMs,
    };
  } catch {
    return undefined;
  }
}
