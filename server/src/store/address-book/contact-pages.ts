import { type ContactPage, isClearing, type PageStatement, sorts, summaryOfContact } from './contact-summaries.ts';

/**
 * The parameters, hidden from the planner: a plan for these values is then no better than a generic one, so a connection
 * plans once. If the planner saw them, it would plan every call again, which takes longer than finding a near page.
 */
const asked = { advisorId: '(select advisor_id from asked)', since: '(select since from asked)' };

/** The key of contacts without an email: it comes after all others. */
const noEmail = `U&'\\FFFF'`;
/** If at most this many contacts are older than a date, they are counted instead of those that are not. */
const olderMax = 1_000;

/**
 * A page of the whole book, or of the contacts modified since then. What comes before it, or after it if that is less, is
 * skipped in the sort's index; only the page's own contacts are read (docs/decisions/0001-pages-from-the-nearer-end.md). `isCut` tells that contacts
 * may be at wrong places, because more of them share a key than were looked at.
 */
export function bookPage(advisorId: number, page: ContactPage, since?: Date): PageStatement {
  const { sortBy } = page;
  const direction = page.descending ? 'desc' : 'asc';
  const parts = partsOf(page, since !== undefined);
  return {
    name: `list-contacts-${since ? 'since-' : ''}${sortBy}-${direction}`,
    values: [advisorId, page.offset, page.limit, ...(since ? [since] : [])],
    text: `
      with asked as materialized (
        select
          $1::bigint as advisor_id, $2::bigint as page_offset, $3::bigint as page_size
          ${since ? ', $4::timestamptz as since' : ''}
      ),
      book as materialized (${since ? countsSince(parts.length > 1) : counts}),
      picked as materialized (${parts.map(pageOf).join(' union all ')}
      )
      select book.total, ${isClearing(sortBy, asked.advisorId)} ${isCut(parts)} as "isCut", page.contact
      from book
      left join (
        select part, key, picked.contact_id, summary.contact
        from picked
        cross join lateral (
          select ${summaryOfContact}
          from contacts c
          where c.advisor_id = ${asked.advisorId} and c.contact_id = picked.contact_id
          -- A fence: the planner estimates a page at a tenth of the book and would read the whole table for it.
          offset 0
        ) as summary
      ) as page on true
      order by part, key ${direction}, contact_id`,
  };
}

const counts = `
        select contact_count::bigint as total, email_count::bigint as email_count
        from contact_books
        where advisor_id = ${asked.advisorId}
      `;

/** With the number of emails only where a page needs it. */
function countsSince(hasParts: boolean): string {
  const newer = `advisor_id = ${asked.advisorId} and date_time_modified >= ${asked.since}`;
  const emails = `
          case when older.total <= ${olderMax} then book.email_count - older.email_count else (
            select count(*) from contacts where ${newer} and email_order < ${noEmail}
          ) end`;
  return `
        select
          case when older.total <= ${olderMax} then contact_count - older.total else (
            select count(*) from contacts where ${newer}
          ) end as total,
          ${hasParts ? emails : 'null::bigint'} as email_count
        from contact_books book
        cross join (
          select count(*) as total, count(email_address) as email_count
          from (
            select email_address
            from contacts
            where advisor_id = ${asked.advisorId} and date_time_modified < ${asked.since}
            limit ${olderMax + 1}
          ) as few
        ) as older
        where book.advisor_id = ${asked.advisorId}
      `;
}

/** A part of the book: `size` contacts in one order, with `before` others before them. */
type Part = {
  column: string;
  where: string;
  descending: boolean;
  sharedMax: number | null;
  size: string;
  before: string;
};

/** One part, unless contacts without an email have to come last although the others are descending. */
function partsOf({ sortBy, descending }: ContactPage, isSince: boolean): Part[] {
  const { column, sharedMax } = sorts[sortBy];
  const where = `advisor_id = ${asked.advisorId}${isSince ? ` and date_time_modified >= ${asked.since}` : ''}`;
  const book = { column, where, descending, sharedMax, size: 'total', before: '0' };
  if (sortBy !== 'email' || !descending) return [book];
  const withEmail = { ...book, where: `${where} and ${column} < ${noEmail}`, size: 'email_count' };
  const others = { ...book, where: `${where} and ${column} = ${noEmail}`, descending: false };
  return [withEmail, { ...others, size: 'total - email_count', before: 'email_count' }];
}

/**
 * The contacts of a part that are on the page, from the nearer end of the part.
 *
 * Descending, contacts that share a key are in ascending order of their ids, which no index has. Where many share one, they are
 * read key by key. Where few do, the index is read with a margin on both sides of the page, and that is sorted.
 */
function pageOf(part: Part, index: number): string {
  const { descending, size, before } = part;
  const margin = marginOf(part);
  const read = descending && margin === 0 ? keyByKey : inIndex;
  const [forward, backward] = descending ? (['desc', 'asc'] as const) : (['asc', 'desc'] as const);
  return `
        select ${index} as part, near.*
        from (
          select
            size, page_offset - before as skipped, page_size, greatest(page_offset - before - ${margin}, 0) as first,
            least(page_offset - before + page_size + ${margin}, size) as last
          from asked, (select ${size} as size, ${before} as before from book) as part
        ) as span
        cross join lateral (
          select *
          from (
            (
              ${read(part, forward)}
              offset first
              limit case when first + last <= size then greatest(last - first, 0) else 0 end
            )
            union all
            (
              ${read(part, backward)}
              offset size - last
              limit case when first + last <= size then 0 else greatest(last - first, 0) end
            )
          ) as near
          ${margin > 0 ? 'order by key desc, contact_id offset skipped - first limit page_size' : ''}
        ) as near`;
}

function marginOf({ descending, sharedMax }: Part): number {
  return descending ? (sharedMax ?? 0) : 0;
}

/** Whether the first or the last contact of the page shares its key with more than the margin. */
function isCut(parts: Part[]): string {
  const [part] = parts as [Part];
  const margin = marginOf(part);
  if (margin === 0) return 'false';
  return `exists (
          select
          from (select min(key) as first, max(key) as last from picked where part = 0) as ends
          cross join lateral (
            (select from contacts where ${part.where} and ${part.column} = first offset ${margin} limit 1)
            union all
            (select from contacts where ${part.where} and ${part.column} = last offset ${margin} limit 1)
          ) as more
        )`;
}

function inIndex({ column, where }: Part, direction: 'asc' | 'desc'): string {
  return `
            select ${column} as key, contact_id
            from contacts
            where ${where}
            order by ${column} ${direction}, contact_id ${direction}`;
}

/** Each key in turn with its contacts: ascending by id if keys are descending, and the other way round. */
function keyByKey({ column, where }: Part, direction: 'asc' | 'desc'): string {
  const [after, ids] = direction === 'desc' ? ['<', 'asc'] : ['>', 'desc'];
  return `
            with recursive keys as (
              (select ${column} as key from contacts where ${where} order by ${column} ${direction} limit 1)
              union all
              select (
                select ${column}
                from contacts
                where ${where} and ${column} ${after} key
                order by ${column} ${direction}
                limit 1
              )
              from keys
              where key is not null
            )
            select key, contact_id
            from keys
            -- A nested loop keeps the order of both, so nothing is sorted.
            cross join lateral (
              select contact_id
              from contacts
              where ${where} and ${column} = key
              order by contact_id ${ids}
            ) as sharing`;
}
