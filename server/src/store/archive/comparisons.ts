import { lastConsentEntry, provenState } from '../consent/consents.ts';
import type { Db } from '../database/db.ts';
import { runsOfLeaves } from './archive-tree.ts';

/** Where a page of a table ends: the advisor, and the member or the number of the reply. */
export type RowKey = { advisorId: number; id: number };
/** The rows after one place, up to and including another; null for all the rest. */
export type RowPage = { after: RowKey; upTo: RowKey | null };
/** Something that the tables and the entries disagree about. */
export type Difference = { advisorId: number; number: number | null; id: number; what: string };

const keys = {
  members: 'member_id',
  reply_media: 'reply_number',
} as const;

/**
 * The end of a page with that many rows; null if there are no more than that. Spans advisors: a verification looks at
 * everything.
 */
export async function findPageEnd(
  db: Db,
  table: keyof typeof keys,
  after: RowKey,
  rows: number,
): Promise<RowKey | null> {
  return db.find(
    `select advisor_id as "advisorId", ${keys[table]} as id
     from ${table}
     where (advisor_id, ${keys[table]}) > ($1, $2)
     order by advisor_id, ${keys[table]}
     offset $3
     limit 1`,
    [after.advisorId, after.id, rows - 1],
  );
}

/** SQL for the rows of a page, whose bounds are the first four parameters. */
export const onPage = (key: string) => `(${key}) > ($1::bigint, $2::bigint) and (${key}) <= ($3::bigint, $4::bigint)`;
const beyondAll = '9223372036854775807';

export function boundsOf({ after, upTo }: RowPage): (number | string)[] {
  return [after.advisorId, after.id, upTo?.advisorId ?? beyondAll, upTo?.id ?? beyondAll];
}

/**
 * Entries to compare with tables: leaves from `from` up to but not including `to`, or those that are not in the tree yet. In the
 * order of the tree, what is read together was written together: by advisor, each row would be on another page of the disk.
 */
export type Entries = { from: number; to: number } | 'pending';

// The offsets keep PostgreSQL from going through all entries: it looks for those of each run or advisor.
const inTree = `(
       ${runsOfLeaves}
     ) as r
     cross join lateral (
       select *
       from archive_entries
       where advisor_id = r.advisor_id
         and number >= r.first_number + greatest(0, $1 - r.first_leaf)
         and number < r.first_number + least(r.entries, $2 - r.first_leaf)
       offset 0
     ) as e`;
const notInTree = `archive_heads h
     left join archive_taken k on k.advisor_id = h.advisor_id
     cross join lateral (
       select *
       from archive_entries
       where advisor_id = h.advisor_id and number > coalesce(k.last_number, 0)
       offset 0
     ) as e`;

/** SQL for these entries `e`, and its parameters, which come first. */
export function selected(entries: Entries): { from: string; values: number[] } {
  return entries === 'pending' ? { from: notInTree, values: [] } : { from: inTree, values: [entries.from, entries.to] };
}

/** Members whose consent is not what their last consent entry says. Spans advisors: a verification looks at everything. */
export async function listUnprovenMembers(db: Db, page: RowPage, limit: number): Promise<Difference[]> {
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

const hasOtherColumns = `
  (e.consent_state, e.consent_phone) is distinct from (e.meta::json ->> 'to', e.meta::json ->> 'phone')`;

/**
 * Consent entries that don't continue where the member's one before ended, whose columns say something else than their facts, or whose
 * member is not in the table. Spans advisors: a verification looks at everything.
 */
export async function listBrokenConsents(db: Db, page: RowPage, limit: number): Promise<Difference[]> {
  return db.query<Difference>(
    `select e.advisor_id as "advisorId", e.number, e.member_id as id,
       case when m.found is null then 'removed' when ${hasOtherColumns} then 'columns' else 'from' end as what
     from archive_entries e
     left join lateral (
       select consent_state as state
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
       and (m.found is null or ${hasOtherColumns} or e.meta::json ->> 'from' is distinct from coalesce(before.state, 'none'))
     limit $5`,
    [...boundsOf(page), limit],
  );
}

export type SettingRow = { advisorId: number; number: number; kind: string; meta: string; body: string | null };

/** Entries about settings and staff after one, in order. Spans advisors: a verification looks at everything. */
export async function listSettingEntries(db: Db, after: RowKey, limit: number): Promise<SettingRow[]> {
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

export async function listAllWordings(db: Db) {
  return db.query<{ firmId: number; kind: string; version: number; text: string }>(
    'select firm_id as "firmId", kind, version, text from wordings order by firm_id, kind, version',
  );
}

export async function listAllLexicons(db: Db) {
  return db.query<{ firmId: number; version: number; rules: string }>(
    'select firm_id as "firmId", version, rules from lexicons order by firm_id, version',
  );
}

/** How much each firm reviews, which is no part of a firm's row elsewhere. */
export async function listSamplePercents(db: Db) {
  return db.query<{ firmId: number; reviewSamplePercent: number }>(
    'select firm_id as "firmId", review_sample_percent as "reviewSamplePercent" from firms',
  );
}
