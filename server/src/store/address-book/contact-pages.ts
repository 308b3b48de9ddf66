import { type ContactPage, isClearing, type Statement, sorts, summaryColumns } from './contact-summaries.ts';

/**
 * The parameters, hidden from the planner: a plan for these values is then no better than a generic one, so a connection
 * plans once. If the planner saw them, it would plan every call again, which takes longer than finding the page.
 */
const asked = {
  advisorId: '(select advisor_id from asked)',
  offset: '(select page_offset from asked)',
  pageSize: '(select page_size from asked)',
};

/**
 * A page of the whole book, found by adding up block counts: a page in the middle of a million contacts costs as much as
 * the first one (docs/concepts/large-books.md). Ranks count from 0 in ascending order.
 */
export function wholeBook(advisorId: number, page: ContactPage): Statement {
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
      select book.total, ${isClearing(asked.advisorId)}, page.*
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
          -- A fence: the planner estimates a page at a tenth of the book and would read the whole table for it.
          offset 0
        ) as contact
      ) as page on true
      order by part, key ${direction}, "contactId"`,
  };
}

/**
 * Descending by key, but ascending by id where keys are equal, with unset keys last. The index has the opposite order, so
 * a page is put together from parts that are contiguous in it: the rest of the contacts that share the first key, those
 * between the first and the last key, the first of those that share the last key, and those that are unset.
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
          -- A fence: without it, each use of a rank counts again.
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

/** Contacts in ascending order, starting at a rank: block counts find its block, the sort's index finds the rest. */
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

/** How many contacts come before this key and id. */
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
