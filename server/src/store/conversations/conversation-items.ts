import type { ConsentState } from '../consent/consents.ts';
import type { Db } from '../database/db.ts';
import type { MessageStatus } from '../messages/messages.ts';
import type { HeldReason, TextKind } from '../texting/texts.ts';

/** The place of an item in a conversation: its time, and its number in the archive. */
export type ItemPlace = { dateTime: Date; archiveNumber: number };

/** A text, a reply or a change of consent. What its type doesn't have is null. */
export type ItemRow = ItemPlace & {
  type: 'text' | 'reply' | 'consent';
  /** Of the message or the reply. */
  id: number | null;
  actor: string;
  application: string | null;
  /** Null once it is no longer kept. */
  text: string | null;
  kind: TextKind | null;
  status: MessageStatus | null;
  failureCode: string | null;
  heldReason: HeldReason | null;
  deferredUntil: Date | null;
  segments: number | null;
  isPossibleOptOut: boolean;
  state: ConsentState | null;
  previousState: ConsentState | null;
  reason: string | null;
};

/** No reply is that long. */
const wholeText = 1_000_000;

const textsOf = (kind: string) => `(
  select
    'text' as type, t.message_id as id, t.archive_number, t.date_time_created, t.kind, t.status, t.failure_code,
    t.held_reason, d.deferred_until, t.segments
  from messages t
  left join dispatches d on d.advisor_id = t.advisor_id and d.message_id = t.message_id
  where t.advisor_id = $1 and t.member_id = $2 and t.kind ${kind}
    and ($3::timestamptz is null or (t.date_time_created, t.archive_number) < ($3, $4::bigint))
  order by t.date_time_created desc, t.archive_number desc
  limit $5
)`;
const repliesOf = `(
  select
    'reply', r.reply_id, r.archive_number, r.date_time_created, null, null, null, null, null, null
  from replies r
  where r.advisor_id = $1 and r.member_id = $2
    and ($3::timestamptz is null or (r.date_time_created, r.archive_number) < ($3, $4::bigint))
  order by r.date_time_created desc, r.archive_number desc
  limit $5
)`;
const consentsOf = `(
  select
    'consent', null, e.number, e.date_time_created, null, null, null, null, null, null
  from archive_entries e
  where e.advisor_id = $1 and e.member_id = $2 and e.kind = 'consent'
    and ($3::timestamptz is null or (e.date_time_created, e.number) < ($3, $4::bigint))
  order by e.number desc
  limit $5
)`;

/** What was said and agreed with a member, the latest first, after a place. */
export async function listItems(
  db: Db,
  advisorId: number,
  memberId: number,
  { after, limit, lengthMax = wholeText }: { after: ItemPlace | null; limit: number; lengthMax?: number },
): Promise<ItemRow[]> {
  return db.query<ItemRow>(
    `select
       item.type, item.id, item.archive_number as "archiveNumber", item.date_time_created as "dateTime", e.actor,
       application.name as application, left(convert_from(b.body, 'UTF8'), $6) as text, item.kind, item.status,
       item.failure_code as "failureCode", item.held_reason as "heldReason", item.deferred_until as "deferredUntil",
       item.segments,
       item.archive_number in (
         select r.archive_number
         from reviews r
         where r.advisor_id = $1 and r.member_id = $2 and r.kind = 'possible_opt_out'
       ) as "isPossibleOptOut",
       case when item.type = 'consent' then e.meta::json ->> 'to' end as state,
       case when item.type = 'consent' then e.meta::json ->> 'from' end as "previousState",
       case when item.type = 'consent' then e.meta::json ->> 'reason' end as reason
     from (
       select *
       from (${[textsOf(`= 'text'`), textsOf(`<> 'text'`), repliesOf, consentsOf].join(' union all ')}) as found
       order by date_time_created desc, archive_number desc
       limit $5
     ) as item
     join archive_entries e on e.advisor_id = $1 and e.number = item.archive_number
     left join archive_bodies b on b.advisor_id = $1 and b.number = item.archive_number and item.type <> 'consent'
     left join applications application on e.actor = 'application:' || application.application_id
     order by item.date_time_created desc, item.archive_number desc`,
    [advisorId, memberId, after?.dateTime ?? null, after?.archiveNumber ?? null, limit, lengthMax],
    'list-conversation-items',
  );
}

