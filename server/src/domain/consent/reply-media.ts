import { type Deps, inTransaction } from '../../deps.ts';
import type { ClaimedMedia, MediaKey } from '../../store/consent/reply-media.ts';
import * as store from '../../store/consent/reply-media.ts';
import { archive, byService } from '../archive/archive.ts';
import { type FetchedMedia, type IncomingMedia, MediaRefused } from '../ports.ts';
import { endOf } from '../shared/signals.ts';
import { dayMs } from '../shared/time.ts';

/** Pictures and the like that come with replies. We only send text, but what a person sent is kept. */

export type { MediaKey } from '../../store/consent/reply-media.ts';

const mediaMax = 10;
const replyBytesMax = 10 * 1024 * 1024;
const urlShownMax = 500;
const eachMax = 4;
/** Longer than fetching can take. */
const leaseMs = 2 * 60 * 1000;
const pauseMs = 15_000;
const pauseMsMax = 3 * 60 * 60 * 1000;
/** Then it is given up. */
const triedMs = dayMs;

/** What the reply's own entry says about them: how large if the carrier told, and where, without what may be secret. */
export function mediaFacts(media: IncomingMedia[]): object {
  if (media.length === 0) return {};
  const kept = media.slice(0, mediaMax).map(({ url, contentType, size }) => ({
    contentType: plainType(contentType),
    ...(size === undefined ? {} : { size }),
    ...addressOf(url),
  }));
  const leftOut = media.length - kept.length;
  return { media: kept, ...(leftOut > 0 ? { mediaLeftOut: leftOut } : {}) };
}

/** In the transaction of the reply: from then on they will be fetched, or recorded as not to be had. */
export async function keepMedia(
  { db, databaseClock }: Deps,
  advisorId: number,
  of: { memberId: number | null; replyNumber: number; carrierId: number },
  media: IncomingMedia[],
): Promise<void> {
  if (media.length === 0) return;
  const kept = media.slice(0, mediaMax).map(({ url, contentType }) => ({
    // An empty one is refused as no address when its turn comes.
    url: URL.parse(url)?.href ?? '',
    contentType: plainType(contentType),
  }));
  await store.insertReplyMedia(db, advisorId, of, kept, databaseClock.now());
}

/** Fetches what is due from the carriers that brought it, each into an entry of its own, and once. */
export async function fetchDueMedia(deps: Deps, report: (key: MediaKey, why: string) => void): Promise<void> {
  const realNow = deps.databaseClock.now();
  const claim = { realNow, until: new Date(realNow.getTime() + leaseMs), eachMax };
  const claimed = await store.claimReplyMedia(deps.db, claim);
  await Promise.all(claimed.map((media) => fetchOne(deps, media, report)));
}

/** Bytes, or why there are none and whether there may be some later. */
type MediaFetch = FetchedMedia | { why: string; isFinal: boolean };

async function fetchOne(deps: Deps, media: ClaimedMedia, report: (key: MediaKey, why: string) => void): Promise<void> {
  const { failures, dateTimeCreated } = media;
  const end = endOf(deps.signals);
  const outcome = await fetchFrom(deps, media, end);
  const now = deps.databaseClock.now().getTime();
  // Whoever runs it next goes on.
  if (end.aborted) return store.updateFailedMedia(deps.db, media, { failures, again: new Date(now) });
  if (!('why' in outcome)) return settle(deps, media, outcome);
  const pause = Math.min(pauseMs * 2 ** failures, pauseMsMax);
  if (!outcome.isFinal && now + pause < dateTimeCreated.getTime() + triedMs)
    return store.updateFailedMedia(deps.db, media, { failures: failures + 1, again: new Date(now + pause) });
  await settle(deps, media, { notFetched: outcome.why });
  report(media, outcome.why);
}

async function fetchFrom(
  { carriers }: Deps,
  { carrierId, url, contentType }: ClaimedMedia,
  until: AbortSignal,
): Promise<MediaFetch> {
  const carrier = carriers.find(carrierId)?.carrier;
  if (!carrier) return { why: 'The carrier that brought it is not open.', isFinal: false };
  if (!carrier.fetchMedia) return { why: 'The carrier that brought it can’t fetch media.', isFinal: true };
  try {
    return await carrier.fetchMedia({ url, contentType }, until);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { why, isFinal: error instanceof MediaRefused };
  }
}

/** Writes the entry, unless another node has: the reply's media are locked until then. */
async function settle(deps: Deps, media: ClaimedMedia, fetched: FetchedMedia | { notFetched: string }): Promise<void> {
  const { advisorId, memberId, replyNumber, place } = media;
  await inTransaction(deps, async (deps) => {
    const others = await store.lockReplyMedia(deps.db, media);
    if (others === null) return;
    const bytes = 'bytes' in fetched && others + fetched.bytes.length <= replyBytesMax ? fetched.bytes : null;
    const meta = { ...factsOf(media), ...(bytes ? keptFacts(media, fetched as FetchedMedia) : lostFacts(fetched)) };
    const body = bytes ?? '';
    const entry = { advisorId, kind: 'media_in', memberId, meta, body } as const;
    const mediaNumber = await archive(deps, byService, entry);
    await store.updateSettledMedia(deps.db, { advisorId, replyNumber, place }, { mediaNumber, size: body.length });
  });
}

function factsOf({ replyMeta, replyNumber, place, contentType }: ClaimedMedia) {
  const { from, to, misdirected } = JSON.parse(replyMeta);
  return { from, to, ...(misdirected ? { misdirected } : {}), reply: replyNumber, place, contentType };
}

/** A carrier may send another type than it told. Both are kept, and nobody trusts either. */
function keptFacts({ contentType: told }: ClaimedMedia, { contentType, bytes }: FetchedMedia) {
  const type = plainType(contentType);
  return { contentType: type, size: bytes.length, ...(type === told ? {} : { told }) };
}

function lostFacts(fetched: FetchedMedia | { notFetched: string }) {
  const tooMuch = `More than ${replyBytesMax / 1024 / 1024} MiB came with this text.`;
  return { notFetched: 'notFetched' in fetched ? fetched.notFetched : tooMuch };
}

/** Only type and subtype: whatever else it says could mislead who reads it. */
function plainType(contentType: string): string {
  const [type] = /^[a-z0-9.+-]{1,60}\/[a-z0-9.+-]{1,60}(?=\s*(;|$))/.exec(contentType.trim().toLowerCase()) ?? [];
  return type ?? 'application/octet-stream';
}

/** A query may be a signature, and user and password are secrets. */
function addressOf(url: string): { url?: string } {
  const parsed = URL.parse(url);
  return parsed ? { url: `${parsed.protocol}//${parsed.host}${parsed.pathname}`.slice(0, urlShownMax) } : {};
}
