import { type Leftover, listLeftovers, removeLeftover } from '../../runtime.ts';
import type { Call, Verb } from '../verb.ts';

export const cleanVerbs: Verb[] = [
  {
    name: 'sandbox clean',
    about:
      'List the files in /var/lib/assent that PostgreSQL left behind: earlier versions put them there if root started a sandbox in a folder that others can’t enter.',
    operands: [],
    options: { yes: { about: 'Remove those whose data folder is gone.' } },
    offline: true,
    run: async (call) => clean(call),
  },
];

/** Also of another place than the machine's, for tests. */
export function clean({ switches, out }: Pick<Call, 'switches' | 'out'>, home?: string): void {
  const leftovers = listLeftovers(home);
  const removed = switches.has('yes') ? leftovers.filter(({ dataDir }) => dataDir !== null) : [];
  for (const each of removed) removeLeftover(each);
  out.records(leftovers.map((each) => recordOf(each, removed.includes(each))));
  const unknown = leftovers.filter(({ dataDir }) => dataDir === null);
  if (leftovers.length > unknown.length && removed.length === 0)
    out.note('Nothing was removed. With --yes, those whose data folder is gone are.');
  if (unknown.length > 0)
    out.note(
      'Earlier versions didn’t note the data folder. If you know that a sandbox is gone, delete its folder yourself.',
    );
}

function recordOf({ path, bytes, dataDir }: Leftover, removed: boolean) {
  return { path, megabytes: Math.ceil(bytes / 1e6), dataFolder: dataDir ? `${dataDir} (gone)` : 'unknown', removed };
}