export type FoundText = {
  /** Of the message or the reply; null if there is none any more. */
  id: number | null;
  memberId: number;
  phone: string;
  name: string | null;
  direction: 'in' | 'out';
  text: string;
  dateTime: Date;
};

/** Of each word: what looking for it takes grows with its length times the text's. */
const wordLengthMax = 40;

/**
 * Texts and replies with these words, the latest first. The archive is read from its end until there are enough, or all of it: an
 * advisor's texts are few enough. PostgreSQL takes any word for a rare one, and would always read and sort all of it; the subquery keeps
 * it from guessing. `like` took five seconds for ten thousand texts of nothing but the letter that a long word begins with.
 */
export async function searchTexts(
  db: Db,
  advisorId: number,
  { words, limit }: { words: string[]; limit: number },
): Promise<FoundText[]> {
  return db.query(
    `select
       case found.kind
         when 'text_out' then found.message_id
         else (
           select reply_id
           from replies
           where advisor_id = $1 and member_id = found.member_id and archive_number = found.number
         )
       end as id,
       found.member_id as "memberId", m.phone, contact.name,
       case found.kind when 'text_in' then 'in' else 'out' end as direction, found.text,
       found.date_time_created as "dateTime"
     from (
       select *
       from (
         select e.number, e.member_id, e.message_id, e.kind, e.date_time_created, convert_from(b.body, 'UTF8') as text
         from archive_entries e
         join archive_bodies b on b.advisor_id = e.advisor_id and b.number = e.number
         where e.advisor_id = $1 and e.member_id is not null and e.kind in ('text_out', 'text_in')
         order by e.number desc
         offset 0
       ) as texts
       where 0 <> all (select strpos(lower(text), lower(left(word, $4))) from unnest($2::text[]) as word)
       limit $3
     ) as found
     join members m on m.advisor_id = $1 and m.member_id = found.member_id
     left join lateral (
       select nullif(full_name, phone) as name
       from contacts
       where advisor_id = $1 and phone = m.phone
       order by contact_id
       limit 1
     ) as contact on true
     order by found.number desc`,
    [advisorId, words, limit, wordLengthMax],
    'search-texts',
  );
}

/** What came with replies, by the reply's entry: where its bytes are, once they have been fetched. */
export async function listConversationMedia(db: Db, advisorId: number, replyNumbers: number[]) {
  return db.query<{
    replyNumber: number;
    place: number;
    contentType: string;
    mediaNumber: number | null;
    size: number;
  }>(
    `select
       reply_number as "replyNumber", place, content_type as "contentType", media_number as "mediaNumber", size
     from reply_media
     where advisor_id = $1 and reply_number = any ($2::bigint[])
     order by reply_number, place`,
    [advisorId, replyNumbers],
    'list-conversation-media',
  );
}

/** The bytes of what came with a reply; null if there are none, or no longer. */
export async function findMediaBytes(
  db: Db,
  advisorId: number,
  { replyNumber, place, memberId }: { replyNumber: number; place: number; memberId?: number },
): Promise<Buffer | null> {
  return db.value<Buffer>(
    `select b.body
     from reply_media r
     join archive_bodies b on b.advisor_id = r.advisor_id and b.number = r.media_number
     join archive_entries e on e.advisor_id = r.advisor_id and e.number = r.reply_number
     where r.advisor_id = $1 and r.reply_number = $2 and r.place = $3::bigint and r.size > 0
       and ($4::bigint is null or e.member_id = $4)`,
    [advisorId, replyNumber, place, memberId ?? null],
    'find-media-bytes',
  );
}
