import { OutboundFault } from '../../outbound/outbound.ts';
import { decoded } from './encodings.ts';
import { SourceFault } from './faults.ts';
import { type FetchOptions, whyNot } from './sources.ts';
import { readWebPageHead, type WebPageHead } from './web-page-head.ts';

/** A sitemap's page with its title and description, or why it couldn't be read. */
type WebPage<Entry> = { entry: Entry } & (WebPageHead | { why: string });

const concurrencyMax = 4;
const pageBytesMax = 1024 * 1024;
/** After that many failures in a row, the site gets no more requests. */
const failuresInARowMax = 20;

/** The site asked us to come back later. */
class TooManyRequests extends SourceFault {}

/** Reads pages, a few at a time. Ends early if the site throttles us or stops answering, or time is up. */
export async function* readWebPages<Entry extends { url: string }>(
  entries: Entry[],
  reading: FetchOptions,
): AsyncGenerator<WebPage<Entry>> {
  const waiting = entries.values();
  const running = new Map<Entry, ReturnType<typeof readNext>>();
  let failures = 0;
  let isOver = false;

  const readNext = async (entry: Entry): Promise<[Entry, WebPage<Entry> | null]> => {
    try {
      const head = await readWebPage(entry.url, reading);
      failures = 0;
      return [entry, { entry, ...head }];
    } catch (error) {
      failures = error instanceof OutboundFault ? failures + 1 : 0;
      isOver ||= error instanceof TooManyRequests || failures >= failuresInARowMax || reading.until.aborted;
      return [entry, reading.until.aborted ? null : { entry, why: whyNot(error) }];
    }
  };
  for (;;) {
    while (running.size < concurrencyMax && !isOver) {
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

async function readWebPage(url: string, { ask, until }: FetchOptions): Promise<WebPageHead> {
  const response = await ask(url, { signal: until, headers: { accept: 'text/html, application/xhtml+xml' } });
  const type = response.headers.get('content-type') ?? 'text/html';
  const isHtml = /^\s*(text\/html|application\/xhtml\+xml)\b/i.test(type);
  if (!response.ok || !isHtml) await response.body?.cancel();
  if (response.status === 429 || response.status === 503) throw new TooManyRequests(`it answers ${response.status}`);
  if (!response.ok) throw new SourceFault(`it answers ${response.status}`);
  if (!isHtml) throw new SourceFault('it is not a web page');
  const head = readWebPageHead(decoded(await beginning(response), type));
  if (head.title === '') throw new SourceFault('the page has no title');
  return head;
}

/** The head is at the beginning of a page; leaving the loop ends the transfer. */
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
