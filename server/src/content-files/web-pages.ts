import { OutboundFault } from '../outbound/outbound.ts';
import { decoded } from './encodings.ts';
import { SourceFault } from './faults.ts';
import { type Reading, whyNot } from './sources.ts';
import { readWebPageHead, type WebPageHead } from './web-page-head.ts';

/** A page of a sitemap with what it says of itself, or why it can't be had. */
export type WebPage<Entry> = { entry: Entry } & (WebPageHead | { why: string });

const concurrently = 4;
const pageBytesMax = 1024 * 1024;
/** A site that answers nothing more is left alone. */
const failuresInARowMax = 20;

/** A site asked us to come back later. */
class TooOften extends SourceFault {}

/** Reads pages, a few at a time. It ends early where the site has enough of us, or time is up. */
export async function* readWebPages<Entry extends { url: string }>(
  entries: Entry[],
  reading: Reading,
): AsyncGenerator<WebPage<Entry>> {
  const waiting = entries.values();
  const running = new Map<Entry, ReturnType<typeof readNext>>();
  let failures = 0;
  let enough = false;

  const readNext = async (entry: Entry): Promise<[Entry, WebPage<Entry> | null]> => {
    try {
      const head = await readWebPage(entry.url, reading);
      failures = 0;
      return [entry, { entry, ...head }];
    } catch (error) {
      failures = error instanceof OutboundFault ? failures + 1 : 0;
      enough ||= error instanceof TooOften || failures >= failuresInARowMax || reading.until.aborted;
      return [entry, reading.until.aborted ? null : { entry, why: whyNot(error) }];
    }
  };
  for (;;) {
    while (running.size < concurrently && !enough) {
      const { done, value } = waiting.next();
      if (done) break;
      running.set(value, readNext(value));
    }
    if (running.size === 0) return;
    const [entry, page] = await Promise.race(running.values());
    running.delete(entry);
    if (page) yield page;
  }
}

async function readWebPage(url: string, { ask, until }: Reading): Promise<WebPageHead> {
  const response = await ask(url, { signal: until, headers: { accept: 'text/html, application/xhtml+xml' } });
  const type = response.headers.get('content-type') ?? 'text/html';
  const isHtml = /^\s*(text\/html|application\/xhtml\+xml)\b/i.test(type);
  if (!response.ok || !isHtml) await response.body?.cancel();
  if (response.status === 429 || response.status === 503) throw new TooOften(`it answers ${response.status}`);
  if (!response.ok) throw new SourceFault(`it answers ${response.status}`);
  if (!isHtml) throw new SourceFault('it is not a web page');
  const head = readWebPageHead(decoded(await beginning(response), type));
  if (head.title === '') throw new SourceFault('the page has no title');
  return head;
}

/** What a page says of itself stands at its beginning; leaving the loop ends the transfer. */
async function beginning(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= pageBytesMax) break;
  }
  return Buffer.concat(chunks).subarray(0, pageBytesMax);
}
