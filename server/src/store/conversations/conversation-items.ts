import type { ConsentState } from '../consent/consents.ts';
import type { Db } from '../database/db.ts';
import type { MessageStatus } from '../messages/messages.ts';
import { whatBecame } from '../texting/archived-outcomes.ts';
import type { HeldReason, TextKind, WaitedFor } from '../texting/texts.ts';

/**
 * The place of an item in a conversation: when it was said or agreed, and its number in the archive. A text stands where it was handed over,
 * or failed; until then after everything else, at `endOfTime`. Of one moment, texts come last: what lets one go comes before it.
 */
export type ItemPlace = { dateTime: Date; isText: number; archiveNumber: number };

export const endOfTime = new Date(8.64e15);

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
  written: Date;
  handedOver: Date | null;
  ended: Date | null;
  waitedFor: WaitedFor | null;
  isPossibleOptOut: boolean;
  state: ConsentState | null;
  previousState: ConsentState | null;
  reason: string | null;
};

/** No reply is that long. */
const wholeText = 1_000_000;

/** SQL for where a text stands; $6 is the end of time. */
const place = 'coalesce(became.handed_over, became.ended, $6::timestamptz)';
const isBefore = (at: string, isText: 0 | 1, number: string) =>
  `($3::timestamptz is null or (${at}, ${isText}, ${number}) < ($3, $7::integer, $4::bigint))`;
/**
 * A message whose entry is another's is nobody's: its text may be to somebody else. Entries are looked up one by one: as a join,
 * PostgreSQL reads all of a person's texts for a page of them.
 */
const textsWhere = (condition: string, order: string) => `(
  select
    'text' as type, t.message_id as id, t.archive_number, ${place} as at, 1 as is_text, t.kind, became.status,
    became.failure_code, t.held_reason, d.deferred_until, t.segments, e.date_time_created as written, became.handed_over,
    became.ended, t.waited_for
  from messages t
  cross join lateral (
    select *
    from archive_entries
    where advisor_id = t.advisor_id and number = t.archive_number and message_id = t.message_id and member_id = t.member_id
    limit 1
  ) as e
  ${whatBecame}
  left join dispatches d on d.advisor_id = t.advisor_id and d.message_id = t.message_id
  where t.advisor_id = $1 and t.member_id = $2 and ${condition} and ${isBefore(place, 1, 't.archive_number')}
  order by ${order} desc, t.archive_number desc
  limit $5
)`;
/**
 * Those that went within a minute of being written are found by that, in the order of an index: among twice as many as are asked for are
 * those that stand last. Those that went later have an index of their own.
 */
const promptTexts = (kind: string) =>
  textsWhere(
    `t.kind ${kind} and t.late_at is null and ($3::timestamptz is null or t.date_time_created < $3 + interval '1 minute')`,
    't.date_time_created',
  ).replace('limit $5', 'limit 2 * $5');
const lateTexts = textsWhere('t.late_at is not null', 't.late_at');
const nothingOfTexts = 'null, null, null, null, null, null';
const repliesOf = `(
  select
    'reply', r.reply_id, r.archive_number, r.date_time_created, 0, ${nothingOfTexts}, r.date_time_created, null, null, null
  from replies r
  where r.advisor_id = $1 and r.member_id = $2 and ${isBefore('r.date_time_created', 0, 'r.archive_number')}
  order by r.date_time_created desc, r.archive_number desc
  limit $5
)`;
const consentsOf = `(
  select
    'consent', null, e.number, e.date_time_created, 0, ${nothingOfTexts}, e.date_time_created, null, null, null
  from archive_entries e
  where e.advisor_id = $1 and e.member_id = $2 and e.kind = 'consent' and ${isBefore('e.date_time_created', 0, 'e.number')}
  order by e.number desc
  limit $5
)`;
const sources = [promptTexts(`= 'text'`), promptTexts(`<> 'text'`), lateTexts, repliesOf, consentsOf];

/** What was said and agreed with a member, the latest first, after a place. */
export async function listItems(
  db: Db,
  advisorId: number,
  memberId: number,
  { after, limit, lengthMax = wholeText }: { after: ItemPlace | null; limit: number; lengthMax?: number },
): Promise<ItemRow[]> {
  return db.query<ItemRow>(
    `select
       item.type, item.id, item.archive_number as "archiveNumber", item.at as "dateTime", item.is_text as "isText", e.actor,
       application.name as application, left(convert_from(b.body, 'UTF8'), $8) as text, item.kind, item.status,
       item.failure_code as "failureCode", item.held_reason as "heldReason", item.deferred_until as "deferredUntil",
       item.segments, item.written, item.handed_over as "handedOver", item.ended,
       item.waited_for as "waitedFor",
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
       from (${sources.join(' union all ')}) as found
       order by at desc, is_text desc, archive_number desc
       limit $5
     ) as item
     join archive_entries e on e.advisor_id = $1 and e.number = item.archive_number
     left join archive_bodies b on b.advisor_id = $1 and b.number = item.archive_number and item.type <> 'consent'
     left join applications application on e.actor = 'application:' || application.application_id
     order by item.at desc, item.is_text desc, item.archive_number desc`,
    [
      ...[advisorId, memberId, after?.dateTime ?? null, after?.archiveNumber ?? null, limit],
      ...[endOfTime, after?.isText ?? null, lengthMax],
    ],
    'list-conversation-items',
  );
}

/** Where the item of an entry stands; null if there is none. */
export async function findItemPlace(db: Db, advisorId: number, archiveNumber: number): Promise<ItemPlace | null> {
  return db.find<ItemPlace>(
    `select
       case
         when e.kind <> 'text_out' then e.date_time_created
         else coalesce(became.handed_over, became.ended, $3)
       end as "dateTime",
       (e.kind = 'text_out')::integer as "isText", e.number as "archiveNumber"
     from archive_entries e
     left join messages t on t.advisor_id = e.advisor_id and t.message_id = e.message_id and e.kind = 'text_out'
     ${whatBecame}
     where e.advisor_id = $1 and e.number = $2`,
    [advisorId, archiveNumber, endOfTime],
    'find-item-place',
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
