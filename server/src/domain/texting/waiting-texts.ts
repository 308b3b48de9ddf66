import type { Deps } from '../../deps.ts';
import * as store from '../../store/texting/waiting-texts.ts';
import { dayMs } from '../shared/time.ts';
import type { Recipient } from './recipients.ts';

/**
 * A text that waits for the person's consent is a message outside the outbox, like a held one. Any move of their consent to
 * accepted or opted out ends the wait, in the same transaction; otherwise it lapses.
 */

/** How long a text waits, and how long a consent request that went out is not repeated for another text. */
const waitMs = dayMs;
/** At most this many texts wait for one person. */
export const waitingMax = 10;

/** Whether a text that was accepted then waits no longer. */
export function isLapsed({ dateTimeCreated }: { dateTimeCreated: Date }, now: Date): boolean {
  return dateTimeCreated <= waitsSince(now);
}

/** Whether a consent request went out so recently that a text waits for its answer. */
export function isAsked({ requestedAt }: Pick<Recipient, 'requestedAt'>, now: Date): boolean {
  return requestedAt !== null && requestedAt > waitsSince(now);
}

/** How many texts wait for each of these people, by member id; none for those who aren't in it. */
export async function countWaiting(deps: Deps, people: Recipient[]): Promise<Map<number, number>> {
  const rows = await store.countWaitingTexts(deps.db, people, waitsSince(deps.clock.now()));
  return new Map(rows.map(({ memberId, texts }) => [memberId, texts]));
}

/** The person is opted out: none of their texts waits any longer. Inside a transaction, with the member locked. */
export async function failWaitingTexts(deps: Deps, advisorId: number, memberId: number): Promise<void> {
  await store.failWaiting(deps.db, advisorId, memberId, { failureCode: 'opted_out', lapse: lapseAt(deps.clock.now()) });
}

/** Ends the waits that are over. True when there may be more of them. */
export async function lapseWaitingTexts({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<boolean> {
  return (await store.lapseWaiting(db, lapseAt(clock.now()))) === store.lapsedMax;
}

function lapseAt(now: Date): store.Lapse {
  return { acceptedUntil: waitsSince(now), failureCode: 'consent_lapsed', now };
}

/** What was accepted at this time or before has waited long enough. */
function waitsSince(now: Date): Date {
  return new Date(now.getTime() - waitMs);
}
