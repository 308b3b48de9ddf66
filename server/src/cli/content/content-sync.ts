import type { FeedEntry, SitemapEntry } from '../../adapters/files/content/listings.ts';
import {
  documentBytesMax,
  type FetchOptions,
  isWebAddress,
  readSource,
  type Source,
  whyNot,
} from '../../adapters/files/content/sources.ts';
import { readWebPages } from '../../adapters/files/content/web-pages.ts';
import { makeOutbound } from '../../adapters/outbound/outbound.ts';
import {
  archiveContent,
  type ContentInput,
  contentStatuses,
  contentTypes,
  listKnownContent,
  saveContent,
} from '../../domain/content/content.ts';
import { pagesOfRun, planSync } from '../../domain/content/content-syncs.ts';
import { problem } from '../../domain/problems.ts';
import { requireFile } from '../files.ts';
import { type Call, UsageError, wholeNumber } from '../verb.ts';
import { contentMaker, firmOf } from './content-input.ts';
import { makeReport, type SyncReport, sentence } from './content-sync-report.ts';

const requestTimeoutMs = 10_000;
const wholeTimeoutMs = 10 * 60 * 1000;
const titlesMaxByDefault = 500;
const titlesMaxMost = 50_000;
/** Small, so a failure loses few of the pages that were read. */
const batchSize = 50;

type Sync = {
  call: Call;
  owner: { firmId: number | null; source: string };
  chosen: Pick<ContentInput, 'type' | 'status'>;
  titlesMax: number;
  reading: FetchOptions;
  report: SyncReport;
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
  const source = await readListed(address, sync.reading);
  for (const refusal of source.refused) sync.report.refused(refusal);
  if (source.kind === 'feed') await saveFeed(sync, source.entries);
  else await saveSitemap(sync, source);
  sync.report.end();
  return sync.report.counts.refused;
}

async function readListed(address: string, reading: FetchOptions): Promise<Source> {
  try {
    return await readSource(address, reading);
  } catch (error) {
    if (reading.until.aborted) throw problem('downstream_timeout', `Reading ${address} took too long.`);
    throw problem('invalid_request', sentence({ what: address, why: whyNot(error) }));
  }
}

/** A feed lists only its latest items, so items that it no longer lists are kept. */
async function saveFeed(sync: Sync, entries: FeedEntry[]): Promise<void> {
  const save = saver(sync);
  for (const [index, entry] of entries.entries()) {
    await save.add(entry);
    sync.call.out.progress('Saving', index + 1, entries.length);
  }
  await save.flush();
}

async function saveSitemap(sync: Sync, source: Source & { kind: 'sitemap' }): Promise<void> {
  const { call, chosen, owner, report } = sync;
  const plan = planSync(source, await listKnownContent(call.runtime, owner), chosen.status);
  const read = await readAndSavePages(sync, pagesOfRun(plan.stale, sync.titlesMax));
  report.counts.unchanged += plan.unchanged;
  report.counts.left = plan.stale.length - read;
  if (!call.switches.has('archive-missing')) report.counts.missing = plan.missing?.length ?? 0;
  else if (plan.missing)
    for (const url of await archiveContent(call.runtime, owner, plan.missing)) report.archived(url);
  else call.out.note('Nothing is archived: the listing is empty or could not be read completely.');
}

/** Returns how many were read or refused. */
async function readAndSavePages(sync: Sync, entries: SitemapEntry[]): Promise<number> {
  const save = saver(sync);
  let done = 0;
  for await (const page of readWebPages(entries, sync.reading)) {
    if ('why' in page) sync.report.refused({ what: page.entry.url, why: page.why });
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
      report.saved(saved, batch[index] as ContentInput);
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
      if ('why' in result) return report.refused({ what: entry.url, why: result.why });
      batch.push(result.content);
      if (batch.length >= batchSize) await flush();
    },
  };
}

function oneOf<Value extends string>(values: readonly Value[], name: string, given: string): Value {
  const found = values.find((value) => value.toLowerCase() === given.toLowerCase());
  if (!found) throw new UsageError(`${name} must be one of ${values.join(', ')}, not "${given}".`);
  return found;
}
