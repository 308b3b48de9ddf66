import { join } from 'node:path';
import pg from 'pg';
import type { Deps } from '../src/deps.ts';
import { addFirm } from '../src/domain/accounts/firms.ts';
import { readFirmOverview } from '../src/domain/operations/firm-overview.ts';
import { indexArchive } from '../src/domain/record-keeping/archive-index.ts';
import { type ArchiveSearch, searchArchive } from '../src/domain/record-keeping/archive-search.ts';
import { listReviews } from '../src/domain/supervision/reviews.ts';
import { startEmbedded } from '../src/store/database/embedded.ts';
import { connect } from '../src/store/database/pool.ts';
import { appRole, ensureDatabase, migrate } from '../src/store/database/schema/migrate.ts';
import { depsOn } from '../test/support/deps.ts';
import { measurePages } from './console-pages.ts';
import type { Scratch } from './scratch.ts';
import type { Sizes } from './sizes.ts';
import { heading, ms, say, table, whole } from './tables.ts';

const advisors = 200;
const membersOfEach = 100;
const openReviews = 100_000;
const statementMsMax = 60_000;
const tries = 5;
const connections = 4;
const [searchBarMs, pageBarMs] = [300, 1_000];
/** Texts are spread evenly over these days. */
const [firstDay, days] = ['2023-01-01T00:00:00Z', 1_000];

/** What the pages of compliance officers wait for, with a large archive and a long queue. */
export async function measureConsole(scratch: Scratch, { archivedEntries: texts }: Sizes): Promise<string[]> {
  const embedded = await startEmbedded(join(scratch.folder, 'console'), say);
  const server = scratch.owns(() => embedded.stop());
  const url = embedded.url('console');
  await ensureDatabase(embedded.url('postgres'), 'console');
  await migrate(url);
  const pool = connect({ connectionString: url, size: connections, timeoutMs: statementMsMax, role: appRole });
  const owner = new pg.Client({ connectionString: url });
  try {
    await owner.connect();
    const deps = depsOn(pool);
    const { firmId } = await addFirm(deps, 'Bench Wealth');
    heading(`The console with ${whole(texts)} archived texts and ${whole(openReviews)} open reviews`);
    await seed(owner, firmId, texts);
    await measureIndexing(deps, owner, texts);
    await owner.query('vacuum (analyze)');
    const worst = await measureSearches(deps, firmId);
    const queueMs = await worstOf(() => listReviews(deps, { firmId, status: 'open', kind: null }));
    const overviewMs = await worstOf(() => readFirmOverview(deps, firmId));
    table([
      { page: 'first 500 of the review queue', 'worst ms': ms(queueMs) },
      { page: 'overview', 'worst ms': ms(overviewMs) },
    ]);
    const shownMs = await measurePages(pool, firmId);
    return [
      `a search of ${whole(texts)} archived texts: at most ${ms(worst)} ms (bar ${whole(searchBarMs)})`,
      `the console's pages: ${shownMs === null ? 'not opened' : `shown after at most ${ms(shownMs)} ms`} (bar ${whole(pageBarMs)})`,
    ];
  } finally {
    await owner.end();
    await pool.end();
    await server.stop();
  }
}

/** In SQL, as the owner: through the product it takes an hour. `number` counts the texts of all advisors in the order of time. */
async function seed(owner: pg.Client, firmId: number, texts: number): Promise<void> {
  await owner.query('set session_replication_role = replica');
  await owner.query(
    `insert into advisors (advisor_id, firm_id, name, email, time_zone, date_time_created)
     overriding system value
     select book, $1, 'Advisor ' || book, 'advisor' || book || '@bench.example', 'UTC', now()
     from generate_series(1, $2::integer) as book`,
    [firmId, advisors],
  );
  await owner.query(
    `insert into members (advisor_id, member_id, phone, last_changed, date_time_created)
     overriding system value
     select book, book * 1000 + person, '+1212' || (5000000 + book * 1000 + person), now(), now()
     from generate_series(1, $1::integer) as book, generate_series(1, $2::integer) as person`,
    [advisors, membersOfEach],
  );
  await owner.query(
    `insert into archive_entries (advisor_id, number, kind, member_id, actor, meta, commitment, date_time_created)
     select
       ${bookOf}, ${placeOf}, case when number % 3 = 0 then 'text_in' else 'text_out' end,
       ${bookOf} * 1000 + 1 + (${placeOf}) % $2::integer, 'advisor:1', '{}', '\\x00',
       $3::timestamptz + number * interval '1 day' * $4::integer / $1::integer
     from generate_series(0, $1::integer - 1) as number`,
    [texts, membersOfEach, firstDay, days],
  );
  await owner.query(
    `insert into archive_bodies (advisor_id, number, salt, body)
     select ${bookOf}, ${placeOf}, '\\x00', convert_to(${text}, 'UTF8')
     from generate_series(0, $1::integer - 1) as number
     cross join lateral (
       select string_agg('term' || floor(20000 * power(random(), 3)), ' ') as words
       from generate_series(1, 10 + number % 5)
     ) as drawn`,
    [texts],
  );
  await owner.query(
    `insert into reviews (advisor_id, firm_id, kind, member_id, archive_number, date_time_created)
     select ${bookOf}, $2, 'flagged', ${bookOf} * 1000 + 1, 1, now()
     from generate_series(1, $1::integer) as number`,
    [openReviews, firmId],
  );
  await owner.query('vacuum (analyze)');
}

