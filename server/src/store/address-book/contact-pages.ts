import {
  type ContactPage,
  type ContactSort,
  isClearing,
  type Statement,
  sorts,
  summaryOfContact,
} from './contact-summaries.ts';

/**
 * The parameters, hidden from the planner: a plan for these values is then no better than a generic one, so a connection
 * plans once. If the planner saw them, it would plan every call again, which takes longer than finding the page.
 */
const asked = {
  advisorId: '(select advisor_id from asked)',
  offset: '(select page_offset from asked)',
  pageSize: '(select page_size from asked)',
  since: '(select since from asked)',
};

/** What the parts of a page are read from: the sort's column, and a condition on each contact. */
type Source = { column: string; only: string };

/**
 * A page of the whole book, found by adding up block counts: a page in the middle of a million contacts costs as much as
 * the first one (docs/concepts/large-books.md). Ranks count from 0 in ascending order.
 */
export function wholeBook(advisorId: number, page: ContactPage): Statement {
  const setCount = page.sortBy === 'email' ? 'email_count' : 'contact_count';
  const found = `
      book as (
        select contact_count::bigint as total, ${setCount}::bigint as set_count
        from contact_books
        where advisor_id = ${asked.advisorId}
      ),
      blocks as materialized (${blocksOf(page.sortBy)})`;
  return {
    name: `list-contacts-${nameOf(page)}`,
    values: [advisorId, page.offset, page.limit],
    text: pageFrom(page, '$1::bigint as advisor_id, $2::bigint as page_offset, $3::bigint as page_size', found, ''),
  };
}

/**
 * The same for contacts that were modified since then. By time of modification they are the end of the book. In the other
 * sorts, those that are older are looked up and taken off the counts: cheap as long as they are few.
 */
export function bookSince(advisorId: number, since: Date, page: ContactPage): Statement {
  const found = page.sortBy === 'dateTimeModified' ? endOfBook : withoutOlder(page.sortBy);
  const given =
    '$1::bigint as advisor_id, $2::bigint as page_offset, $3::bigint as page_size, $4::timestamptz as since';
  return {
    name: `list-contacts-since-${nameOf(page)}`,
    values: [advisorId, page.offset, page.limit, since],
    text: pageFrom(page, given, found, `and date_time_modified >= ${asked.since}`),
  };
}

function nameOf({ sortBy, descending }: ContactPage): string {
  return `${sortBy}-${descending ? 'desc' : 'asc'}`;
}

/** The sort's blocks, each with the rank that it starts at. */
function blocksOf(sortBy: ContactSort): string {
  const { low } = sorts[sortBy];
  return `
        select
          ${low} as low, low_id,
          (sum(contact_count) over (order by ${low}, low_id rows unbounded preceding) - contact_count)::bigint as start
        from contact_blocks
        where advisor_id = ${asked.advisorId} and sort_by = '${sortBy}'
      `;
}

/** Ranks count from the first contact that was modified since then, which begins a block of its own. */
const endOfBook = `
      all_blocks as materialized (${blocksOf('dateTimeModified')}),
      older as materialized (
        select coalesce(${rankOf({ column: 'date_time_modified', only: '' }, asked.since, '-1', 'all_blocks')}, 0) as total
      ),
      book as (
        select contact_count - older.total as total, contact_count - older.total as set_count
        from contact_books, older
        where advisor_id = ${asked.advisorId}
      ),
      blocks as materialized (
        select low, low_id, start - older.total as start
        from all_blocks, older
        where low >= ${asked.since}
        union all
        select ${asked.since}, -1, 0
      )`;

/** A block starts at what the blocks before it count, without the older contacts that come before it. */
function withoutOlder(sortBy: ContactSort): string {
  const { column, low } = sorts[sortBy];
  const total = 'contact_count - (select count(*) from older)';
  return `
      older as materialized (
        select ${column} as key, contact_id, email_address
        from contacts
        where advisor_id = ${asked.advisorId} and date_time_modified < ${asked.since}
      ),
      book as (
        select
          ${total} as total,
          ${sortBy === 'email' ? 'email_count - (select count(email_address) from older)' : total} as set_count
        from contact_books
        where advisor_id = ${asked.advisorId}
      ),
      places as (
        select ${low} as key, low_id as contact_id, contact_count as weight, true as is_block
        from contact_blocks
        where advisor_id = ${asked.advisorId} and sort_by = '${sortBy}'
        union all
        select key, contact_id, -1, false
        from older
      ),
      blocks as materialized (
        select key as low, contact_id as low_id, start
        from (
          select
            key, contact_id, is_block,
            (sum(weight) over (order by key, contact_id, is_block desc rows unbounded preceding) - weight)::bigint as start
          from places
        ) as counted
        where is_block
      )`;
}

