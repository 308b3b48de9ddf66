import type { Signals } from '../shared/signals.ts';

/** Why this node hands no text to a carrier now; null if it does. What is accepted meanwhile waits. */
export function haltOf({ archive, replies }: Pick<Signals, 'archive' | 'replies'>): string | null {
  // A text that waits in a restored database may have gone out before the restore.
  if (archive.restored) return archive.restored;
  // A person whose STOP can't get through must not get another text.
  return replies.isBehind() ? 'people’s replies can’t be stored' : null;
}
