import type { Db } from '../database/db.ts';
import { DatabaseTimeout } from '../database/errors.ts';
import { memberName } from '../members/members.ts';
import type { MessageStatus } from '../messages/messages.ts';
import { whatBecame } from '../texting/archived-outcomes.ts';
import type { WaitedFor } from '../texting/texts.ts';
import { firmOf, wordsIn } from './archive-index.ts';

/** The place of an entry in a list from the newest. */
export type EntryPlace = { dateTime: Date; advisorId: number; number: number };
/** From `from` up to but not including a place. */
export type SearchedPart = { firmId: number; from: Date | null; before: EntryPlace | null };
/** Words that must all occur, and filters: of each list of them, one. */
export type WordQuery = { words: string; filters: string[][] };
/** What a walk found, and where it ended; null if that was the end. */
type WalkResult = { found: EntryPlace[]; end: EntryPlace | null };
export type FoundEntry = EntryPlace & {
  kind: string;
  memberId: number | null;
  messageId: number | null;
  actor: string;
  actorName: string | null;
  /** Null if it is of the whole firm. */
  advisor: string | null;
  phone: string | null;
  name: string | null;
  meta: string;
  /** What became of a text that was to be sent, when it was handed over, and when it failed. */
  status: MessageStatus | null;
  isKept: boolean;
  handedOver: Date | null;
  ended: Date | null;
  waitedFor: WaitedFor | null;
  /** Null once it is no longer kept; of media, always, and of what is too long for a list. */
  body: string | null;
};

const query = `plainto_tsquery('simple', ${wordsIn('$5::text')}) && $6::tsquery`;
/** Newer than everything. */
const endOfTime = new Date(8.64e15);

function valuesOf({ firmId, from, before }: SearchedPart, { words, filters }: WordQuery): unknown[] {
  const filter = [[`=f${firmId}`], ...filters].map((any) => `(${any.map((each) => `'${each}'`).join(' | ')})`);
  const { dateTime, advisorId, number } = before ?? { dateTime: endOfTime, advisorId: 0, number: 0 };
  return [dateTime, advisorId, number, from ?? new Date(0), words, filter.join(' & ')];
}

/**
 * Reads the newest entries of the part, and no more than `entriesMax`. Finds a page of something common at once, where the index would find
 * and sort most of the archive. Spans advisors: it is about a firm's.
 */
export async function walkWords(
  db: Db,
  part: SearchedPart,
  words: WordQuery,
  { limit, entriesMax }: { limit: number; entriesMax: number },
): Promise<WalkResult> {
  const rows = await db.query<EntryPlace & { isFound: boolean }>(
    `with walked as materialized (
       select date_time_created, advisor_id, number, words
       from archive_words
       where firm_id = $7
         and (date_time_created, advisor_id, number) < ($1, $2, $3)
         and date_time_created >= $4
       order by date_time_created desc, advisor_id desc, number desc
       limit $8
     ),
     found as (
       select date_time_created, advisor_id, number, true as is_found
       from walked
       where words @@ (select ${query})
       order by date_time_created desc, advisor_id desc, number desc
       limit $9
     ),
     ending as (
       select date_time_created, advisor_id, number, false
       from walked
       offset $8 - 1
     )
     select date_time_created as "dateTime", advisor_id as "advisorId", number, is_found as "isFound"
     from (select * from found union all select * from ending) as part
     order by date_time_created desc, advisor_id desc, number desc`,
    [...valuesOf(part, words), part.firmId, entriesMax, limit],
    'walk-words',
  );
  const end = rows.find(({ isFound }) => !isFound) ?? null;
  return { found: rows.filter(({ isFound }) => isFound), end };
}

/**
 * The newest of the part, of all that the index finds; null if that is more than `foundMax`, because it would have to sort them, or takes
 * longer than `withinMs`. PostgreSQL doesn't see what is asked, so that it always uses the index of words and no other. Spans advisors: it
 * is about a firm's.
 */
export async function searchWords(
  db: Db,
  part: SearchedPart,
  words: WordQuery,
  { limit, foundMax, withinMs }: { limit: number; foundMax: number; withinMs: number },
): Promise<EntryPlace[] | null> {
  const rows = await withinOrNull(db, withinMs, (db) =>
    db.query<EntryPlace & { total: number }>(
      `with found as materialized (
         select date_time_created, advisor_id, number
         from archive_words
         where words @@ (select ${query})
         limit $8 + 1
       ),
       page as (
         select date_time_created as "dateTime", advisor_id as "advisorId", number
         from found
         where (date_time_created, advisor_id, number) < ($1, $2, $3) and date_time_created >= $4
         order by date_time_created desc, advisor_id desc, number desc
         limit $7
       )
       select totals.total, page.*
       from (select count(*) as total from found) as totals
       left join page on true
       order by "dateTime" desc, "advisorId" desc, number desc`,
      [...valuesOf(part, words), limit, foundMax],
      'search-words',
    ),
  );
  if (rows === null || (rows[0]?.total ?? 0) > foundMax) return null;
  return rows.filter(({ dateTime }) => dateTime !== null);
}