/** The page, from `book` with its counts and `blocks` with their starts. */
function pageFrom(page: ContactPage, given: string, found: string, only: string): string {
  const source = { column: sorts[page.sortBy].column, only };
  const direction = page.descending ? 'desc' : 'asc';
  const picked = page.descending
    ? descending(source)
    : `picked as (select 1 as part, * from (${fromRank(source, asked.offset, asked.pageSize)}) as page)`;
  return `
      with asked as materialized (
        select ${given}
      ),
      ${found.trimStart()},
      ${picked}
      select book.total, ${isClearing(page.sortBy, asked.advisorId)} page.contact
      from book
      left join (
        select part, key, picked.contact_id, summary.contact
        from (
          select *
          from picked
          order by part, key ${direction}, contact_id
          limit ${asked.pageSize}
        ) as picked
        cross join lateral (
          select ${summaryOfContact}
          from contacts c
          where c.advisor_id = ${asked.advisorId} and c.contact_id = picked.contact_id
          -- A fence: the planner estimates a page at a tenth of the book and would read the whole table for it.
          offset 0
        ) as summary
      ) as page on true
      order by part, key ${direction}, contact_id`;
}

/**
 * Descending by key, but ascending by id where keys are equal, with unset keys last. The index has the opposite order, so
 * a page is put together from parts that are contiguous in it: the rest of the contacts that share the first key, those
 * between the first and the last key, the first of those that share the last key, and those that are unset.
 */
function descending(source: Source): string {
  const { column, only } = source;
  return `
      ends as (
        select
          set_count,
          (${fromRank(source, `set_count - ${asked.offset} - 1`, '1', 'key')}) as first_key,
          (${fromRank(source, `greatest(set_count - ${asked.offset} - ${asked.pageSize}, 0)`, '1', 'key')}) as last_key
        from book
        where set_count > ${asked.offset}
      ),
      firsts as materialized (
        select ends.*, begin_rank, begin_rank + end_rank + ${asked.offset} - set_count as page_rank, end_rank
        from ends
        cross join lateral (
          select
            ${rankOf(source, 'first_key', '-1')} as begin_rank,
            ${rankOf(source, 'first_key', '9223372036854775807')} as end_rank
          -- A fence: without it, each use of a rank counts again.
          offset 0
        ) as ranks
      ),
      picked as (
        select 1 as part, first.*
        from firsts
        cross join lateral (${fromRank(source, 'page_rank', `least(${asked.pageSize}, end_rank - page_rank)`)}) as first
        union all
        select 2, between_ends.*
        from ends
        cross join lateral (
          select ${column} as key, contact_id
          from contacts
          where advisor_id = ${asked.advisorId} and ${column} < first_key and ${column} > last_key ${only}
          order by ${column} desc
          limit ${asked.pageSize}
        ) as between_ends
        union all
        select 3, last.*
        from ends
        cross join lateral (
          select ${column} as key, contact_id
          from contacts
          where advisor_id = ${asked.advisorId} and ${column} = last_key and last_key < first_key ${only}
          order by contact_id
          limit ${asked.pageSize}
        ) as last
        union all
        select 4, unset.*
        from book
        cross join lateral (${fromRank(source, `greatest(${asked.offset}, set_count)`, asked.pageSize)}) as unset
        where set_count < total
      )`;
}

/** Contacts in ascending order, starting at a rank: block counts find its block, the sort's index finds the rest. */
function fromRank({ column, only }: Source, rank: string, limit: string, columns = '*'): string {
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
      where advisor_id = ${asked.advisorId} and (${column}, contact_id) >= (block.low, block.low_id) ${only}
      order by ${column}, contact_id
      offset block.skip
      limit ${limit}
    ) as contact`;
}

/** How many contacts come before this key and id. */
function rankOf({ column, only }: Source, key: string, contactId: string, blocks = 'blocks'): string {
  return `(
    select start + (
      select count(*)
      from contacts
      where advisor_id = ${asked.advisorId}
        and (${column}, contact_id) >= (low, low_id)
        and (${column}, contact_id) < (${key}, ${contactId})
        ${only}
    )
    from ${blocks}
    where (low, low_id) <= (${key}, ${contactId})
    order by low desc, low_id desc
    limit 1
  )`;
}
