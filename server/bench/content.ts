import { join } from 'node:path';
import pg from 'pg';
import type { Deps } from '../src/deps.ts';
import { addAdvisor } from '../src/domain/accounts/advisors.ts';
import { addFirm } from '../src/domain/accounts/firms.ts';
import {
  type ContentInput,
  type ContentSearch,
  contentTypes,
  saveContent,
  searchContent,
} from '../src/domain/content/content.ts';
import type { Pool } from '../src/store/database/db.ts';
import { startEmbedded } from '../src/store/database/embedded.ts';
import { connect } from '../src/store/database/pool.ts';
import { appRole, ensureDatabase, migrate } from '../src/store/database/schema/migrate.ts';
import { depsOn } from '../test/support/deps.ts';
import { cpuOfEach, cpuTime } from './cpu.ts';
import type { Scratch } from './scratch.ts';
import type { Sizes } from './sizes.ts';
import { heading, median, ms, type Row, ratio, say, table, whole } from './tables.ts';

/** What one kind of search took: PostgreSQL's CPU on average, and how long each took. */
type Times = { cpuMs: number; wholeMs: number[] };
type SearchFigures = { items: number; perSecond: number; times: Map<string, Times> };
type Searches = Record<string, Omit<ContentSearch, 'page' | 'pageSize'> & { pages: 'first' | 'all' }>;

const batchSize = 500;
const pageSize = 25;
const barMs = 150;
const savedPerSecondMin = 5_000;
const statementMsMax = 60_000;
/** One item in this many is the firm's own. */
const ownEvery = 10;

/** The cost of saving and of each kind of search as the library grows. */
export async function measureContent(scratch: Scratch, { library }: Sizes): Promise<string[]> {
  const embedded = await startEmbedded(join(scratch.folder, 'content'), say);
  const server = scratch.owns(() => embedded.stop());
  const url = embedded.url('content');
  await ensureDatabase(embedded.url('postgres'), 'content');
  await migrate(url);
  const pool = connect({ connectionString: url, size: 1, timeoutMs: statementMsMax, role: appRole });
  const owner = new pg.Client({ connectionString: url });
  try {
    await owner.connect();
    const measured = await measureSizes(pool, owner, library);
    showGrowth(measured);
    return measured.slice(-1).flatMap(barsOf);
  } finally {
    await owner.end();
    await pool.end();
    await server.stop();
  }
}

async function measureSizes(
  pool: Pool,
  owner: pg.Client,
  { items, repetitions }: Sizes['library'],
): Promise<SearchFigures[]> {
  const deps = depsOn(pool);
  const { firmId } = await addFirm(deps, 'Bench Wealth');
  const { advisorId } = await addAdvisor(deps, { firmId, name: 'Bench', email: 'bench@bench.example' });
  const measured: SearchFigures[] = [];
  for (const wanted of items) {
    const perSecond = await fill(deps, firmId, measured.at(-1)?.items ?? 0, wanted);
    await owner.query('vacuum (analyze)');
    const times = await measureSearches(deps, owner, advisorId, repetitions);
    measured.push({ items: wanted, perSecond, times });
    show({ items: wanted, perSecond, times }, repetitions);
  }
  return measured;
}

/** Saves up to that many items as an import does; returns how many a second. */
async function fill(deps: Deps, firmId: number, present: number, wanted: number): Promise<number> {
  let elapsedMs = 0;
  for (let start = present; start < wanted; start += batchSize) {
    const items = Array.from({ length: batchSize }, (_, index) => itemOf(start + index));
    const began = performance.now();
    const isOwn = (start / batchSize) % ownEvery === 0;
    await saveContent(deps, isOwn ? firmId : null, items);
    elapsedMs += performance.now() - began;
  }
  return ((wanted - present) / elapsedMs) * 1000;
}

