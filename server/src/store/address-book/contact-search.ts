import type { Db } from '../database/db.ts';
import { countBook, listByIndex, type WideFilter } from './contact-pages.ts';
import {
  type ContactPage,
  type ContactSummaryRow,
  noEmail,
  sorts,
  summaryIn,
  summaryOfContact,
} from './contact-summaries.ts';
import { queryKeys } from './search-keys.ts';

export type ContactFilter = WideFilter & {
  words?: string[];
  phone?: string;
  email?: string;
  groupId?: number;
  remoteContactId?: string;
  only?: number[];
};

/** So many matches are found and sorted faster than a page of them in the index of a sort. */
const fewMax = 1_000;

export async function listContacts(
  db: Db,
  advisorId: number,
  filter: ContactFilter,
  page: ContactPage,
): Promise<{ total: number; contacts: ContactSummaryRow[] }> {
  const counts = await countWide(db, advisorId, filter, page);
  const found = counts && (await listByIndex(db, advisorId, filter, page, counts));
  if (found && !found[0]?.isClearing)
    return { total: counts.total, contacts: found.map(({ contact }) => summaryIn(contact)) };
  const rows = await listMatching(db, advisorId, filter, page);
  return {
    total: rows[0]?.total ?? 0,
    contacts: rows.flatMap(({ contact }) => (contact === null ? [] : summaryIn(contact))),
  };
}

/** How many there are of the whole book, or of much of it; null if a filter leaves few, or isn't in the indexes of the sorts. */
async function countWide(
  db: Db,
  advisorId: number,
  { modifiedSince, consent, without, ...others }: ContactFilter,
  { sortBy }: ContactPage,
): Promise<{ total: number; emails: number } | null> {
  if (!isEmpty(others)) return null;
  if (!modifiedSince && !consent) return countBook(db, advisorId, without);
  const values: unknown[] = [advisorId];
  const conditions = ['c.advisor_id = $1', ...conditionsOf({ modifiedSince, consent, without }, values)];
  const counts = await db.one<{ total: number; emails: number }>(
    `select count(*) as total, ${sortBy === 'email' ? `count(*) filter (where c.email_order < ${noEmail})` : '0'} as emails
     from contacts c
     where ${conditions.join(' and ')}`,
    values,
  );
  return counts.total > fewMax ? counts : null;
}

/** A page of the matches. Every match is counted and sorted, so the cost grows with the matches, not with the book. */
function listMatching(
  db: Db,
  advisorId: number,
  filter: ContactFilter,
  page: ContactPage,
): Promise<{ total: number; contact: string | null }[]> {
  const column = sorts[page.sortBy];
  const direction = page.descending ? 'desc' : 'asc';
  const values: unknown[] = [advisorId, page.offset, page.limit];
  const conditions = ['c.advisor_id = $1', ...conditionsOf(filter, values)];
  const matches = `
        select c.contact_id, c.${column} as key, c.email_address is null as unset
        from contacts c
        where ${conditions.join(' and ')}`;
  // Past the last page there is one row with the total and no contact.
  return db.query(
    `with matched as materialized (${page.sortBy === 'groupCount' ? withoutDeletedGroups(matches) : matches}
      ),
      picked as (
        select contact_id, row_number() over () as position
        from (
          select contact_id
          from matched
          order by ${page.sortBy === 'email' ? 'unset, ' : ''}key ${direction}, contact_id
          offset $2
          limit $3
        ) as page
      )
      select totals.total, page.contact
      from (select count(*) as total from matched) as totals
      left join (
        select position, ${summaryOfContact}
        from picked
        join contacts c on c.advisor_id = $1 and c.contact_id = picked.contact_id
      ) as page on true
      order by position`,
    values,
    nameOf(filter, page),
  );
}

/** Of the searches that partners make most, with a key that few contacts share: planning one takes longer than it does. */
function nameOf({ phone, remoteContactId, ...others }: ContactFilter, { sortBy, descending }: ContactPage) {
  if ((phone === undefined) === (remoteContactId === undefined) || !isEmpty(others)) return undefined;
  return `list-contacts-by-${phone === undefined ? 'remote-id' : 'phone'}-${sortBy}-${descending ? 'desc' : 'asc'}`;
}

/** What a contact `c` must be, with the advisor as the first value; the filter's own are added to them. */
export function conditionsOf(filter: ContactFilter, values: unknown[]): string[] {
  const conditions: string[] = [];
  const where = (condition: (parameter: string) => string, value: unknown) =>
    conditions.push(condition(`$${values.push(value)}`));

  // The index finds those that have the words' keys, and the text decides.
  const keys = queryKeys(filter.words ?? []);
  if (keys.length > 0) where((p) => `c.search_keys @> ${p}`, keys);
  for (const each of filter.words ?? []) where((p) => `c.search_text like ${p}`, beginsWord(each));
  if (filter.phone) where((p) => `c.phone = ${p}`, filter.phone);
  if (filter.email) where((p) => `lower(c.email_address) = lower(${p} collate "und-x-icu")`, filter.email);
  if (filter.remoteContactId) where((p) => `c.remote_contact_id = ${p}`, filter.remoteContactId);
  if (filter.modifiedSince) where((p) => `c.date_time_modified >= ${p}`, filter.modifiedSince);
  if (filter.groupId !== undefined)
    where(
      (p) => `exists (select from groups where advisor_id = $1 and group_id = ${p})
        and c.contact_id in (select contact_id from memberships where advisor_id = $1 and group_id = ${p})`,
      filter.groupId,
    );
  if (filter.consent === 'none')
    conditions.push(`c.phone is not null and not exists (
          select from members m where m.advisor_id = $1 and m.phone = c.phone and m.state <> 'none'
        )`);
  else if (filter.consent)
    where((p) => `c.phone in (select phone from members where advisor_id = $1 and state = ${p})`, filter.consent);
  if (filter.without?.length) where((p) => `c.contact_id <> all (${p})`, filter.without);
  if (filter.only) where((p) => `c.contact_id = any (${p})`, filter.only);
  return conditions;
}

/**
 * The matches by the number of groups that they are in now. It adds up instead of looking each contact up: for a book of
 * 100,000 that takes a quarter of the time, whatever the planner thinks of the tables.
 */
function withoutDeletedGroups(matches: string): string {
  return `
        select contact_id, sum(key) as key
        from (
          select contact_id, key, true as is_match
          from (${matches}) as found
          union all
          select m.contact_id, -1, false
          from deleted_groups d
          join memberships m on m.advisor_id = d.advisor_id and m.group_id = d.group_id
          where d.advisor_id = $1
        ) as counted
        group by contact_id
        having bool_or(is_match)`;
}

function isEmpty(filter: ContactFilter): boolean {
  return Object.values(filter).every((each) => each === undefined || (Array.isArray(each) && each.length === 0));
}

/** The pattern that finds words with this beginning in a search text (domain/shared/text/folding.ts). */
export function beginsWord(word: string): string {
  return `% ${word.replace(/[\\%_]/g, '\\$&')}%`;
}
