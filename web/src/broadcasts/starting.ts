import type { start as startBroadcast } from '../../../server/src/http/advisor/api/broadcasts.ts';
import { now } from '../api/clock.ts';
import { isInDoubt, post } from '../api/http.ts';
import type { AnswerOf, BodyOf } from '../api/types.ts';
import { newKey } from '../inbox/outbox.ts';

/** A start that was asked for and not answered. Its key makes sure that asking again within a day can't text anybody twice. */
export type Start = BodyOf<typeof startBroadcast> & { key: string; at: number };
type StartResult = AnswerOf<typeof startBroadcast> | { refused: string } | { unanswered: true };

const storageKey = (groupId: number) => `broadcast-start-${groupId}`;

export function newStart(body: Omit<Start, 'key' | 'at'>): Start {
  return { key: newKey(), at: now(), ...body };
}

/** One that a page before this one left behind counts as unanswered, too. */
export function unanswered(groupId: number): Start | null {
  try {
    return JSON.parse(localStorage.getItem(storageKey(groupId)) ?? 'null');
  } catch {
    return null;
  }
}

/** Somebody doesn't want to send it any more. */
export function forget(groupId: number): void {
  localStorage.removeItem(storageKey(groupId));
}

export async function start({ key, at, ...body }: Start): Promise<StartResult> {
  const isFirstTry = unanswered(body.groupId)?.key !== key;
  localStorage.setItem(storageKey(body.groupId), JSON.stringify({ key, at, ...body }));
  try {
    const { broadcastId } = await post<AnswerOf<typeof startBroadcast>>('/broadcasts', { body, idempotencyKey: key });
    forget(body.groupId);
    return { broadcastId };
  } catch (error) {
    // The same key finds out.
    if (isInDoubt(error, isFirstTry)) return { unanswered: true };
    forget(body.groupId);
    return { refused: (error as Error).message };
  }
}
