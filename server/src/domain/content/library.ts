import { setTimeout as pause } from 'node:timers/promises';
import {
  type ContentChange,
  everyones,
  findLatestChange,
  type LatestChanges,
  listChosenContent,
  listContentChanges,
  listIndexedContent,
  listRankedContent,
  readSearch,
} from '../../store/content/content-index.ts';
import type { Db } from '../../store/database/db.ts';
import type { Library } from '../ports.ts';
import { ContentIndex, listMatches } from './content-index.ts';
import { formsOf, readQuery } from './word-queries.ts';

/** One owner's index, and how far it is. */
type Part = {
  ownerId: number;
  index: ContentIndex;
  /** The change that it is up to date with, once it is loaded; null before the first step. */
  at: ContentChange | null;
  /** The last url that was loaded; null once all are. */
  loadedTo: string | null;
  usedAtMs: number;
  /** Until then there is no room for it. */
  closedUntilMs: number;
  step: Promise<boolean> | null;
  isCatchingUp: boolean;
};

/** The words of about 200,000 items, which take some 120 MB. */
const sizeMaxDefault = 8_000_000;
/** What an owner without items counts as. */
const emptySize = 1_000;
/** An owner makes room for others after that long without a search, and one without room is tried again after that long. */
export const restMs = 30 * 60_000;
/** Items in one step of loading. A step takes 5 to 10 ms, and other requests get time between two of them. */
const loadMax = 100;
const pauseMs = 5;
/** Changes in one step. Each has up to a thousand items. */
const changesMax = 2;

/**
 * Keeps the words of owners whose advisors search, as long as there is room. Every search asks the database first for the
 * latest changes: it gets an answer from memory only if memory has them all, also those that other nodes made. Otherwise it
 * waits for one step, and if that isn't enough, PostgreSQL answers while the node catches up.
 */
export function makeLibrary(
  pool: Db,
  { sizeMax, now }: { sizeMax: number; now(): number } = { sizeMax: sizeMaxDefault, now: Date.now },
): Library {
  const parts = new Map<number, Part>();

  /** The part, as the most recently used one. */
  function partOf(ownerId: number): Part {
    const part = parts.get(ownerId) ?? newPart(ownerId);
    part.usedAtMs = now();
    parts.delete(ownerId);
    parts.set(ownerId, part);
    return part;
  }

  async function currentIndex(ownerId: number, changeId: string | null): Promise<ContentIndex | null> {
    const part = partOf(ownerId);
    if (now() < part.closedUntilMs) return null;
    if (!isCurrent(part, changeId)) await advance(part);
    if (isCurrent(part, changeId)) return part.index;
    if (now() >= part.closedUntilMs) void catchUp(part);
    return null;
  }

  /** Takes one step, or waits for the one that is under way. Returns whether there are more. */
  function advance(part: Part): Promise<boolean> {
    part.step ??= stepOf(part).finally(() => {
      part.step = null;
    });
    return part.step;
  }

  async function stepOf(part: Part): Promise<boolean> {
    const hasMore = part.loadedTo === null ? await follow(pool, part) : await load(pool, part);
    if (part.index.isWasteful) parts.delete(part.ownerId);
    makeRoomFor(part);
    return hasMore && now() >= part.closedUntilMs;
  }

  async function catchUp(part: Part): Promise<void> {
    if (part.isCatchingUp) return;
    part.isCatchingUp = true;
    try {
      while (parts.get(part.ownerId) === part && (await advance(part))) await pause(pauseMs, undefined, { ref: false });
    } catch {
      // The database doesn't answer. The next search tries again.
    } finally {
      part.isCatchingUp = false;
    }
  }

  function makeRoomFor(part: Part): void {
    let size = [...parts.values()].reduce((sum, { index }) => sum + emptySize + index.size, 0);
    for (const [ownerId, other] of parts) {
      // Every search needs everyone's items, so they get the room of a firm that is in use, too.
      const isResting = now() - other.usedAtMs >= restMs || part.ownerId === everyones;
      if (size <= sizeMax || !isResting) break;
      if (other === part) continue;
      parts.delete(ownerId);
      size -= emptySize + other.index.size;
    }
    if (size > sizeMax) Object.assign(part, { ...emptyPart(), closedUntilMs: now() + restMs });
  }

  return {
    async find(db, filter, search, { offset, limit, rankedMax }) {
      const { latest, read } = await readSearch(db, filter.firmId, formsOf(search));
      const query = readQuery(search, read);
      if (!query) return null;
      const [shared, own] = await Promise.all([
        currentIndex(everyones, latest.everyonesChangeId),
        currentIndex(filter.firmId, latest.firmsChangeId),
      ]);
      if (!shared || !own) return null;
      const isRanked = offset < rankedMax;
      const range = isRanked ? { offset: 0n, limit: rankedMax } : { offset, limit };
      const { total, contentIds } = listMatches([shared, own], query, { type: filter.type, ...range });
      if (contentIds.length === 0) return { total, items: [] };
      const rows = isRanked
        ? await listRankedContent(db, filter, search, { contentIds, offset, limit })
        : await listChosenContent(db, filter, contentIds);
      // If the library has changed meanwhile, these may be items that no longer match.
      if (!rows.every((row) => isSame(row, latest))) return null;
      return { total, items: rows.map(({ title, url }) => ({ title, url })) };
    },
  };
}

function newPart(ownerId: number): Part {
  return { ownerId, ...emptyPart(), usedAtMs: 0, closedUntilMs: 0, step: null, isCatchingUp: false };
}

function emptyPart(): Pick<Part, 'index' | 'at' | 'loadedTo'> {
  return { index: new ContentIndex(), at: null, loadedTo: '' };
}

function isCurrent({ at, loadedTo }: Part, changeId: string | null): boolean {
  return loadedTo === null && at?.changeId === changeId;
}

/** Items that change while the others are loaded are in a change after the first one known, so they are read again. */
async function load(db: Db, part: Part): Promise<boolean> {
  part.at ??= await findLatestChange(db, part.ownerId);
  const items = await listIndexedContent(db, part.ownerId, { after: part.loadedTo ?? '', limit: loadMax });
  part.index.apply(items);
  part.loadedTo = items.length === loadMax ? (items.at(-1)?.url ?? null) : null;
  return true;
}

async function follow(db: Db, part: Part): Promise<boolean> {
  const { version, changeId } = part.at ?? { version: 0, changeId: null };
  const { changes, items } = await listContentChanges(db, part.ownerId, { from: version, limit: changesMax + 1 });
  const [first] = changes;
  // Changes are only kept for a while. If the one that it stands at is gone, so are some that came after it.
  const isGone = version === 0 ? first !== undefined && first.version > 1 : first?.changeId !== changeId;
  if (isGone) {
    Object.assign(part, emptyPart());
    return true;
  }
  part.index.apply(items);
  const last = changes.at(-1);
  if (last) part.at = last;
  return changes.length > changesMax;
}

function isSame(one: LatestChanges, other: LatestChanges): boolean {
  return one.everyonesChangeId === other.everyonesChangeId && one.firmsChangeId === other.firmsChangeId;
}
