import type { Deps } from '../../deps.ts';

/** Why this node hands no text to a carrier now; null if it does. What is accepted meanwhile waits. */
export function haltOf({ databaseClock, signals }: Pick<Deps, 'databaseClock' | 'signals'>): string | null {
  const { archive, replies } = signals;
  // A text that waits in a restored database may have gone out before the restore.
  if (archive.restored) return archive.restored;
  // A person whose STOP can't get through must not get another text.
  if (replies.isBehind()) return 'people’s replies can’t be stored';
  return databaseClock.fault();
}
