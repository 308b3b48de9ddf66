import { createHash } from 'node:crypto';
import type { Deps } from '../../deps.ts';
import { deleteOldest, type FeedTable, type KeptRange, listAdvisorsBefore } from '../../store/shared/feeds.ts';
import { invalid } from '../problems.ts';
import { inBatches } from './in-batches.ts';
import { dayMs, realTimeIn } from './time.ts';

/** A part of a feed; `more` says that the next one is there already. */
export type Feed<Item> = { data: Item[]; cursor: string; more: boolean };

/** Whose feed of what. A reader hands a cursor back to go on from there. */
export type FeedKey = { feed: 'events' | 'changes'; advisorId: number };

/** Real time. */
const keptDays = 30;
const checkLength = 8;

/** Opaque to its reader: what is in it may change. */
export function cursorAt({ feed, advisorId }: FeedKey, numbers: number[]): string {
  const text = [feed, advisorId, ...numbers].join(' ');
  return Buffer.from(`${text} ${checkOf(text)}`).toString('base64url');
}

/**
 * The numbers in a cursor of this feed. It grants nothing, since every reader sees only their own feed, so it needs no secret:
 * the check tells a cursor of ours from one that was cut, changed or made up.
 */
export function numbersIn(cursor: string, { feed, advisorId }: FeedKey): number[] {
  const decoded = Buffer.from(cursor, 'base64url').toString();
  const text = decoded.slice(0, -checkLength - 1);
  const [ofFeed, ofAdvisor, ...parts] = text.split(' ');
  const numbers = parts.map(Number);
  const isOurs = decoded === `${text} ${checkOf(text)}` && Buffer.from(decoded).toString('base64url') === cursor;
  if (!isOurs || ofFeed !== feed || ofAdvisor !== String(advisorId)) throw unknownCursor();
  // Anybody can compute the check.
  if (!numbers.every(Number.isSafeInteger)) throw unknownCursor();
  return numbers;
}

/** Throws unless everything after this number is kept. One that isn't given yet is from a database that was lost. */
export function requireKept(number: number, { first, last }: KeptRange): void {
  if (number > last) throw unknownCursor();
  if (number < first - 1)
    throw broken('kept', `cursor is older than what is kept, ${keptDays} days: start again without a cursor.`);
}

function unknownCursor() {
  return broken('known', 'cursor is not one that this feed gave for this advisor: leave it out to start again.');
}

function broken(rule: string, message: string) {
  return invalid([{ path: '/cursor', rule, message }]);
}

function checkOf(text: string): string {
  return createHash('sha256').update(`cursor ${text}`).digest('base64url').slice(0, checkLength);
}

export async function forgetOld(deps: Deps, table: FeedTable): Promise<void> {
  const before = realTimeIn(deps, -keptDays * dayMs);
  for (const advisorId of await listAdvisorsBefore(deps.db, table, before))
    await inBatches(deps, (limit) => deleteOldest(deps.db, advisorId, { table, before, limit }));
}
