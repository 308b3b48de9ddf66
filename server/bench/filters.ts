import type pg from 'pg';
import { type ContactFilter, listContacts } from '../src/store/address-book/contact-search.ts';
import type { ContactPage } from '../src/store/address-book/contact-summaries.ts';
import type { Pool } from '../src/store/database/db.ts';
import { type Calls, timeInTurns } from './paging.ts';
import { advisorIdOf, tenthGroupIdOf } from './seeding.ts';
import { heading, ms, table, whole } from './tables.ts';

const book = 0;
const pageSize = 25;

/** Every search filter on one book: the first, the middle and the last page by name. */
export async function measureFilters(owner: pg.Client, pool: Pool, label: string, repetitions: number): Promise<void> {
  heading(`Filters, ${label} contacts: CPU of PostgreSQL in ms for a page of ${pageSize}, medians of ${repetitions}`);
  const rows = [];
  for (const [name, filter] of await filters(owner)) {
    const page = (offset: number): ContactPage => ({
      sortBy: 'fullName',
      descending: false,
      offset: BigInt(offset),
      limit: pageSize,
    });
    const list = (offset: number) => listContacts(pool, advisorIdOf(book), filter, page(offset));
    const { total } = await list(0);
    const calls = [0, total / 2, total - pageSize].map((offset) => () => list(Math.max(0, Math.floor(offset))));
    const [first, middle, last] = (await timeInTurns(owner, repetitions, calls)) as [Calls, Calls, Calls];
    rows.push({
      filter: name,
      matches: whole(total),
      first: ms(first.cpuMs),
      middle: ms(middle.cpuMs),
      last: ms(last.cpuMs),
      'slowest call': ms(Math.max(first.slowestMs, middle.slowestMs, last.slowestMs)),
    });
  }
  table(rows);
}

/** Searches for an existing person from the middle of the book. */
async function filters(owner: pg.Client): Promise<[string, ContactFilter][]> {
  const advisorId = advisorIdOf(book);
  const { rows: people } = await owner.query(
    `select lower(last_name) as last_name, email_address, phone
     from contacts
     where advisor_id = $1 and email_address is not null
     order by contact_id
     offset (select contact_count / 2 from contact_books where advisor_id = $1)
     limit 1`,
    [advisorId],
  );
  const { rows: changes } = await owner.query(
    `(select date_time_modified from contacts where advisor_id = $1 order by date_time_modified desc offset 999 limit 1)
     union all
     (
       select date_time_modified
       from contacts
       where advisor_id = $1
       order by date_time_modified
       offset (select contact_count / 2 from contact_books where advisor_id = $1)
       limit 1
     )
     union all
     (select date_time_modified from contacts where advisor_id = $1 order by date_time_modified offset 1000 limit 1)`,
    [advisorId],
  );
  const { last_name: lastName, email_address: email, phone } = people[0];
  const [firstName = ''] = email.split('.');
  return [
    ['search, a first name', { words: [firstName] }],
    ['search, a last name', { words: [lastName] }],
    ['search, two words', { words: [firstName, lastName] }],
    ['search, two letters', { words: ['an'] }],
    ['search, four last digits of a phone', { words: [phone.slice(-4)] }],
    ['search, ten digits of a phone', { words: [phone.slice(-10)] }],
    ['search, an email', { words: [email] }],
    ['search, nobody', { words: ['xyzzy'] }],
    ['phone', { phone }],
    // The domain searches by the address and by its words, which are in the index.
    ['email', { words: [email], email: email.toUpperCase() }],
    ['groupId, of a tenth of the book', { groupId: tenthGroupIdOf(book) }],
    ['modifiedSince, the last 1,000', { modifiedSince: changes[0].date_time_modified }],
    ['modifiedSince, half of the book', { modifiedSince: changes[1].date_time_modified }],
    ['modifiedSince, all but 1,000', { modifiedSince: changes[2].date_time_modified }],
    ['modifiedSince, all', { modifiedSince: new Date(0) }],
  ];
}