/** The more common a word, the lower its number; the first ten are in about a fifth of all items each. */
const vocabularySize = 30_000;
const flatness = 20;
const onsets = 'b c d f g h j k l m n p r s t v w br cr dr fl gr pl pr st tr ch sh th con re in pro de ex'.split(' ');
const vowels = 'a e i o u ai ea io ou'.split(' ');
const codas = ['', '', '', ...'n r s t l m nd nt st ck ng'.split(' ')];
const endings = ['', '', '', ...'s ing ed er ment tion ly able ness al ive ful ity'.split(' ')];
const vocabulary = makeVocabulary();
const shares = vocabulary.map((_, rank) => 1 / (rank + 1 + flatness));
const cumulated = shares.map(
  (
    (sum) => (share) =>
      (sum += share)
  )(0),
);

function makeVocabulary(): string[] {
  const random = randomFrom(1);
  const pick = (from: string[]) => from[Math.floor(random() * from.length)] ?? '';
  const words = new Set<string>();
  while (words.size < vocabularySize) {
    const syllables = Array.from(
      { length: 1 + Math.floor(random() * 3) },
      () => pick(onsets) + pick(vowels) + pick(codas),
    );
    words.add(syllables.join('') + pick(endings));
  }
  return [...words].filter((word) => word.length > 2);
}

/** Pseudorandom numbers, the same in every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function itemOf(number: number): ContentInput {
  const random = randomFrom(number);
  const word = () => wordAt(random());
  const text = (words: number) => Array.from({ length: words }, word).join(' ');
  return {
    type: contentTypes[Math.floor(random() * contentTypes.length)] ?? 'WebContent',
    title: text(6),
    url: `https://content.bench.example/${number}`,
    summary: text(22),
    keywords: Array.from({ length: 5 }, word),
    status: 'published',
    dateTimePublished: new Date(1_600_000_000_000 + random() * 1e11),
  };
}

function wordAt(share: number): string {
  const wanted = share * (cumulated.at(-1) ?? 0);
  let [low, high] = [0, cumulated.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cumulated[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return vocabulary[low] ?? '';
}

/** A word of that rank, from the vocabulary. */
const ranked = (rank: number) => vocabulary[rank] ?? '';
const longRanked = (rank: number) => vocabulary.slice(rank).find((word) => word.length > 8) ?? '';
const misspelled = (word: string) => word.slice(0, 3) + word[4] + word[3] + word.slice(5);

const searches: Searches = {
  'no text': { contentType: 'All', pages: 'all' },
  'no text, a type': { contentType: 'Emails', pages: 'all' },
  'a rare word': { contentType: 'All', text: ranked(9_000), pages: 'first' },
  'a common word': { contentType: 'All', text: ranked(0), pages: 'all' },
  'a common word, a type': { contentType: 'Print', text: ranked(1), pages: 'all' },
  'two common words': { contentType: 'All', text: `${ranked(0)} ${ranked(2)}`, pages: 'all' },
  'a common and a rare word': { contentType: 'All', text: `${ranked(3)} ${ranked(4_000)}`, pages: 'first' },
  'two words that no item has both of': { contentType: 'All', text: `${ranked(0)} ${ranked(15_000)}`, pages: 'all' },
  'three common words and an unknown one': {
    contentType: 'All',
    text: `${vocabulary.slice(0, 3).join(' ')} xyzzyqqq`,
    pages: 'all',
  },
  'the same, one misspelled': {
    contentType: 'All',
    text: `${vocabulary.slice(0, 3).join(' ')} ${misspelled(longRanked(28_000))}`,
    pages: 'all',
  },
  'the same, two misspelled': {
    contentType: 'All',
    text: `${vocabulary.slice(0, 2).join(' ')} ${misspelled(longRanked(50))} ${misspelled(longRanked(5_000))}`,
    pages: 'all',
  },
  'a prefix of four letters': { contentType: 'All', text: 'cont', pages: 'all' },
  'a prefix of three letters': { contentType: 'All', text: 'con', pages: 'all' },
  'a prefix of two letters': { contentType: 'All', text: 're', pages: 'all' },
  'four prefixes of two letters': { contentType: 'All', text: 're co in pr', pages: 'all' },
  'three prefixes of two letters and an unknown word': { contentType: 'All', text: 're co pr xyzzyqqq', pages: 'all' },
  'a prefix of one letter': { contentType: 'All', text: 'r', pages: 'all' },
  'a misspelled word': { contentType: 'All', text: misspelled(longRanked(50)), pages: 'first' },
  'two misspelled words': {
    contentType: 'All',
    text: `${misspelled(longRanked(30))} ${misspelled(longRanked(100))}`,
    pages: 'first',
  },
  nothing: { contentType: 'All', text: 'xyzzyqqq', pages: 'first' },
};

