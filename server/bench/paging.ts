import type pg from 'pg';
import { listContacts } from '../src/store/address-book/contact-search.ts';
import { type ContactPage, type ContactSort, contactSorts } from '../src/store/address-book/contact-summaries.ts';
import type { Db, Pool } from '../src/store/database/db.ts';
import { connectionsCpu } from './cpu.ts';
import { median, ms, ratio, table } from './tables.ts';

/** Medians, and the slowest call by the clock. */
export type Calls = { cpuMs: number; p50Ms: number; slowestMs: number };

/** The first, middle and last page of one sort in one direction. */
export type PageTime = {
  sortBy: ContactSort;
  direction: 'asc' | 'desc';
  pageSize: number;
  first: Calls;
  middle: Calls;
  last: Calls;
  slowestMs: number;
  lastToFirst: number;
  /** Relative to the first page in the other direction, which has similar contacts: the cost of depth alone. */
  lastToAlike: number;
  /** The slowest page's execution time from EXPLAIN (ANALYZE). */
  explainedMs: number;
  /** The three pages by plain OFFSET and LIMIT with count(*); not for all sorts, since it is slow. */
  plain: [number, number, number] | undefined;
};

const pageSizes = [25, 200];
const plainPageSize = 25;
/** Larger books are measured by name only: each page takes seconds. */
const plainTotalMax = 100_000;
const explanations = 3;
/** PostgreSQL replans a prepared statement five times before it settles; a server's connections are past that. */
const warmUps = 6;

const plainOrder: Record<ContactSort, (direction: string) => string> = {
  fullName: (direction) => `full_name ${direction}`,
  email: (direction) => `${direction === 'desc' ? 'email_address is null, ' : ''}email_order ${direction}`,
  emailStatus: (direction) => `email_status ${direction}`,
  groupCount: (direction) => `group_count ${direction}`,
  source: (direction) => `source ${direction}`,
  dateTimeCreated: (direction) => `date_time_created ${direction}`,
  dateTimeModified: (direction) => `date_time_modified ${direction}`,
};

export async function measurePages(
  owner: pg.Client,
  pool: Pool,
  advisorId: number,
  repetitions: number,
): Promise<PageTime[]> {
  const probe: ContactPage = { sortBy: 'fullName', descending: false, offset: 0n, limit: 1 };
  const { total } = await listContacts(pool, advisorId, {}, probe);
  const times: PageFigures[] = [];
  for (const sortBy of contactSorts)
    for (const direction of ['asc', 'desc'] as const)
      for (const pageSize of pageSizes)
        times.push(await measureSort(owner, pool, { advisorId, total, sortBy, direction, pageSize, repetitions }));
  return times.map((each) => ({ ...each, lastToAlike: each.last.cpuMs / mirrored(each, times).first.cpuMs }));
}

function mirrored({ sortBy, direction, pageSize }: PageFigures, times: PageFigures[]): PageFigures {
  const found = times.find(
    (each) => each.sortBy === sortBy && each.pageSize === pageSize && each.direction !== direction,
  );
  if (!found) throw new Error(`${sortBy} was measured in one direction only.`);
  return found;
}

export function showPages(pages: PageTime[]): void {
  table(
    pages.map((page) => ({
      sort: page.sortBy,
      direction: page.direction,
      'page size': page.pageSize,
      first: ms(page.first.cpuMs),
      middle: ms(page.middle.cpuMs),
      last: ms(page.last.cpuMs),
      'slowest call': ms(page.slowestMs),
      'last/first': ratio(page.lastToFirst),
      'by explain': ms(page.explainedMs),
      'OFFSET first': page.plain && ms(page.plain[0]),
      'OFFSET middle': page.plain && ms(page.plain[1]),
      'OFFSET last': page.plain && ms(page.plain[2]),
    })),
  );
}

export function worstOf<Item>(items: Item[], badness: (item: Item) => number): Item {
  return items.reduce((worst, each) => (badness(each) > badness(worst) ? each : worst));
}

type PageFigures = Omit<PageTime, 'lastToAlike'>;
type Sort = {
  advisorId: number;
  total: number;
  sortBy: ContactSort;
  direction: 'asc' | 'desc';
  pageSize: number;
  repetitions: number;
};

