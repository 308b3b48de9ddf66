import type { ConsentState } from '../consent/consents.ts';
import type { Db } from '../database/db.ts';
import { type ContactPage, type PageStatement, sorts, summaryOfContact } from './contact-summaries.ts';

/** Most of the book: those of a state of consent, and all but a few. */
type WalkedFilter = { consent?: ConsentState | undefined; without?: number[] | undefined };

/** Those whose indexes have the phone. */
export function isWalkable({ sortBy }: ContactPage): boolean {
  return sortBy === 'fullName' || sortBy === 'dateTimeModified';
}

export async function countWalked(db: Db, advisorId: number, { consent, without = [] }: WalkedFilter): Promise<number> {
  const found = await db.value<number>(
    `select (${consent ? countOf[consent] : bookCount}) - (
       select count(*)
       from contacts c
       where c.advisor_id = $1 and c.contact_id = any ($2) and ${consent ? isIn(consent) : 'true'}
     ) as total`,
    [advisorId, without],
  );
  return found ?? 0;
}

/**
 * A page of many matches, in the index of the sort, from its nearer end. Nothing is sorted, and no contact is read but the page's
 * own: of 100,000, a page in the middle took 185 ms on a busy machine, where sorting all matches took 880.
 */
export function walkedPage(advisorId: number, filter: WalkedFilter, page: ContactPage, total: number): PageStatement {
  const { consent, without = [] } = filter;
  const { column } = sorts[page.sortBy];
  const size = Math.max(0, Math.min(page.limit, total - Number(page.offset)));
  const isFromEnd = Number(page.offset) > total / 2;
  const [keys, ids] = directionsOf(page.descending, isFromEnd);
  return {
    values: [
      advisorId,
      isFromEnd ? Math.max(0, total - Number(page.offset) - size) : page.offset,
      size,
      without,
      total,
    ],
    text: `
      with picked as materialized (
        select contact_id, row_number() over () as position
        from (
          select c.contact_id
          from contacts c
          where c.advisor_id = $1 and c.contact_id <> all ($4) and ${consent ? isIn(consent) : 'true'}
          order by c.${column} ${keys}, c.contact_id ${ids}
          offset $2
          limit $3
        ) as page
      )
      select $5::bigint as total, page.contact
      from (select) as always
      left join (
        select position, ${summaryOfContact}
        from picked
        join contacts c on c.advisor_id = $1 and c.contact_id = picked.contact_id
      ) as page on true
      order by position ${isFromEnd ? 'desc' : 'asc'}`,
  };
}

/** In either direction, ties are in the order of ids; from the end everything is the other way round. */
function directionsOf(descending: boolean, isFromEnd: boolean): ['asc' | 'desc', 'asc' | 'desc'] {
  return [descending === isFromEnd ? 'asc' : 'desc', isFromEnd ? 'desc' : 'asc'];
}

/** As a value and no condition, which the planner would make a join of: it hashes the phones and keeps the index's order. */
function isIn(consent: ConsentState): string {
  if (consent === 'none')
    return `(c.phone not in (select phone from members where advisor_id = $1 and state <> 'none')) is true`;
  return `(c.phone in (select phone from members where advisor_id = $1 and state = '${consent}')) is true`;
}

const bookCount = 'select contact_count from contact_books where advisor_id = $1';
const joined = `
       select count(*)
       from members m
       join contacts c on c.advisor_id = m.advisor_id and c.phone = m.phone
       where m.advisor_id = $1`;
const countOf: Record<ConsentState, string> = {
  none: `
       (select count(*) from contacts where advisor_id = $1 and phone is not null) - (${joined} and m.state <> 'none')`,
  pending: `${joined} and m.state = 'pending'`,
  accepted: `${joined} and m.state = 'accepted'`,
  opted_out: `${joined} and m.state = 'opted_out'`,
};
