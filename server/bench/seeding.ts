import type pg from 'pg';

/** The total number of contacts, assigned to the books in turn, so that each book is scattered over the table. */
export type Books = { contacts: number; books: number };

const firstAdvisorId = 1;

const firstNames = 'Ann,Bob,Carla,Dieter,Émile,Fatima,Grace,Hugo,Ines,José,Kim,Lena,Milan,Nadia,Oscar,Zoë';
const firstNamesFolded = 'ann,bob,carla,dieter,emile,fatima,grace,hugo,ines,jose,kim,lena,milan,nadia,oscar,zoe';
const onsets = 'Al,Bar,Cor,Dun,El,Fen,Gar,Hol,Ing,Jor,Kel,Lun,Mar,Nor,Ost,Pel,Quin,Ros,Sand,Tor';
const middles = 'a,be,di,e,fo,gu,i,ka,le,mo,ne,o,ri,sa,to,u';
const endings = 'berg,dale,ez,ford,holm,ing,ko,ley,man,ner,ov,quist,ris,sen,ski,son,ter,ton,vik,wood';
const emailStatuses = 'None,Subscribed,Subscribed,Subscribed,Unsubscribed,Bounced,Complained,Disabled';
const sources = '0,1,1,1,2,2,3,4,10';

/** A book has one group per number, and one contact in that many is in it. */
const groupEvery = [10, 3, 7, 11];

export function advisorIdOf(book: number): number {
  return firstAdvisorId + book;
}

/** The group that a tenth of the book is in. */
export function tenthGroupIdOf(book: number): number {
  return book * 100;
}

/**
 * Adds contacts up to that number in SQL, as the owner: through the product a million would take most of an hour. Counts are
 * computed afterward, for all books at once.
 */
export async function fill(owner: pg.Client, wanted: Books, { searchable }: { searchable: boolean }): Promise<void> {
  await owner.query('set session_replication_role = replica');
  await owner.query(`set maintenance_work_mem = '512MB'`);
  await owner.query(`set work_mem = '256MB'`);
  // Nothing may change a plan or use the disk during a measurement.
  for (const table of ['contacts', 'memberships'])
    await owner.query(`alter table ${table} set (autovacuum_enabled = false)`);
  const { rows } = await owner.query<{ present: number }>('select count(*)::integer as present from contacts');
  const rebuildIndexes = await dropIndexes(owner, searchable);
  await owner.query(searchKeys);
  await addAdvisors(owner, wanted.books);
  await addContacts(owner, rows[0]?.present ?? 0, wanted, searchable);
  await rebuildIndexes();
  await keepInStep(owner);
  await owner.query('vacuum (analyze) contacts, groups, memberships, contact_books');
  await owner.query('checkpoint');
}

/** What `store/address-book/search-keys.ts` makes of a search text. */
const searchKeys = `
  create or replace function pg_temp.search_keys(search_text text) returns text[]
  language sql immutable
  return array(
    select distinct key
    from unnest(string_to_array(search_text, ' ')) as word
    cross join lateral (
      select left(word, 2)
      where length(word) >= 2 and word !~ '^[0-9]'
      union all
      select left(word, 3)
      where length(word) >= 3
      union all
      select '+' || substr(word, 4, 3)
      where length(word) >= 6 and word !~ '^[0-9]*$'
      union all
      select substr(word, start, 3)
      from generate_series(2, length(substring(word from '^[0-9]*')) - 2) as start
    ) as keys (key)
  )`;

