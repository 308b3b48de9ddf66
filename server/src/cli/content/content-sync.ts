import { randomInt } from 'node:crypto';
import type { FeedEntry, Refusal, SitemapEntry } from '../../content-files/listings.ts';
import {
  documentBytesMax,
  isWebAddress,
  type Reading,
  readSource,
  type Source,
  whyNot,
} from '../../content-files/sources.ts';
import { readPages } from '../../content-files/web-pages.ts';
import {
  archiveMissing,
  type ContentInput,
  contentStatuses,
  contentTypes,
  listKnownContent,
  type Saved,
  saveContent,
} from '../../domain/content/content.ts';
import { problem } from '../../domain/problems.ts';
import { makeOutbound } from '../../outbound/outbound.ts';
import { requireFile } from '../files.ts';
import { inOneLine, jsonInOneLine } from '../terminal.ts';
import { type Call, UsageError, wholeNumber } from '../verb.ts';
import { contentMaker, firmOf } from './content-import.ts';

const requestTimeoutMs = 10_000;
const wholeTimeoutMs = 10 * 60 * 1000;
const titlesMaxByDefault = 500;
const titlesMaxMost = 50_000;
/** Small, so that what was read is not lost with what comes after it. */
const batchSize = 50;

type Sync = {
  call: Call;
  owner: { firmId: number | null; source: string };
  chosen: Pick<ContentInput, 'type' | 'status'>;
  titlesMax: number;
  reading: Reading;
  report: Report;
};

/** Returns how many were refused. */
export async function syncContent(call: Call): Promise<number> {
  const { options, operands, config } = call;
  const address = operands['URL-OR-FILE'] ?? '';
  const titlesMax = wholeNumber('--titles-max', options['titles-max'] ?? String(titlesMaxByDefault));
  if (titlesMax > titlesMaxMost) throw new UsageError(`--titles-max must be at most ${titlesMaxMost}.`);
  if (!isWebAddress(address)) requireFile(address);
  const limits = { timeoutMs: requestTimeoutMs, bytesMax: documentBytesMax };
  const sync: Sync = {
    call,
    chosen: {
      type: oneOf(contentTypes, '--type', options.type ?? 'WebContent'),
      status: oneOf(contentStatuses, '--status', options.status ?? 'published'),
    },
    titlesMax,
    owner: { firmId: await firmOf(call), source: address },
    reading: { ask: makeOutbound(config.outboundAllowedNetworks, limits), until: AbortSignal.timeout(wholeTimeoutMs) },
    report: makeReport(call),
  };
  const source = await readWhole(address, sync.reading);
  for (const refusal of source.refused) sync.report.refuse(refusal);
  if (source.kind === 'feed') await takeFeed(sync, source.entries);
  else await takeSitemap(sync, source);
  sync.report.end();
  return sync.report.counts.refused;
}

async function readWhole(address: string, reading: Reading): Promise<Source> {
  try {
    return await readSource(address, reading);
  } catch (error) {
    if (reading.until.aborted) throw problem('downstream_timeout', `Reading ${address} took too long.`);
    throw problem('invalid_request', sentence({ what: address, why: whyNot(error) }));
  }
}

/** A feed shows the latest only: what it lists no longer is still there. */
async function takeFeed(sync: Sync, entries: FeedEntry[]): Promise<void> {
  const save = saver(sync);
  for (const [index, entry] of entries.entries()) {
    await save.add(entry);
    sync.call.out.progress('Saving', index + 1, entries.length);
  }
  await save.flush();
}

/** A page that is as old as the one we have is not read again. */
async function takeSitemap(sync: Sync, { entries, isWhole }: Source & { kind: 'sitemap' }): Promise<void> {
  const { call, chosen, owner, report, titlesMax } = sync;
  const known = await listKnownContent(call.runtime, owner);
  const stale = entries.filter(({ url, dateTimePublished }) => {
    const page = known.get(url);
    return page?.status !== chosen.status || page.dateTimePublished?.getTime() !== dateTimePublished?.getTime();
  });
  report.counts.unchanged += entries.length - stale.length;
  report.counts.left = stale.length - (await takePages(sync, someOf(stale, titlesMax)));

  const listed = new Set(entries.map(({ url }) => url));
  const missing = [...known].filter(([url, { status }]) => !listed.has(url) && status !== 'archived');
  if (!call.switches.has('archive-missing')) report.counts.missing = isWhole ? missing.length : 0;
  // What lists nothing, or could not be read as a whole, says nothing about what is gone.
  else if (isWhole && listed.size > 0)
    for (const url of await archiveMissing(call.runtime, owner, listed)) report.archive(url);
  else call.out.note('Nothing is archived: what is listed could not be read as a whole, or is nothing at all.');
}

