const turns = 9;

/**
 * How much CPU time this thread spends on something, in milliseconds. Unlike the time on the clock, it doesn't depend on what
 * else the machine does.
 */
export async function cpuMs(work: () => unknown): Promise<number> {
  const start = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1_000;
}

/** The same for several pieces of work that don't wait: the median of several turns, in which caches are as warm for all. */
export function cpuMsOf<Names extends string>(runs: Record<Names, () => unknown>): Record<Names, number> {
  const names = Object.keys(runs) as Names[];
  const times = Array.from({ length: turns }, () => names.map((name) => onceMs(runs[name])));
  const medians = names.map((name, index) => [
    name,
    times.map((turn) => turn[index] ?? 0).sort((a, b) => a - b)[turns >> 1],
  ]);
  return Object.fromEntries(medians);
}

/** Of the whole process, which the system counts exactly. That of a running thread it counts in steps of a few milliseconds. */
export function onceMs(run: () => unknown): number {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
