import type { ConsentState } from '../consent/consents.ts';
import type { Db } from '../database/db.ts';
import { bookPage } from './contact-pages.ts';
import {
  type ContactPage,
  type ContactSummaryRow,
  isClearing,
  type Lookup,
  type PageStatement,
  sorts,
  summaryIn,
  summaryOfContact,
} from './contact-summaries.ts';
import { queryKeys } from './search-keys.ts';
import { countWalked, isWalkable, walkedPage } from './walked-pages.ts';

export type ContactFilter = {
  words?: string[];
  phone?: string;
  email?: string;
  groupId?: number;
  remoteContactId?: string;
  modifiedSince?: Date;
  /** Only the advisor's own app filters by these. */
  consent?: ConsentState;
  without?: number[];
  only?: number[];
};

/** Larger ones aren't short: they take a connection of their own. */
const shortPageMax = 50;
/** So many matches are found and sorted faster than a page of them in the index of a sort. */
const fewMax = 1_000;

export async function listContacts(
  db: Db,
  advisorId: number,
  filter: ContactFilter,
  page: ContactPage,
): Promise<{ total: number; contacts: ContactSummaryRow[] }> {
  const rows = await findRows(db, advisorId, filter, page);
  return {
    total: rows[0]?.total ?? 0,
    contacts: rows.flatMap(({ contact }) => (contact === null ? [] : summaryIn(contact))),
  };
}

/** Past the last page there is one row with the total and no contact. */
type FoundRow = { total: number; isClearing?: boolean; isCut?: boolean; contact: string | null };

async function findRows(db: Db, advisorId: number, filter: ContactFilter, page: ContactPage): Promise<FoundRow[]> {
  const lookUp = ({ text, key, name }: Lookup) => db.lookUpPage<FoundRow>(text, key, name);
  const first = isEmpty(filter) ? firstPage(advisorId, page) : null;
  if (first) return lookUp(first);
  const withKey = pageWithKey(advisorId, filter, page);
  const found = withKey ? await lookUp(withKey) : [];
  if (found[0] && found[0].total <= shortPageMax) return found;
  const ask = ({ text, values, name }: PageStatement) => db.query<FoundRow>(text, values, name);
  const { consent, without, ...others } = filter;
  if ((consent || without?.length) && isEmpty(others) && isWalkable(page)) {
    const total = await countWalked(db, advisorId, { consent, without });
    if (total > fewMax) return ask(walkedPage(advisorId, { consent, without }, page, total));
  }
  let rows = (await isMuch(db, advisorId, filter)) ? await ask(bookPage(advisorId, page, filter.modifiedSince)) : null;
  if (!rows || rows[0]?.isCut) rows = await ask(matching(advisorId, filter, page));
  return rows[0]?.isClearing ? ask(matching(advisorId, filter, page, withoutDeletedGroups)) : rows;
}

/** Whether the whole book is asked for, or what changed in it since a date, and that is more than `fewMax`. */
async function isMuch(db: Db, advisorId: number, { modifiedSince, ...others }: ContactFilter): Promise<boolean> {
  if (!isEmpty(others) || modifiedSince === undefined) return isEmpty(others);
  return db.has(
    `select
     from contacts
     where advisor_id = $1 and date_time_modified >= $2
     offset ${fewMax}
     limit 1`,
    [advisorId, modifiedSince],
    'has-many-modified',
  );
}

/**
 * The first page in ascending order, if it is short: how the sort's index begins. Null for another one, and for the number of
 * groups, where the index may still count deleted ones.
 */
function firstPage(advisorId: number, { sortBy, descending, offset, limit }: ContactPage): Lookup | null {
  if (descending || offset > 0n || limit > shortPageMax || sortBy === 'groupCount') return null;
  const { column } = sorts[sortBy];
  return {
    name: `list-first-contacts-${sortBy}`,
    key: [advisorId, limit],
    text: `
      select asked.position, book.total, page.contact
      from unnest($1::bigint[], $2::bigint[]) with ordinality as asked (advisor_id, page_size, position)
      cross join lateral (
        select contact_count as total
        from contact_books
        where advisor_id = asked.advisor_id
        offset 0
      ) as book
      left join lateral (
        select row_number() over () as place, contact
        from (
          select ${summaryOfContact}
          from contacts c
          where c.advisor_id = asked.advisor_id
          order by c.${column}, c.contact_id
          -- The planner must know that it is short, or it would sort the whole book.
          limit ${shortPageMax}
        ) as first
        limit asked.page_size
      ) as page on true
      order by asked.position, page.place`,
  };
}

/**
 * A page of those who have a phone or a remote id, if it is the only filter: as a rule that is one contact. If they are more
 * than a short page, it has a larger total and none of them.
 */
function pageWithKey(
  advisorId: number,
  { phone, remoteContactId, ...others }: ContactFilter,
  { sortBy, descending, offset, limit }: ContactPage,
): Lookup | null {
  const isAlone = (phone === undefined) !== (remoteContactId === undefined) && isEmpty(others);
  if (!isAlone || sortBy === 'groupCount') return null;
  const key = phone === undefined ? 'remote_contact_id' : 'phone';
  const direction = descending ? 'desc' : 'asc';
  return {
    name: `list-contacts-by-${key}-${sortBy}-${direction}`,
    key: [advisorId, phone ?? remoteContactId, offset, limit],
    text: `
      select asked.position, matched.total, page.contact
      from unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[])
        with ordinality as asked (advisor_id, key, page_offset, page_size, position)
      cross join lateral (
        select count(*) as total
        from (
          select
          from contacts
          where advisor_id = asked.advisor_id and ${key} = asked.key
          limit ${shortPageMax + 1}
        ) as few
      ) as matched
      left join lateral (
        select row_number() over () as place, contact
        from (
          select ${summaryOfContact}
          from (
            select *
            from contacts
            where advisor_id = asked.advisor_id and ${key} = asked.key and matched.total <= ${shortPageMax}
            -- A fence: they are found first, and then sorted.
            limit ${shortPageMax}
          ) as c
          order by ${sortBy === 'email' ? 'c.email_address is null, ' : ''}c.${sorts[sortBy].column} ${direction}, c.contact_id
          offset asked.page_offset
          limit asked.page_size
        ) as found
      ) as page on true
      order by asked.position, page.place`,
  };
}

/** A page of the matches. Every match is counted and sorted, so the cost grows with the matches, not with the book. */
function matching(
  advisorId: number,
  filter: ContactFilter,
  page: ContactPage,
  corrected = (matches: string) => matches,
): PageStatement {
  const { column } = sorts[page.sortBy];
  const direction = page.descending ? 'desc' : 'asc';
  const values: unknown[] = [advisorId, page.offset, page.limit];
  const conditions = ['c.advisor_id = $1', ...conditionsOf(filter, values)];

  const matches = `
        select c.contact_id, c.${column} as key, c.email_address is null as unset
        from contacts c
        where ${conditions.join(' and ')}`;
  return {
    values,
    text: `
      with matched as materialized (${corrected(matches)}
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
      select totals.total, ${isClearing(page.sortBy, '$1')} page.contact
      from (select count(*) as total from matched) as totals
      left join (
        select position, ${summaryOfContact}
        from picked
        join contacts c on c.advisor_id = $1 and c.contact_id = picked.contact_id
      ) as page on true
      order by position`,
  };
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
