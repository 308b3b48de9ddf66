import { CallFailed, post } from '../api/http.ts';
import { newKey } from '../inbox/outbox.ts';

/** A start that was asked for and not answered. Its key makes sure that asking again can't text anybody twice. */
export type Start = { key: string; groupId: number; text: string; version: string };
export type StartResult = { broadcastId: number } | { refused: string } | { unanswered: true };

const storageKey = (groupId: number) => `broadcast-start-${groupId}`;

export function newStart(body: Omit<Start, 'key'>): Start {
  return { key: newKey(), ...body };
}

/** One that a page before this one left behind counts as unanswered, too. */
export function unanswered(groupId: number): Start | null {
  try {
    return JSON.parse(localStorage.getItem(storageKey(groupId)) ?? 'null');
  } catch {
    return null;
  }
}

export async function start({ key, ...body }: Start): Promise<StartResult> {
  localStorage.setItem(storageKey(body.groupId), JSON.stringify({ key, ...body }));
  try {
    const { broadcastId } = await post<{ broadcastId: number }>('/broadcasts', { body, idempotencyKey: key });
    localStorage.removeItem(storageKey(body.groupId));
    return { broadcastId };
  } catch (error) {
    // Nobody knows, or nothing was done: the same key finds out.
    if (!(error instanceof CallFailed) || error.retryable) return { unanswered: true };
    localStorage.removeItem(storageKey(body.groupId));
    return { refused: error.message };
  }
}