/** The search index is left out if nothing searches: it takes longer to build than all the others together. */
async function dropIndexes(owner: pg.Client, searchable: boolean): Promise<() => Promise<void>> {
  const { rows } = await owner.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition
     from pg_indexes
     where schemaname = 'public' and tablename in ('contacts', 'memberships') and indexname not like '%_pkey'`,
  );
  for (const { name } of rows) await owner.query(`drop index ${name}`);
  return async () => {
    for (const { name, definition } of rows)
      if (searchable || name !== 'contacts_search') await owner.query(definition);
  };
}

async function addAdvisors(owner: pg.Client, books: number): Promise<void> {
  await owner.query(
    `insert into firms (firm_id, name, date_time_created)
     overriding system value
     values (1, 'Bench Wealth', now())
     on conflict do nothing`,
  );
  await owner.query(
    `insert into advisors (advisor_id, firm_id, name, email, time_zone, date_time_created)
     overriding system value
     select $1 + book, 1, 'Advisor ' || book, 'advisor' || book || '@bench.example', 'UTC', now()
     from generate_series(0, $2 - 1) as book
     on conflict do nothing`,
    [firstAdvisorId, books],
  );
  await owner.query(
    `insert into groups (advisor_id, group_id, name, source, search_text, date_time_created, date_time_modified)
     overriding system value
     select $1 + book, book * 100 + kind, 'Group ' || kind, 0, ' group ' || kind, now(), now()
     from generate_series(0, $2 - 1) as book, generate_series(0, $3 - 1) as kind
     on conflict do nothing`,
    [firstAdvisorId, books, groupEvery.length],
  );
}

async function addContacts(
  owner: pg.Client,
  present: number,
  { contacts, books }: Books,
  searchable: boolean,
): Promise<void> {
  const groupCount = groupEvery.map((every) => `(number / $3 % ${every} = 0)::integer`).join(' + ');
  const tails = Array.from({ length: 11 }, (_, start) => `substr(digits, ${start + 1})`).join(', ');
  const searchText = `concat_ws(
         ' ', '', first_folded, lower(last_name), first_folded || '.' || mailbox, mailbox,
         case when mailbox is not null then 'mail.example example' end, ${tails}
       )`;
  await owner.query(
    `insert into contacts (
       advisor_id, contact_id, identifier, first_name, last_name, email_address, phone, source, email_status,
       group_count, search_text, search_keys, date_time_created, date_time_modified
     )
     overriding system value
     select
       $4 + number % $3, number, md5(number::text)::uuid, first_name, last_name, first_folded || '.' || mailbox,
       '+' || digits, source, case when mailbox is null then 'None' else email_status end, ${groupCount},
       ${searchText}, ${searchable ? `pg_temp.search_keys(${searchText})` : `'{}'`},
       created, created + ${drawn(9)} % 1000 * interval '1 hour'
     from (
       select *, case when ${drawn(8)} % 10 > 0 then lower(last_name) || number || '@mail.example' end as mailbox
       from (
         select
           number,
           ${oneOf(firstNames, 1)} as first_name,
           ${oneOf(firstNamesFolded, 1)} as first_folded,
           ${oneOf(onsets, 2)} || ${oneOf(middles, 3)} || ${oneOf(endings, 4)} as last_name,
           ${oneOf(emailStatuses, 5)} as email_status,
           ${oneOf(sources, 6)}::integer as source,
           (12000000000 + ${drawn(7)} % 8000000000)::text as digits,
           timestamptz '2023-01-01 00:00Z' + ${drawn(10)} % 94608000000 * interval '1 millisecond' as created
         from generate_series($1::bigint, $2::bigint - 1) as number
       ) as named
     ) as person`,
    [present, contacts, books, firstAdvisorId],
  );
  await owner.query(
    `insert into memberships (advisor_id, group_id, contact_id)
     select $4 + number % $3, number % $3 * 100 + kind - 1, number
     from
       unnest(array[${groupEvery}]) with ordinality as groups (every, kind),
       generate_series($1::bigint, $2::bigint - 1) as number
     where number / $3 % every = 0`,
    [present, contacts, books, firstAdvisorId],
  );
}

/** A pseudorandom number for the contact, the same in every run. */
function drawn(salt: number): string {
  return `(hashint8extended(number, ${salt}) & 9223372036854775807)`;
}

function oneOf(words: string, salt: number): string {
  return `('{${words}}'::text[])[1 + ${drawn(salt)} % ${words.split(',').length}]`;
}

/** The counts of books and groups. */
export async function keepInStep(owner: pg.Client): Promise<void> {
  await owner.query(
    `update groups
     set contact_count = (
       select count(*)
       from memberships m
       where m.advisor_id = groups.advisor_id and m.group_id = groups.group_id
     )`,
  );
  await owner.query('truncate contact_books');
  await owner.query(
    `insert into contact_books (advisor_id, contact_count, email_count)
     select advisor_id, count(*), count(email_address)
     from contacts
     group by advisor_id`,
  );
}
