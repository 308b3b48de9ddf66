import type { Deps } from '../../deps.ts';
import { listReplyMedia, type MediaRow } from '../../store/consent/reply-media.ts';

/** A picture or the like that came with a reply, as reviewers see it. */
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

function mediaOf({ place, contentType, mediaNumber: archiveNumber, meta, isKept }: MediaRow): ReplyMedia {
  const { size = null, notFetched: why = null, contentType: type = contentType } = JSON.parse(meta ?? '{}');
  const kept = isKept ? 'kept' : 'disposed';
  const settled = why === null ? kept : 'not_fetched';
  return { place, contentType: type, size, state: archiveNumber === null ? 'waiting' : settled, why, archiveNumber };
}
