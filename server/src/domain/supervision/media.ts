import type { Deps } from '../../deps.ts';
import { findBody } from '../../store/archive/archive-tree.ts';
import { listReplyMedia, type MediaRow } from '../../store/consent/reply-media.ts';

/** A picture or the like that came with a reply, as reviewers see it. The bytes are for a file only, never for a page. */
export type ReplyMedia = {
  place: number;
  contentType: string;
  /** Null unless it was fetched. */
  size: number | null;
  state: 'waiting' | 'kept' | 'not_fetched' | 'disposed';
  /** Why it couldn't be fetched. */
  why: string | null;
  archiveNumber: number | null;
};

/** What came with a reply, in its order. */
export async function listMedia({ db }: Deps, advisorId: number, archiveNumber: number): Promise<ReplyMedia[]> {
  return (await listReplyMedia(db, advisorId, archiveNumber)).map(mediaOf);
}

/** Null if it isn't kept any more. */
export async function readMedia(
  { db }: Deps,
  advisorId: number,
  { state, archiveNumber }: ReplyMedia,
): Promise<Buffer | null> {
  return state === 'kept' && archiveNumber !== null ? findBody(db, advisorId, archiveNumber) : null;
}

function mediaOf({ place, contentType, mediaNumber: archiveNumber, meta, isKept }: MediaRow): ReplyMedia {
  const { size = null, notFetched: why = null, contentType: type = contentType } = JSON.parse(meta ?? '{}');
  const kept = isKept ? 'kept' : 'disposed';
  const settled = why === null ? kept : 'not_fetched';
  return { place, contentType: type, size, state: archiveNumber === null ? 'waiting' : settled, why, archiveNumber };
}