/** Where there are too many for one run it begins anywhere, so that pages that never answer don't keep the others waiting. */
function someOf(entries: SitemapEntry[], countMax: number): SitemapEntry[] {
  if (entries.length <= countMax) return entries;
  const start = randomInt(entries.length);
  return [...entries.slice(start), ...entries.slice(0, start)].slice(0, countMax);
}

/** How many were read, or can't be. */
async function takePages(sync: Sync, entries: SitemapEntry[]): Promise<number> {
  const save = saver(sync);
  let done = 0;
  for await (const page of readPages(entries, sync.reading)) {
    if ('why' in page) sync.report.refuse({ what: page.entry.url, why: page.why });
    else await save.add({ ...page.entry, title: page.title, summary: page.summary, keywords: [] });
    done += 1;
    sync.call.out.progress('Reading pages', done, entries.length);
  }
  await save.flush();
  if (done < entries.length) sync.call.out.progress('Reading pages', done, done);
  return done;
}

function saver({ call, owner, chosen, report }: Sync) {
  const makeContent = contentMaker();
  let batch: ContentInput[] = [];
  const flush = async () => {
    const results = await saveContent(call.runtime, owner, batch);
    results.forEach((saved, index) => {
      report.save(saved, batch[index] as ContentInput);
    });
    batch = [];
  };
  return {
    flush,
    async add(entry: FeedEntry): Promise<void> {
      const result = makeContent({
        ...entry,
        ...chosen,
        dateTimePublished: entry.dateTimePublished?.toISOString() ?? null,
      });
      if ('why' in result) return report.refuse({ what: entry.url, why: result.why });
      batch.push(result.content);
      if (batch.length >= batchSize) await flush();
    },
  };
}

type Report = ReturnType<typeof makeReport>;

function makeReport({ out, json }: Call) {
  const counts = { added: 0, changed: 0, unchanged: 0, refused: 0, archived: 0, missing: 0, left: 0 };
  const say = (result: string, text: string, record: Record<string, unknown>) =>
    out.line(json ? jsonInOneLine({ result, ...record }) : inOneLine(`${result}: ${text}`));
  return {
    counts,
    save(saved: Saved, { title, url }: ContentInput): void {
      counts[saved] += 1;
      if (saved !== 'unchanged') say(saved, `${title} (${url})`, { title, url });
    },
    refuse(refusal: Refusal): void {
      counts.refused += 1;
      say('refused', sentence(refusal), refusal);
    },
    archive(url: string): void {
      counts.archived += 1;
      say('archived', url, { url });
    },
    end(): void {
      const { added, changed, unchanged, refused, archived, missing, left } = counts;
      out.note(
        [
          `Added ${added}, changed ${changed}, unchanged ${unchanged}, refused ${refused}.`,
          archived > 0 ? `Archived ${archived}.` : '',
          missing > 0 ? `No longer listed: ${missing}, which --archive-missing would archive.` : '',
          left > 0 ? `Left for the next run: ${left}.` : '',
        ]
          .filter(Boolean)
          .join(' '),
      );
    },
  };
}

/** Some reasons name what they are about themselves. */
function sentence({ what, why }: Refusal): string {
  return why.startsWith('http') ? why : `${what}: ${why}`;
}

function oneOf<Value extends string>(values: readonly Value[], name: string, given: string): Value {
  const found = values.find((value) => value.toLowerCase() === given.toLowerCase());
  if (!found) throw new UsageError(`${name} must be one of ${values.join(', ')}, not "${given}".`);
  return found;
}
