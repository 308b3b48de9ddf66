import { lastConsentEntry, provenState } from '../consent/consents.ts';
import type { Db } from '../database/db.ts';

/** Where a page of a table ends: the advisor, and the member, the message or the number of the entry. */
export type Place = { advisorId: number; id: number };
/** The rows after one place, up to and including another; null for all the rest. */
export type Page = { after: Place; upTo: Place | null };
/** Something that the tables and the entries disagree about. */
export type Difference = { advisorId: number; number: number | null; id: number; what: string };

const keys = {
  members: 'member_id',
  messages: 'message_id',
  archive_entries: 'number',
  reply_media: 'reply_number',
} as const;

/**
 * The end of a page with that many rows; null if there are no more than that. Spans advisors: a verification looks at
 * everything.
 */
export async function findPageEnd(db: Db, table: keyof typeof keys, after: Place, rows: number): Promise<Place | null> {
  const [end] = await db.query<Place>(
    `select advisor_id as "advisorId", ${keys[table]} as id
     from ${table}
     where (advisor_id, ${keys[table]}) > ($1, $2)
     order by advisor_id, ${keys[table]}
     offset $3
     limit 1`,
    [after.advisorId, after.id, rows - 1],
  );
  return end ?? null;
}

/** SQL for the rows of a page, whose bounds are the first four parameters. */
export const onPage = (key: string) => `(${key}) > ($1::bigint, $2::bigint) and (${key}) <= ($3::bigint, $4::bigint)`;
const beyondAll = '9223372036854775807';

export function boundsOf({ after, upTo }: Page): (number | string)[] {
  return [after.advisorId, after.id, upTo?.advisorId ?? beyondAll, upTo?.id ?? beyondAll];
}

/** Members whose consent is not what their last consent entry says. Spans advisors: a verification looks at everything. */
export async function listUnprovenMembers(db: Db, page: Page, limit: number): Promise<Difference[]> {
  return db.query<Difference>(
    `select m.advisor_id as "advisorId", entry.number, m.member_id as id,
       case when entry.number is null then 'added' when entry.state = m.state then 'phone' else 'state' end as what
     from members m
     ${lastConsentEntry}
     where ${onPage('m.advisor_id, m.member_id')} and m.state is distinct from ${provenState}
     limit $5`,
    [...boundsOf(page), limit],
  );
}

/**
 * Consent entries that don't continue where the member's one before ended, or whose member is not in the table. Spans advisors:
 * a verification looks at everything.
 */
export async function listBrokenConsents(db: Db, page: Page, limit: number): Promise<Difference[]> {
  return db.query<Difference>(
    `select e.advisor_id as "advisorId", e.number, e.member_id as id,
       case when m.found is null then 'removed' else 'from' end as what
     from archive_entries e
     left join lateral (
       select meta::json ->> 'to' as state
       from archive_entries
       where advisor_id = e.advisor_id and member_id = e.member_id and kind = 'consent' and number < e.number
       order by number desc
       limit 1
     ) as before on true
     left join lateral (
       select true as found
       from members
       where advisor_id = e.advisor_id and member_id = e.member_id
     ) as m on true
     where ${onPage('e.advisor_id, e.member_id')}
       and e.kind = 'consent'
       and (m.found is null or e.meta::json ->> 'from' is distinct from coalesce(before.state, 'none'))
     limit $5`,
    [...boundsOf(page), limit],
  );
}

/**
 * Entries of texts that went out without a message, or with one that says something else. Spans advisors: a verification looks
 * at everything.
 */
export async function listUnmatchedTexts(db: Db, page: Page, limit: number): Promise<Difference[]> {
  return db.query<Difference>(
    `select e.advisor_id as "advisorId", e.number, e.message_id as id,
       case
         when t.member_id is null then 'removed'
         when t.archive_number <> e.number then 'entry'
         when t.member_id is distinct from e.member_id or m.phone is distinct from facts."to" then 'recipient'
         when t.kind is distinct from facts.kind then 'kind'
         else 'time'
       end as what
     from archive_entries e
     cross join lateral json_to_record(e.meta::json) as facts (kind text, "to" text)
     left join lateral (
       select member_id, kind, archive_number, date_time_created
       from messages
       where advisor_id = e.advisor_id and message_id = e.message_id
       limit 1
     ) as t on true
     left join lateral (
       select phone
       from members
       where advisor_id = e.advisor_id and member_id = e.member_id
       limit 1
     ) as m on true
     where ${onPage('e.advisor_id, e.number')}
       and e.kind = 'text_out'
       and (t.archive_number, t.member_id, t.kind, t.date_time_created, m.phone)
         is distinct from (e.number, e.member_id, facts.kind, e.date_time_created, facts."to")
     limit $5`,
    [...boundsOf(page), limit],
  );
}

/**
 * Messages without an entry, and those whose attempts are not what they say: numbered without gaps up to the last. The one that
 * the carrier accepted is the message's last, and has a row only if it was in doubt before, or if it is from the time when every
 * attempt had one. A message says that it was sent, by its id and time, if and only if an attempt was accepted. Spans advisors:
 * a verification looks at everything.
 */