/** PostgreSQL ends the statement when its time is up. */
async function withinOrNull<Row>(db: Db, ms: number, query: (db: Db) => Promise<Row[]>): Promise<Row[] | null> {
  try {
    return await db.transaction(async (db) => {
      await db.write(`set local statement_timeout = ${ms}`);
      return query(db);
    });
  } catch (error) {
    if (error instanceof DatabaseTimeout) return null;
    throw error;
  }
}

/** As many bytes of an entry's body are read for a list, and characters of what somebody wrote. */
const [listedBytesMax, listedLengthMax] = [16 * 1024, 4_000];
const wholeBody = `case when e.kind <> 'media_in' then convert_from(b.body, 'UTF8') end`;
const listedBody = `case
    when e.kind = 'media_in' then null
    when octet_length(b.body) <= ${listedBytesMax} then convert_from(b.body, 'UTF8')
    when e.kind in ('text_in', 'text_out', 'review') then left(convert_from(b.body, 'UTF8'), ${listedLengthMax})
  end`;

const columnsWith = (body: string) => `
  e.date_time_created as "dateTime", e.advisor_id as "advisorId", e.number, e.kind, e.member_id as "memberId",
  e.message_id as "messageId", e.actor,
  coalesce(application.name, staff.name) as "actorName", a.name as advisor, m.phone, e.meta, became.status,
  became.handed_over as "handedOver", became.ended, t.waited_for as "waitedFor",
  e.kind <> 'media_in' and b.body is not null as "isKept", ${body} as body, ${memberName}`;
const joins = `
  left join advisors a on a.advisor_id = e.advisor_id
  left join archive_bodies b on b.advisor_id = e.advisor_id and b.number = e.number
  left join members m on m.advisor_id = e.advisor_id and m.member_id = e.member_id
  left join messages t on t.advisor_id = e.advisor_id and t.message_id = e.message_id and e.kind = 'text_out'
  ${whatBecame}
  left join applications application on e.actor = 'application:' || application.application_id
  left join staff on e.actor = 'staff:' || staff.staff_id`;

/** These entries, in the same order. Spans advisors: a search is about a firm's. */
export async function listFound(db: Db, places: EntryPlace[]): Promise<FoundEntry[]> {
  return db.query<FoundEntry>(
    `select ${columnsWith(listedBody)}
     from unnest($1::bigint[], $2::bigint[]) with ordinality as given (advisor_id, number, position)
     join archive_entries e on e.advisor_id = given.advisor_id and e.number = given.number
     ${joins}
     order by position`,
    [places.map(({ advisorId }) => advisorId), places.map(({ number }) => number)],
    'list-found-entries',
  );
}

/** An entry of the firm's, and the entries of the same person around it, oldest first; by itself if it is of no person. */
export async function listAround(
  db: Db,
  advisorId: number,
  { firmId, number, each }: { firmId: number; number: number; each: number },
): Promise<FoundEntry[]> {
  const side = (comparison: string, order: string) => `(
       select w.number
       from archive_words w
       where w.firm_id = $2
         and w.advisor_id = $1
         and w.words @@ (select ('''=a' || $1 || ''' & ''=m' || (select member_id from entry) || '''')::tsquery)
         and w.number ${comparison} $3
       order by w.number ${order}
       limit $4
     )`;
  return db.query<FoundEntry>(
    `with entry as materialized (
       select e.number, e.member_id
       from archive_entries e
       left join advisors a on a.advisor_id = e.advisor_id
       where e.advisor_id = $1 and e.number = $3 and ${firmOf} = $2
     ),
     numbers as materialized (
       select number from entry
       union
       ${side('<', 'desc')}
       union
       ${side('>', 'asc')}
     )
     select ${columnsWith(`case when e.number = $3 then ${wholeBody} else ${listedBody} end`)}
     from numbers
     join archive_entries e on e.advisor_id = $1 and e.number = numbers.number
     ${joins}
     where exists (select from entry)
     order by e.number`,
    [advisorId, firmId, number, each],
  );
}

/** Those who have this number, of all advisors of a firm. Spans advisors: it is about a firm's. */
export async function listMembersWith(db: Db, firmId: number, phone: string): Promise<number[]> {
  const rows = await db.query<{ memberId: number }>(
    `select m.member_id as "memberId"
     from advisors a
     join members m on m.advisor_id = a.advisor_id and m.phone = $2
     where a.firm_id = $1`,
    [firmId, phone],
    'list-members-with',
  );
  return rows.map(({ memberId }) => memberId);
}

export async function insertSavedSearch(
  db: Db,
  firmId: number,
  { staffId, search, now }: { staffId: number; search: object; now: Date },
): Promise<number> {
  const { searchId } = await db.one<{ searchId: number }>(
    `insert into saved_searches (firm_id, staff_id, search, date_time_created)
     values ($1, $2, $3, $4)
     returning search_id as "searchId"`,
    [firmId, staffId, JSON.stringify(search), now],
  );
  return searchId;
}

export async function findSavedSearch(db: Db, firmId: number, searchId: number): Promise<object | null> {
  return db.value<object>('select search from saved_searches where firm_id = $1 and search_id = $2', [
    firmId,
    searchId,
  ]);
}
