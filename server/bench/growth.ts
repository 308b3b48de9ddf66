import { join } from 'node:path';
import pg from 'pg';
import type { Pool } from '../src/store/database/db.ts';
import { startEmbedded } from '../src/store/database/embedded.ts';
import { connect } from '../src/store/database/pool.ts';
import { appRole, ensureDatabase, migrate } from '../src/store/database/schema/migrate.ts';
import { measureFilters } from './filters.ts';
import { measurePages, type PageTime, showPages, worstOf } from './paging.ts';
import type { Scratch } from './scratch.ts';
import { advisorIdOf, fill } from './seeding.ts';
import type { Sizes } from './sizes.ts';
import { heading, ms, ratio, say, table, whole } from './tables.ts';

type Book = { label: string; contacts: number; pages: PageTime[] };

/** Every page of a book of that many contacts. */
const pageBarMs = 15;
const barContacts = 100_000;

const statementMsMax = 60_000;

/** The cost of a page as the book grows, alone in the database and among other books. */
export async function measureGrowth(scratch: Scratch, sizes: Sizes): Promise<string[]> {
  const embedded = await startEmbedded(join(scratch.folder, 'growth'), say);
  const server = scratch.owns(() => embedded.stop());

  const alone = await withDatabase(embedded.url('alone'), async (owner) => {
    const books: Book[] = [];
    for (const contacts of sizes.bookSizes) {
      await fill(owner, { contacts, books: 1 }, { searchable: false });
      books.push(
        await withPool(embedded.url('alone'), (pool) =>
          measureBook(owner, pool, { label: whole(contacts), contacts }, sizes.repetitions),
        ),
      );
    }
    return books;
  });

  const { contacts, books } = sizes.crowded;
  const crowdedLabel = `${whole(contacts / books)} among ${whole(contacts)}`;
  const crowded = await withDatabase(embedded.url('crowded'), async (owner) => {
    await fill(owner, { contacts, books }, { searchable: true });
    return withPool(embedded.url('crowded'), async (pool) => {
      const book = await measureBook(
        owner,
        pool,
        { label: crowdedLabel, contacts: contacts / books },
        sizes.repetitions,
      );
      await measureFilters(owner, pool, crowdedLabel, sizes.repetitions);
      return book;
    });
  });

  showGrowth([...alone, crowded]);
  await server.stop();
  return [...alone, crowded].filter((book) => book.contacts >= barContacts).flatMap(barsOf);
}

/** A migrated database and its owner's connection. */
async function withDatabase<Result>(url: string, work: (owner: pg.Client) => Promise<Result>): Promise<Result> {
  const address = new URL(url);
  const name = address.pathname.slice(1);
  address.pathname = '/postgres';
  await ensureDatabase(address.href, name);
  await migrate(url);
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  try {
    return await work(owner);
  } finally {
    await owner.end();
  }
}

/** A connection like a server's, new for each book: plans made for a small book don't suit a large one. */
async function withPool<Result>(url: string, work: (pool: Pool) => Promise<Result>): Promise<Result> {
  const pool = connect({ connectionString: url, size: 1, timeoutMs: statementMsMax, role: appRole });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

async function measureBook(
  owner: pg.Client,
  pool: Pool,
  { label, contacts }: Omit<Book, 'pages'>,
  repetitions: number,
): Promise<Book> {
  heading(`Pages of the whole book, ${label} contacts: CPU of PostgreSQL in ms, medians of ${repetitions}`);
  const pages = await measurePages(owner, pool, advisorIdOf(0), repetitions);
  showPages(pages);
  return { label, contacts, pages };
}

function showGrowth(books: Book[]): void {
  heading('Growth: the worst of all sorts and directions, CPU of PostgreSQL in ms');
  table(
    books.flatMap(({ label, pages }) =>
      [25, 200].map((pageSize) => {
        const ofSize = pages.filter((each) => each.pageSize === pageSize);
        const worst = (of: (page: PageTime) => number) => Math.max(...ofSize.map(of));
        return {
          contacts: label,
          'page size': pageSize,
          first: ms(worst(({ first }) => first.cpuMs)),
          middle: ms(worst(({ middle }) => middle.cpuMs)),
          last: ms(worst(({ last }) => last.cpuMs)),
          'slowest call': ms(worst(({ slowestMs }) => slowestMs)),
          'last/first': ratio(worst(({ lastToFirst }) => lastToFirst)),
          'to alike': ratio(worst(({ lastToAlike }) => lastToAlike)),
          'by explain': ms(worst(({ explainedMs }) => explainedMs)),
          'OFFSET first': plainWorst(ofSize, 0),
          'OFFSET middle': plainWorst(ofSize, 1),
          'OFFSET last': plainWorst(ofSize, 2),
        };
      }),
    ),
  );
}

function plainWorst(pages: PageTime[], place: 0 | 1 | 2): string | undefined {
  const times = pages.flatMap(({ plain }) => plain?.[place] ?? []);
  return times.length > 0 ? ms(Math.max(...times)) : undefined;
}

/** Larger books may take longer, but not for the pages that people look at. */
function barsOf({ label, contacts, pages }: Book): string[] {
  const isLarge = contacts > barContacts;
  const middleBar = isLarge ? (pageBarMs * 2 * contacts) / barContacts : pageBarMs;
  return (['first', 'middle', 'last'] as const).map((place) => {
    const worst = worstOf(pages, (page) => page[place].cpuMs);
    const name = `${worst.sortBy} ${worst.direction} by ${worst.pageSize}`;
    const bar = place === 'middle' ? middleBar : pageBarMs;
    return `${place} page at ${label}: at most ${ms(worst[place].cpuMs)} ms of CPU (${name}); the bar is ${whole(bar)}`;
  });
}
