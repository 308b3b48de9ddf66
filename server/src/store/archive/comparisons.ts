import { lastConsentEntry, provenState } from '../consent/consents.ts';
import type { Db } from '../database/db.ts';

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
