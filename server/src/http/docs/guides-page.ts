import { hash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { brotliCompress, constants } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptsBrotli, addAssets, asset } from '../browser/assets.ts';
import { Html, page } from '../browser/page.ts';
import { pathOf } from '../door/headers.ts';
import { noSuchRoute } from '../door/unknown-routes.ts';
import type { Guides } from './guides.ts';
import { search, searchAssets } from './search.ts';

type Site = { environment: string; publicUrl: string };
type Page = { headers: Record<string, string>; content: Buffer; compressed?: Promise<Buffer> };

const style = asset('guides.css', readFileSync(new URL('browser/guides.css', import.meta.url)));
const script = asset('guides.js', readFileSync(new URL('browser/guides.js', import.meta.url)));
/** A page is compressed once, for its first visitor, who waits for it. */
const compress = promisify(brotliCompress);
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

/**
 * The guides of docs/ as pages, each also as Markdown, with a search over them and the reference. They are drawn for their first
 * visitor and kept: most processes never need them.
 */
export function addGuides(app: FastifyInstance, site: Site): void {
  let drawing: Promise<Map<string, Page>> | undefined;
  const send = async (request: FastifyRequest, reply: FastifyReply) => {
    drawing ??= draw(site).catch((error) => {
      drawing = undefined;
      throw error;
    });
    const response = (await drawing).get(pathOf(request.raw));
    if (!response) throw noSuchRoute();
    return sendPage(request, reply, response);
  };
  addAssets(app, [style, script, ...searchAssets]);
  for (const url of ['/docs', '/docs.md', '/docs/*', '/llms.txt']) app.get(url, send);
}

async function draw(site: Site): Promise<Map<string, Page>> {
  // Production has no sandbox at its own address.
  const workerData = site.environment === 'sandbox' ? site.publicUrl : undefined;
  const worker = new Worker(new URL('guides-worker.ts', import.meta.url), { workerData });
  const [{ guides, llms, index }]: [Omit<Guides, 'parts'> & { index: string }] = (await once(
    worker,
    'message',
  )) as never;
  const pages = guides.flatMap(({ path, title, markdown, content }): [string, Page][] => [
    [path, drawnPage(title, content, { ...site, path })],
    [`${path}.md`, pageOf('text/markdown; charset=utf-8', markdown)],
  ]);
  return new Map([
    ...pages,
    ['/docs/search.json', pageOf('application/json', index)],
    ['/llms.txt', pageOf('text/plain; charset=utf-8', llms)],
  ]);
}

function drawnPage(title: string, content: string, place: Site & { path: string }): Page {
  const { html, headers } = page(
    { title, content: new Html(content), tools: search, script: script.path, style: style.path },
    place,
  );
  return { ...pageOf('', html), headers };
}

function pageOf(type: string, text: string): Page {
  return { headers: { 'content-type': type }, content: Buffer.from(text) };
}

/** A browser asks each time whether its copy is still right, which costs no more than the answer that it is. */
async function sendPage(request: FastifyRequest, reply: FastifyReply, response: Page): Promise<FastifyReply> {
  const { headers, content } = response;
  const etag = `"${hash('sha256', content, 'base64url')}"`;
  reply.headers({ ...headers, etag, 'cache-control': 'no-cache', vary: 'accept-encoding' });
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  if (!acceptsBrotli(request)) return reply.send(content);
  response.compressed ??= compress(content, quality);
  return reply.header('content-encoding', 'br').send(await response.compressed);
}