/** Lets the node's job make the entries that fit searchable. */
async function indexThose(deps: Deps, owner: pg.Client, that: string): Promise<number> {
  await owner.query(
    `insert into archive_heads (advisor_id, last_number)
     select advisor_id, max(number)
     from archive_entries
     where ${that}
     group by advisor_id
     on conflict (advisor_id) do update
     set last_number = excluded.last_number`,
  );
  const began = performance.now();
  await indexArchive(deps);
  return performance.now() - began;
}

const bookOf = `1 + number % ${advisors}`;
const placeOf = `1 + number / ${advisors}`;
/** `hello` is in every text, `even` and `odd` in half of them each and never in one, `formerly` in most of the oldest third. */
const text = `concat_ws(
         ' ', 'Hello', drawn.words, case when number % 2 = 0 then 'even' else 'odd' end,
         case when number % 99991 = 0 then 'zephyr' end, case when number < $1 / 3 then 'formerly' end
       )`;

/** It is no part of a text, but takes the same machine. Of the newest texts only: without the index of words, the others are quicker. */
async function measureIndexing(deps: Deps, owner: pg.Client, texts: number): Promise<void> {
  const measured = texts / 20;
  await owner.query('drop index archive_words_words');
  await indexThose(deps, owner, `number <= ${(texts - measured) / advisors}`);
  await owner.query(`set maintenance_work_mem = '256MB'`);
  await owner.query('create index archive_words_words on archive_words using gin (words)');
  const tookMs = await indexThose(deps, owner, 'true');
  const { rows } = await owner.query<{ bytes: string }>(`select pg_total_relation_size('archive_words') as bytes`);
  say(
    `made searchable: ${ms((tookMs / measured) * 1000)} µs and ${whole(Number(rows[0]?.bytes) / texts)} B for each text`,
  );
}

const searches: Record<string, ArchiveSearch> = {
  'no words': {},
  'a rare word': { words: 'zephyr' },
  'a word in every text': { words: 'hello' },
  'a word that nobody wrote': { words: 'xyzzy' },
  'two words, often together': { words: 'hello term1' },
  'two words, in half of the texts each, never together': { words: 'even odd' },
  'a word of the oldest third': { words: 'formerly' },
  'that and another of half of them': { words: 'formerly even' },
  'a number': { phone: '+12125017042' },
  'a number and a word': { phone: '+12125017042', words: 'hello' },
  'an advisor and a rare word': { advisorId: 17, words: 'zephyr' },
  'an advisor and a word in every text': { advisorId: 17, words: 'hello' },
  'received, a word in every text': { kind: 'received', words: 'hello' },
};
const periods: Record<string, Pick<ArchiveSearch, 'from' | 'to'>> = {
  'at any time': {},
  'a month': { from: '2024-03-01T00:00:00Z', to: '2024-04-01T00:00:00Z' },
  'two years': { from: '2023-02-01T00:00:00Z', to: '2025-02-01T00:00:00Z' },
};

async function measureSearches(deps: Deps, firmId: number): Promise<number> {
  let worst = 0;
  const rows = [];
  for (const [name, search] of Object.entries(searches)) {
    const row: Record<string, string> = { search: name };
    for (const [period, dates] of Object.entries(periods)) {
      let found = '';
      const tookMs = await worstOf(async () => {
        const { data, cursor, searchedTo } = await searchArchive(deps, firmId, { ...search, ...dates });
        found = `${data.length}${searchedTo ? ' so far' : cursor ? '+' : ''}`;
      });
      worst = Math.max(worst, tookMs);
      row[period] = `${ms(tookMs)} ms, ${found}`;
    }
    rows.push(row);
  }
  table(rows);
  return worst;
}

async function worstOf(work: () => Promise<unknown>): Promise<number> {
  let worst = 0;
  for (let attempt = 0; attempt < tries; attempt++) {
    const began = performance.now();
    await work();
    worst = Math.max(worst, performance.now() - began);
  }
  return worst;
}
