import type { Db } from '../database/db.ts';
import type { ContactRow } from './contacts.ts';

export type ContactSort = keyof typeof sorts;
export type ContactFilter = {
  words?: string[];
  phone?: string;
  email?: string;
  groupId?: number;
  remoteContactId?: string;
  modifiedSince?: Date;
};
export type ContactPage = { sortBy: ContactSort; descending: boolean; offset: bigint; limit: number };

/** The sort fields of the contract, each with the column that an index keeps in order and its key in contact_blocks. */
const sorts = {
  fullName: { column: 'full_name', low: 'low_text' },
  email: { column: 'email_order', low: 'low_text' },
  emailStatus: { column: 'email_status', low: 'low_text' },
  groupCount: { column: 'group_count', low: 'low_number' },
  source: { column: 'source', low: 'low_number' },
  dateTimeCreated: { column: 'date_time_created', low: 'low_time' },
} as const;
export const contactSorts = Object.keys(sorts) as ContactSort[];

const summaryColumns = `
  c.contact_id as "contactId", c.identifier, c.full_name as "fullName", c.first_name as "firstName",
  c.last_name as "lastName", c.email_address as "emailAddress", c.phone, c.email_status as "emailStatus",
  c.email_address_disposition as "emailAddressDisposition", c.source, c.group_count as "groupCount",
  c.remote_contact_id as "remoteContactId", c.remote_contact_url as "remoteContactUrl",
  c.date_time_created as "dateTimeCreated",
  case when c.group_count = 0 then '{}' else array(
    select g.name
    from memberships m
    join groups g on g.advisor_id = m.advisor_id and g.group_id = m.group_id
    where m.advisor_id = c.advisor_id and m.contact_id = c.contact_id
    order by m.group_id
  ) end as "groupNames"`;

/** What a search shows of a contact. */
export type ContactSummaryRow = Pick<
  ContactRow,
  | 'contactId'
  | 'identifier'
  | 'fullName'
  | 'firstName'
  | 'lastName'
  | 'emailAddress'
  | 'phone'
  | 'emailStatus'
  | 'emailAddressDisposition'
  | 'source'
  | 'groupCount'
  | 'remoteContactId'
  | 'remoteContactUrl'
  | 'dateTimeCreated'
> & { groupNames: string[] };

export async function listContacts(
  db: Db,
  advisorId: number,
  filter: ContactFilter,
  page: ContactPage,
): Promise<{ total: number; contacts: ContactSummaryRow[] }> {
  const { text, values, name } = isEmpty(filter) ? wholeBook(advisorId, page) : matching(advisorId, filter, page);
  const rows = await db.query<{ total: number } & ContactSummaryRow>(text, values, name);
  const [first] = rows;
  if (!first) return { total: 0, contacts: [] };
  // Past the last page there is one row with the total and no contact.
  return { total: first.total, contacts: first.contactId === null ? [] : rows };
}

type Statement = { text: string; values: unknown[]; name?: string };

/**
 * What is asked for, so that the planner can't see it: then a plan for these values is no better than the one for any,
 * and a connection plans once. If it saw them, it would plan each call anew, which takes longer than to find the page.
 */
const asked = {
  advisorId: '(select advisor_id from asked)',
  offset: '(select page_offset from asked)',
  pageSize: '(select page_size from asked)',
};

/**
 * A page of the whole book, by adding up block counts: the middle of a million contacts costs what the first page does
 * (docs/concepts/large-books.md). Ranks count from 0 in ascending order.
 */
function wholeBook(advisorId: number, page: ContactPage): Statement {
  const { column, low } = sorts[page.sortBy];
  const direction = page.descending ? 'desc' : 'asc';
  const setCount = page.sortBy === 'email' ? 'email_count' : 'contact_count';
  const picked = page.descending
    ? descending(column)
    : `picked as (select 1 as part, * from (${fromRank(column, asked.offset, asked.pageSize)}) as page)`;
  return {
    name: `list-contacts-${page.sortBy}-${direction}`,
    values: [advisorId, page.offset, page.limit],
    text: `
      with asked as materialized (
        select $1::bigint as advisor_id, $2::bigint as page_offset, $3::bigint as page_size
      ),
      book as (
        select contact_count::bigint as total, ${setCount}::bigint as set_count
        from contact_books
        where advisor_id = ${asked.advisorId}
      ),
      blocks as materialized (
        select
          ${low} as low, low_id,
          (sum(contact_count) over (order by ${low}, low_id rows unbounded preceding) - contact_count)::bigint as start
        from contact_blocks
        where advisor_id = ${asked.advisorId} and sort_by = '${page.sortBy}'
      ),
      ${picked}
      select book.total, page.*
      from book
      left join (
        select part, key, contact.*
        from (
          select *
          from picked
          order by part, key ${direction}, contact_id
          limit ${asked.pageSize}
        ) as picked
        cross join lateral (
          select ${summaryColumns}
          from contacts c
          where c.advisor_id = ${asked.advisorId} and c.contact_id = picked.contact_id
          -- A fence: the planner takes a page for a tenth of the book and would read the whole table for it.
          offset 0
        ) as contact
      ) as page on true
      order by part, key ${direction}, "contactId"`,
  };
}

/**
 * Descending by key, yet ascending by id where keys are equal, and what is unset last. The index has it the other way
 * round, so the page is put together from what stands together in it: the rest of the contacts that share the first
 * key, those between the first and the last key, the beginning of those that share the last one, and the unset.
 */
