import { columnsOf } from '../database/columns.ts';
import type { Db, Due } from '../database/db.ts';
import { takeDue } from '../database/for-advisors.ts';

/** Media of a reply: the reply's entry, and the place in it, from 1. */
export type MediaKey = { advisorId: number; replyNumber: number; place: number };
type NewMedia = { url: string; contentType: string };
/** Media to fetch, with the facts of the reply that it came with. */
export type ClaimedMedia = MediaKey &
  NewMedia & {
    memberId: number | null;
    carrierId: number;
    failures: number;
    /** Real time. */
    dateTimeCreated: Date;
    replyMeta: string;
  };
/** Media as it is archived. Without an entry it is still to be fetched. */
export type MediaRow = {
  place: number;
  contentType: string;
  mediaNumber: number | null;
  meta: string | null;
  isKept: boolean;
};

export async function insertReplyMedia(
  db: Db,
  advisorId: number,
  of: { memberId: number | null; replyNumber: number; carrierId: number },
  media: NewMedia[],
  realNow: Date,
): Promise<void> {
  await db.query(
    `insert into reply_media (
       advisor_id, reply_number, place, member_id, carrier_id, url, content_type, not_before, date_time_created
     )
     select $1, $2, place, $3, $4, url, content_type, $7, $7
     from unnest($5::text[], $6::text[]) with ordinality as given (url, content_type, place)`,
    [advisorId, of.replyNumber, of.memberId, of.carrierId, ...columnsOf(media, 'url', 'contentType'), realNow],
    'insert-reply-media',
  );
}

/** Claims what is due, a few of each carrier, so that a slow one doesn't hold up the others. Nobody else has it `until` then. Spans advisors: its job works for all of them. */
export async function claimReplyMedia(
  db: Db,
  { realNow, until, eachMax }: { realNow: Date; until: Date; eachMax: number },
): Promise<ClaimedMedia[]> {
  const due: Due = ['select from reply_media where not_before <= $1 limit 1', [realNow], 'has-reply-media'];
  const { rows } = await takeDue(db, due, (db) =>
    db.query<ClaimedMedia>(
      `update reply_media m
     set not_before = $2
     from (
       select due.*
       from (select distinct carrier_id from reply_media where not_before <= $1) as c
       cross join lateral (
         select advisor_id, reply_number, place
         from reply_media
         where carrier_id = c.carrier_id and not_before <= $1
         order by not_before
         limit $3
         for update skip locked
       ) as due
     ) as claimed
     join archive_entries e on e.advisor_id = claimed.advisor_id and e.number = claimed.reply_number
     where m.advisor_id = claimed.advisor_id and m.reply_number = claimed.reply_number and m.place = claimed.place
     returning
       m.advisor_id as "advisorId", m.reply_number as "replyNumber", m.place, m.url, m.content_type as "contentType",
       m.member_id as "memberId", m.carrier_id as "carrierId", m.failures, m.date_time_created as "dateTimeCreated",
       e.meta as "replyMeta"`,
      [realNow, until, eachMax],
      'claim-reply-media',
    ),
  );
  return rows;
}

/** Locks a reply's media; null if this one has its entry already. Otherwise the bytes of the others. */
export async function lockReplyMedia(db: Db, { advisorId, replyNumber, place }: MediaKey): Promise<number | null> {
  const rows = await db.query<{ place: number; size: number; isSettled: boolean }>(
    `select place, size, media_number is not null as "isSettled"
     from reply_media
     where advisor_id = $1 and reply_number = $2
     order by place
     for no key update`,
    [advisorId, replyNumber],
  );
  if (rows.find((row) => row.place === place)?.isSettled !== false) return null;
  return rows.reduce((bytes, { size }) => bytes + size, 0);
}

export async function updateSettledMedia(
  db: Db,
  { advisorId, replyNumber, place }: MediaKey,
  { mediaNumber, size }: { mediaNumber: number; size: number },
): Promise<void> {
  await db.query(
    `update reply_media
     set media_number = $4, size = $5, url = null, not_before = null
     where advisor_id = $1 and reply_number = $2 and place = $3`,
    [advisorId, replyNumber, place, mediaNumber, size],
  );
}

/** Tries again later, unless somebody else has settled it. */
export async function updateFailedMedia(
  db: Db,
  { advisorId, replyNumber, place }: MediaKey,
  { failures, again }: { failures: number; again: Date },
): Promise<void> {
  await db.query(
    `update reply_media
     set failures = $4, not_before = $5
     where advisor_id = $1 and reply_number = $2 and place = $3 and not_before is not null`,
    [advisorId, replyNumber, place, failures, again],
  );
}

/** What came with a reply, in its order. */
export async function listReplyMedia(db: Db, advisorId: number, replyNumber: number): Promise<MediaRow[]> {
  return db.query<MediaRow>(
    `select m.place, m.content_type as "contentType", m.media_number as "mediaNumber", e.meta,
       b.number is not null as "isKept"
     from reply_media m
     left join archive_entries e on e.advisor_id = m.advisor_id and e.number = m.media_number
     left join archive_bodies b on b.advisor_id = m.advisor_id and b.number = m.media_number
     where m.advisor_id = $1 and m.reply_number = $2
     order by m.place`,
    [advisorId, replyNumber],
  );
}