async function measureSearches(
  deps: Deps,
  owner: pg.Client,
  advisorId: number,
  repetitions: number,
): Promise<SearchFigures['times']> {
  const times = new Map<string, Times>();
  for (const [kind, { pages, ...search }] of Object.entries(searches)) {
    const { pageInfo } = await searchContent(deps, advisorId, { ...search, page: 1, pageSize });
    const lastPage = Math.max(1, Math.ceil(pageInfo.totalRecord / pageSize));
    const asked = { first: 1, middle: Math.ceil(lastPage / 2), last: lastPage };
    for (const [name, page] of Object.entries(asked)) {
      if (pages === 'first' && name !== 'first') continue;
      const wholeMs: number[] = [];
      const before = await cpuTime([], owner);
      for (let repetition = 0; repetition < repetitions; repetition++) {
        const began = performance.now();
        await searchContent(deps, advisorId, { ...search, page, pageSize });
        wholeMs.push(performance.now() - began);
      }
      const { postgresql = Number.NaN } = cpuOfEach(before, await cpuTime([], owner), repetitions);
      times.set(pages === 'first' ? kind : `${kind}: ${name} page of ${whole(pageInfo.totalRecord)}`, {
        cpuMs: postgresql / 1000,
        wholeMs,
      });
    }
  }
  return times;
}

function show({ items, perSecond, times }: SearchFigures, repetitions: number): void {
  heading(
    `The library, ${whole(items)} items, saved at ${whole(perSecond)}/s: ms of a page, ${repetitions} times each`,
  );
  table(
    Array.from(times, ([search, { cpuMs, wholeMs }]) => ({
      search,
      'PostgreSQL’s CPU': ms(cpuMs),
      'whole search, median': ms(median(wholeMs)),
      p99: ms(p99(wholeMs)),
    })),
  );
}

function showGrowth(measured: SearchFigures[]): void {
  heading('Growth of the library: PostgreSQL’s CPU for the worst of all searches; to the smallest library');
  const worst = ({ times }: SearchFigures) => Math.max(...[...times.values()].map(({ cpuMs }) => cpuMs));
  const [smallest] = measured;
  table(
    measured.map(
      (each): Row => ({
        items: whole(each.items),
        'saved/s': whole(each.perSecond),
        worst: ms(worst(each)),
        'to the smallest': ratio(worst(each) / (smallest ? worst(smallest) : Number.NaN)),
      }),
    ),
  );
}

function barsOf({ items, perSecond, times }: SearchFigures): string[] {
  const [kind, worst] = [...times].reduce((a, b) => (b[1].cpuMs > a[1].cpuMs ? b : a));
  return [
    `worst search at ${whole(items)} items: ${ms(worst.cpuMs)} ms of PostgreSQL’s CPU (bar ${barMs} ms)`,
    `  ${kind}; it took ${ms(median(worst.wholeMs))} ms, p99 ${ms(p99(worst.wholeMs))} ms`,
    `content saved: ${whole(perSecond)}/s in batches of ${batchSize} (bar ${whole(savedPerSecondMin)})`,
  ];
}

function p99(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN;
}