async function measureSort(owner: pg.Client, pool: Pool, sort: Sort): Promise<PageFigures> {
  const { advisorId, total, sortBy, direction, pageSize, repetitions } = sort;
  const lastPage = Math.max(0, Math.ceil(total / pageSize) - 1);
  const pages = [0, Math.floor(lastPage / 2), lastPage].map(
    (page): ContactPage => ({
      sortBy,
      descending: direction === 'desc',
      offset: BigInt(page * pageSize),
      limit: pageSize,
    }),
  ) as [ContactPage, ContactPage, ContactPage];

  for (let warmUp = 0; warmUp < warmUps; warmUp++)
    for (const page of pages) await listContacts(pool, advisorId, {}, page);
  const calls = await timeInTurns(
    owner,
    repetitions,
    pages.map((page) => () => listContacts(pool, advisorId, {}, page)),
  );
  const [first, middle, last] = calls as [Calls, Calls, Calls];
  const explained = [];
  for (const page of pages) explained.push(await explain(owner, pool, advisorId, page));
  const plain = [];
  if (pageSize === plainPageSize && (total <= plainTotalMax || sortBy === 'fullName'))
    for (const page of pages) plain.push(await plainPage(owner, pool, advisorId, page, direction));

  return {
    sortBy,
    direction,
    pageSize,
    first,
    middle,
    last,
    slowestMs: Math.max(...calls.map(({ slowestMs }) => slowestMs)),
    lastToFirst: last.cpuMs / first.cpuMs,
    explainedMs: Math.max(...explained),
    plain: plain.length > 0 ? (plain as [number, number, number]) : undefined,
  };
}

/** Repeats the calls in turn, so that other load on the machine affects all of them equally. */
export async function timeInTurns(
  owner: pg.Client,
  repetitions: number,
  calls: (() => Promise<unknown>)[],
): Promise<Calls[]> {
  const cpu = await connectionsCpu(owner);
  const times = calls.map((): { cpuMs: number; elapsedMs: number }[] => []);
  for (let repetition = 0; repetition < repetitions; repetition++)
    for (const [index, call] of calls.entries()) {
      const [began, used] = [performance.now(), cpu()];
      await call();
      times[index]?.push({ elapsedMs: performance.now() - began, cpuMs: cpu() - used });
    }
  return times.map((each) => ({
    cpuMs: median(each.map(({ cpuMs }) => cpuMs)),
    p50Ms: median(each.map(({ elapsedMs }) => elapsedMs)),
    slowestMs: Math.max(...each.map(({ elapsedMs }) => elapsedMs)),
  }));
}

async function explain(owner: pg.Client, pool: Pool, advisorId: number, page: ContactPage): Promise<number> {
  let spentMs = 0;
  const explaining: Db = {
    ...pool,
    async query(text, values) {
      const { rows } = await owner.query(`explain (analyze, timing off, format json) ${text}`, values);
      spentMs += rows[0]['QUERY PLAN'][0]['Execution Time'];
      return pool.query(text, values);
    },
  };
  const times: number[] = [];
  for (let explanation = 0; explanation < explanations; explanation++) {
    spentMs = 0;
    await listContacts(explaining, advisorId, {}, page);
    times.push(spentMs);
  }
  return median(times);
}

/** The page by the obvious query, once; it must have the same contacts. */
async function plainPage(
  owner: pg.Client,
  pool: Pool,
  advisorId: number,
  page: ContactPage,
  direction: 'asc' | 'desc',
): Promise<number> {
  const began = performance.now();
  const { rows } = await owner.query(
    `select
       page.*,
       (select count(*) from contacts where advisor_id = $1) as total,
       array(
         select g.name
         from memberships m
         join groups g on g.advisor_id = m.advisor_id and g.group_id = m.group_id
         where m.advisor_id = page.advisor_id and m.contact_id = page.contact_id
         order by g.name, g.group_id
       ) as group_names
     from (
       select *
       from contacts
       where advisor_id = $1
       order by ${plainOrder[page.sortBy](direction)}, contact_id
       offset $2
       limit $3
     ) as page`,
    [advisorId, page.offset, page.limit],
  );
  const elapsedMs = performance.now() - began;
  const { total, contacts } = await listContacts(pool, advisorId, {}, page);
  const same = contacts.map(({ contactId }) => contactId).join() === rows.map((row) => row.contact_id).join();
  if (!same || total !== Number(rows[0]?.total))
    throw new Error(`By ${page.sortBy} ${direction} the page at ${page.offset} is not what plain SQL finds.`);
  return elapsedMs;
}
