import type { ConsentState } from '../consent/consents.ts';
import type { Db } from '../database/db.ts';
import { type ContactPage, noEmail, sorts, summaryOfContact } from './contact-summaries.ts';

/** Most of a book, as a rule: it is faster to skip the others in an index than to sort the matches. */
export type WideFilter = {
  modifiedSince?: Date | undefined;
  /** Only the advisor's own app filters by these. */
  consent?: ConsentState | undefined;
  without?: number[] | undefined;
};
type Counts = { total: number; emails: number };
type FoundRow = { isClearing?: boolean; contact: string };

/**
 * Hidden from the planner, like the page: a plan for these values is then no better than a generic one, so a connection plans once.
 * If the planner saw them, it would plan every call again, which takes longer than finding a near page.
 */
const asked = {
  advisorId: '(select advisor_id from asked)',
  skipped: '(select skipped from asked)',
  size: '(select size from asked)',
};

/** The counters of the book, without these contacts. */
export async function countBook(db: Db, advisorId: number, without: number[] = []): Promise<Counts> {
  const found = await db.find<Counts>(
    `select contact_count - leaving.total as total, email_count - leaving.emails as emails
     from contact_books
     cross join (
       select count(*) as total, count(email_address) as emails
       from contacts
       where advisor_id = $1 and contact_id = any ($2)
     ) as leaving
     where advisor_id = $1`,
    [advisorId, without],
    'count-book',
  );
  return found ?? { total: 0, emails: 0 };
}

/**
 * A page in the index of its sort, from its nearer end: what comes before it, or after it if that is less, is skipped there, and only the
 * page's own contacts are read (docs/decisions/0001-pages-from-the-nearer-end.md).
 */
export async function listByIndex(
  db: Db,
  advisorId: number,
  filter: WideFilter,
  page: ContactPage,
  counts: Counts,
): Promise<FoundRow[]> {
  const rows: FoundRow[] = [];
  const start = Number(page.offset);
  for (const part of partsOf(page, counts)) {
    const within = (at: number) => Math.min(Math.max(0, at - part.before), part.size);
    const [from, to] = [within(start), within(start + page.limit)];
    if (from < to) rows.push(...(await listPart(db, advisorId, filter, page, part, { from, to })));
  }
  return rows;
}

type Part = { name: string; where: string[]; descending: boolean; before: number; size: number };

/** One part, unless contacts without an email have to come last although the others are descending. */
function partsOf({ sortBy, descending }: ContactPage, { total, emails }: Counts): Part[] {
  if (sortBy !== 'email' || !descending) return [{ name: 'all', where: [], descending, before: 0, size: total }];
  const [withEmail, without] = [[`c.email_order < ${noEmail}`], [`c.email_order = ${noEmail}`]];
  return [
    { name: 'with', where: withEmail, descending: true, before: 0, size: emails },
    { name: 'without', where: without, descending: false, before: emails, size: total - emails },
  ];
}

function listPart(
  db: Db,
  advisorId: number,
  filter: WideFilter,
  { sortBy }: ContactPage,
  part: Part,
  { from, to }: { from: number; to: number },
): Promise<FoundRow[]> {
  const isFromEnd = from + to > part.size;
  const keys = part.descending === isFromEnd ? 'asc' : 'desc';
  const ids = isFromEnd ? 'desc' : 'asc';
  const values = [advisorId, isFromEnd ? part.size - to : from, to - from];
  const filtered = conditionsOf(filter, values);
  const conditions = [`c.advisor_id = ${asked.advisorId}`, ...part.where, ...filtered];
  const column = sorts[sortBy];
  const find = keys === ids ? inOrder : acrossTies;
  // Whether group_count still counts memberships of deleted groups.
  const isClearing = `exists (select from deleted_groups where advisor_id = ${asked.advisorId}) as "isClearing",`;
  return db.query<FoundRow>(
    `with asked as materialized (
       select $1::bigint as advisor_id, $2::bigint as skipped, $3::bigint as size
     ),
     ${find(column, conditions.join(' and '), { keys, ids })}
     select ${sortBy === 'groupCount' ? isClearing : ''} summary.contact
     from (select contact_id, row_number() over () as position from picked) as placed
     cross join lateral (
       select ${summaryOfContact}
       from contacts c
       where c.advisor_id = ${asked.advisorId} and c.contact_id = placed.contact_id
       -- A fence: the planner estimates a page at a tenth of the book and would read the whole table for it.
       offset 0
     ) as summary
     order by position ${isFromEnd ? 'desc' : 'asc'}`,
    values,
    filtered.length > 0 ? undefined : `list-contacts-${sortBy}-${part.name}-${keys}-${ids}`,
  );
}

type Directions = Record<'keys' | 'ids', 'asc' | 'desc'>;

function inOrder(column: string, where: string, { keys, ids }: Directions): string {
  return `
     picked as materialized (
       select c.contact_id
       from contacts c
       where ${where}
       order by c.${column} ${keys}, c.contact_id ${ids}
       offset ${asked.skipped}
       limit ${asked.size}
     )`;
}

/**
 * Contacts that share a key are in the order of ids that the index doesn't have. The key at which the page begins is the same in
 * either order, and so is how many contacts that share it come before: those are read in the other direction, and only then those
 * with further keys, which are sorted key by key as far as the page goes.
 */
function acrossTies(column: string, where: string, { keys, ids }: Directions): string {
  const [before, beyond] = keys === 'desc' ? ['>', '<'] : ['<', '>'];
  const sharing = `${where} and c.${column} = (select key from first)`;
  return `
     first as materialized (
       select c.${column} as key, c.contact_id
       from contacts c
       where ${where}
       order by c.${column} ${keys}, c.contact_id ${keys}
       offset ${asked.skipped}
       limit 1
     ),
     picked as materialized (
       (
         select c.contact_id
         from contacts c
         where ${sharing}
         order by c.contact_id ${ids}
         offset (select count(*) from contacts c where ${sharing} and c.contact_id ${before} (select contact_id from first))
       )
       union all
       (
         select c.contact_id
         from contacts c
         where ${where} and c.${column} ${beyond} (select key from first)
         order by c.${column} ${keys}, c.contact_id ${ids}
       )
       limit ${asked.size}
     )`;
}

function conditionsOf({ modifiedSince, consent, without = [] }: WideFilter, values: unknown[]): string[] {
  const conditions: string[] = [];
  if (modifiedSince) conditions.push(`c.date_time_modified >= $${values.push(modifiedSince)}`);
  if (consent) conditions.push(isIn(consent));
  if (without.length > 0) conditions.push(`c.contact_id <> all ($${values.push(without)})`);
  return conditions;
}

/** As a value and no condition, which the planner would make a join of: it hashes the phones and keeps the index's order. */
function isIn(consent: ConsentState): string {
  const members = `select phone from members where advisor_id = ${asked.advisorId} and state`;
  return consent === 'none'
    ? `(c.phone not in (${members} <> 'none')) is true`
    : `(c.phone in (${members} = '${consent}')) is true`;
}
