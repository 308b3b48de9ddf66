const turns = 9;

/** The CPU that each of them takes, in milliseconds: the median of several turns, in which the machine is equally busy for all. */
export function cpuMsOf<Names extends string>(runs: Record<Names, () => unknown>): Record<Names, number> {
  const names = Object.keys(runs) as Names[];
  const times = Array.from({ length: turns }, () => names.map((name) => onceMs(runs[name])));
  const medians = names.map((name, index) => [
    name,
    times.map((turn) => turn[index] ?? 0).sort((a, b) => a - b)[turns >> 1],
  ]);
  return Object.fromEntries(medians);
}

function onceMs(run: () => unknown): number {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