export async function listUnmatchedMessages(db: Db, page: Page, limit: number): Promise<Difference[]> {
  return db.query<Difference>(
    `select t.advisor_id as "advisorId", t.archive_number as number, t.message_id as id,
       case
         when e.message_id is distinct from t.message_id then 'added'
         when tried.attempts <> tried.expected or tried.last <> tried.expected then 'attempts'
         else 'status'
       end as what
     from messages t
     left join lateral (
       select message_id
       from archive_entries
       where advisor_id = t.advisor_id and number = t.archive_number and kind = 'text_out'
       limit 1
     ) as e on true
     cross join lateral (
       select t.status in ('sent', 'delivered', 'undelivered') as sent
     ) as message
     cross join lateral (
       select
         attempts, last, accepted, last_accepted,
         case when message.sent and not last_accepted then t.attempt - 1 else t.attempt end as expected
       from (
         select
           count(*) as attempts, coalesce(max(attempt), 0) as last, count(*) filter (where outcome = 'accepted') as accepted,
           coalesce(bool_or(outcome = 'accepted' and attempt = t.attempt), false) as last_accepted
         from attempts
         where advisor_id = t.advisor_id and message_id = t.message_id
       ) as rows
     ) as tried
     where ${onPage('t.advisor_id, t.message_id')}
       and (
         e.message_id is distinct from t.message_id
         or tried.attempts <> tried.expected
         or tried.last <> tried.expected
         or tried.accepted <> (message.sent and tried.last_accepted)::integer
         or (t.carrier_message_id is not null) <> message.sent
         or (t.date_time_sent is not null) <> message.sent
       )
     limit $5`,
    [...boundsOf(page), limit],
  );
}

/**
 * Messages whose status is not what their last outcome entry says. A text that was handed over has no entry yet, unless its doubt
 * was settled that way. Those that were accepted before outcomes were entries have none: before the advisor's first outcome, and
 * when no signature says, but the database. The reason of a doubt is in the entry only. Entries from before carriers were among
 * the facts say nothing about the carrier. A text that awaited consent waits until the next entry that gives or withdraws it:
 * only if that one gives it may the text go out. Spans advisors: a verification looks at everything.
 */
export async function listUnmatchedOutcomes(db: Db, page: Page, limit: number): Promise<Difference[]> {
  return db.query<Difference>(
    `select t.advisor_id as "advisorId", coalesce(last.number, t.archive_number) as number, t.message_id as id,
       case
         when waited and t.status not in ('awaiting_consent', 'failed') and answer.state is distinct from 'accepted'
           then 'unconsented'
         when last.number is null then 'unsaid'
         when last.carrier_id <> coalesce(t.carrier_id::text, 'null') then 'carrier'
         else 'outcome'
       end as what
     from messages t
     join archive_entries e on e.advisor_id = t.advisor_id and e.number = t.archive_number
     cross join lateral (
       select e.meta::json -> 'awaitsConsent' is not null as waited
     ) as text
     left join lateral (
       select meta::json ->> 'to' as state
       from archive_entries
       where advisor_id = t.advisor_id
         and member_id = t.member_id
         and kind = 'consent'
         and number > t.archive_number
         and meta::json ->> 'to' in ('accepted', 'opted_out')
       order by number
       limit 1
     ) as answer on waited
     left join lateral (
       select number, meta::json ->> 'outcome' as outcome, meta::json ->> 'reason' as reason,
         (meta::json -> 'carrierId')::text as carrier_id
       from archive_entries
       where advisor_id = t.advisor_id and message_id = t.message_id and kind = 'outcome'
       order by number desc
       limit 1
     ) as last on true
     left join lateral (
       -- By the index, so that one look is enough, however many texts have none.
       select number
       from archive_entries
       where advisor_id = t.advisor_id and kind = 'outcome'
       order by message_id, number
       limit 1
     ) as first on last.number is null
     where ${onPage('t.advisor_id, t.message_id')}
       and case
         when waited and t.status not in ('awaiting_consent', 'failed') and answer.state is distinct from 'accepted'
           then true
         when t.status = 'awaiting_consent' then last.number is not null or not waited or answer.state is not null
         when t.status in ('queued', 'held') then last.number is not null
         when last.carrier_id <> coalesce(t.carrier_id::text, 'null') then true
         when t.status = 'sent' then coalesce(last.outcome, 'sent') <> 'sent'
         when last.number is null
           then first.number < t.archive_number or e.recorded_at > (select date_time_applied from migrations where name like '018-%')
         else last.outcome <> t.status
           or case when t.status <> 'in_doubt' then last.reason end is distinct from t.failure_code
       end
     limit $5`,
    [...boundsOf(page), limit],
  );
}

/** An entry about a firm, an advisor, a staff member, a wording or a lexicon. */
export type SettingRow = { advisorId: number; number: number; kind: string; meta: string; body: string | null };

/** Entries about settings and staff after one, in order. Spans advisors: a verification looks at everything. */
export async function listSettingEntries(db: Db, after: Place, limit: number): Promise<SettingRow[]> {
  return db.query<SettingRow>(
    `select e.advisor_id as "advisorId", e.number, e.kind, e.meta, convert_from(b.body, 'UTF8') as body
     from archive_entries e
     left join archive_bodies b using (advisor_id, number)
     where e.kind in ('setting', 'staff') and (e.advisor_id, e.number) > ($1, $2)
     order by e.advisor_id, e.number
     limit $3`,
    [after.advisorId, after.id, limit],
  );
}

/** Every version of every firm's wordings. */
export async function listAllWordings(
  db: Db,
): Promise<{ firmId: number; kind: string; version: number; text: string }[]> {
  return db.query('select firm_id as "firmId", kind, version, text from wordings order by firm_id, kind, version');
}

/** Every version of every firm's lexicon. */
export async function listAllLexicons(db: Db): Promise<{ firmId: number; version: number; rules: string }[]> {
  return db.query('select firm_id as "firmId", version, rules from lexicons order by firm_id, version');
}

/** How much each firm reviews, which is no part of a firm's row elsewhere. */
export async function listSamplePercents(db: Db): Promise<{ firmId: number; reviewSamplePercent: number }[]> {
  return db.query('select firm_id as "firmId", review_sample_percent as "reviewSamplePercent" from firms');
}