function descending(column: string): string {
  return `
      ends as (
        select
          set_count,
          (${fromRank(column, `set_count - ${asked.offset} - 1`, '1', 'key')}) as first_key,
          (${fromRank(column, `greatest(set_count - ${asked.offset} - ${asked.pageSize}, 0)`, '1', 'key')}) as last_key
        from book
        where set_count > ${asked.offset}
      ),
      firsts as materialized (
        select ends.*, begin_rank, begin_rank + end_rank + ${asked.offset} - set_count as page_rank, end_rank
        from ends
        cross join lateral (
          select
            ${rankOf(column, 'first_key', '-1')} as begin_rank,
            ${rankOf(column, 'first_key', '9223372036854775807')} as end_rank
          -- A fence: without it each use of a rank counts anew.
          offset 0
        ) as ranks
      ),
      picked as (
        select 1 as part, first.*
        from firsts
        cross join lateral (${fromRank(column, 'page_rank', `least(${asked.pageSize}, end_rank - page_rank)`)}) as first
        union all
        select 2, between_ends.*
        from ends
        cross join lateral (
          select ${column} as key, contact_id
          from contacts
          where advisor_id = ${asked.advisorId} and ${column} < first_key and ${column} > last_key
          order by ${column} desc
          limit ${asked.pageSize}
        ) as between_ends
        union all
        select 3, last.*
        from ends
        cross join lateral (
          select ${column} as key, contact_id
          from contacts
          where advisor_id = ${asked.advisorId} and ${column} = last_key and last_key < first_key
          order by contact_id
          limit ${asked.pageSize}
        ) as last
        union all
        select 4, unset.*
        from book
        cross join lateral (${fromRank(column, `greatest(${asked.offset}, set_count)`, asked.pageSize)}) as unset
        where set_count < total
      )`;
}

/** Contacts in ascending order from a rank on: the block that holds it by its count, the rest by the sort's index. */
function fromRank(column: string, rank: string, limit: string, columns = '*'): string {
  return `
    select ${columns === '*' ? 'contact.*' : `contact.${columns}`}
    from (
      select low, low_id, ${rank} - start as skip
      from blocks
      where start <= ${rank}
      order by start desc, low desc, low_id desc
      limit 1
    ) as block
    cross join lateral (
      select ${column} as key, contact_id
      from contacts
      where advisor_id = ${asked.advisorId} and (${column}, contact_id) >= (block.low, block.low_id)
      order by ${column}, contact_id
      offset block.skip
      limit ${limit}
    ) as contact`;
}

/** How many contacts stand before this place. */
function rankOf(column: string, key: string, contactId: string): string {
  return `(
    select start + (
      select count(*)
      from contacts
      where advisor_id = ${asked.advisorId}
        and (${column}, contact_id) >= (low, low_id)
        and (${column}, contact_id) < (${key}, ${contactId})
    )
    from blocks
    where (low, low_id) <= (${key}, ${contactId})
    order by low desc, low_id desc
    limit 1
  )`;
}

/** A page of what matches a filter: every match is counted and sorted, so its cost grows with the matches, not the book. */
function matching(advisorId: number, filter: ContactFilter, page: ContactPage): Statement {
  const { column } = sorts[page.sortBy];
  const direction = page.descending ? 'desc' : 'asc';
  const values: unknown[] = [advisorId, page.offset, page.limit];
  const conditions = ['c.advisor_id = $1'];
  const where = (condition: (parameter: string) => string, value: unknown) =>
    conditions.push(condition(`$${values.push(value)}`));

  for (const each of filter.words ?? []) where((p) => `c.search_text like ${p}`, beginsWord(each));
  if (filter.phone) where((p) => `c.phone = ${p}`, filter.phone);
  if (filter.email) where((p) => `lower(c.email_address) = lower(${p} collate "und-x-icu")`, filter.email);
  if (filter.remoteContactId) where((p) => `c.remote_contact_id = ${p}`, filter.remoteContactId);
  if (filter.modifiedSince) where((p) => `c.date_time_modified >= ${p}`, filter.modifiedSince);
  if (filter.groupId !== undefined)
    where(
      (p) => `c.contact_id in (select contact_id from memberships where advisor_id = $1 and group_id = ${p})`,
      filter.groupId,
    );

  // Where a date alone decides, as in a reconciliation, most of a book may match: then one index counts and the sort's
  // own is read until the page is full, 28 ms instead of 370 ms for 100,000. Else what matches is looked up only once.
  const byDateAlone = filter.modifiedSince !== undefined && conditions.length === 2;

  return {
    values,
    text: `
      with matched as ${byDateAlone ? 'not materialized' : 'materialized'} (
        select c.contact_id, c.${column} as key, c.email_address is null as unset
        from contacts c
        where ${conditions.join(' and ')}
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
      select totals.total, page.*
      from (select count(*) as total from matched) as totals
      left join (
        select position, ${summaryColumns}
        from picked
        join contacts c on c.advisor_id = $1 and c.contact_id = picked.contact_id
      ) as page on true
      order by position`,
  };
}

function isEmpty(filter: ContactFilter): boolean {
  return Object.values(filter).every((each) => each === undefined || (Array.isArray(each) && each.length === 0));
}

/** The pattern that finds a word's beginning in a search text (domain/shared/folding.ts). */
export function beginsWord(word: string): string {
  return `% ${word.replace(/[\\%_]/g, '\\$&')}%`;
}
