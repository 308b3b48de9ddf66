import type { Deps } from '../../deps.ts';
import type { BroadcastRow } from '../../store/broadcasts/broadcasts.ts';
import { archive, type By } from '../archive/archive.ts';

type Facts = Pick<BroadcastRow, 'broadcastId' | 'groupId' | 'groupName' | 'text' | 'wordingVersion' | 'people'>;

/**
 * That a group is texted, or people are asked for their consent, by whom, and how that ended. Each text has an entry of its own, with
 * the broadcast's id.
 */
export async function archiveBroadcast(
  deps: Deps,
  by: By,
  action: 'started' | 'stopped' | 'completed',
  advisorId: number,
  { broadcastId, groupId, groupName, text, wordingVersion, people }: Facts,
): Promise<void> {
  const asks = wordingVersion === null ? {} : { asksForConsent: true, wordingVersion };
  const meta = { action, broadcastId, groupId, people, ...asks };
  const body = JSON.stringify({ broadcastId, groupName, text, people });
  const events = [{ advisorId, type: 'broadcast.changed', broadcastId } as const];
  await archive(deps, by, { advisorId, kind: 'broadcast', memberId: null, meta, body, events });
}
