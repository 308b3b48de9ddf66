import { hash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { gunzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addAssets, asset } from '../browser/assets.ts';
import { look } from '../browser/look.ts';
import { type Html, html, sendPage } from '../browser/page.ts';

const script = asset('reference.js', read('browser/reference.js'));
const style = asset('reference.css', Buffer.concat([look, read('browser/reference.css')]));

/** What the bar shows besides what it shows on every page. */
type Tools = (request: FastifyRequest, reply: FastifyReply) => Html;

/** Every endpoint, with calls to try, from openapi.json. Scalar draws it; nothing comes from another server. */
export function addReferencePage(app: FastifyInstance, tools?: Tools): void {
  app.get('/docs/reference', (request, reply) => {
    // The browser will ask for it next.
    loadBundle().catch(() => {});
    return sendPage(reply, {
      title: 'Reference',
      content,
      tools: tools?.(request, reply),
      script: script.path,
      styles: 'inline',
      sheet: style.path,
    });
  });
  addAssets(app, [script, style]);
  app.get('/docs/scalar.js', sendBundle);
}

const content = html`<div id="reference" data-reference><p class="loading" role="status" data-loading>Loading the reference …</p></div>
<noscript><p class="loading">This page needs JavaScript. <a href="/openapi.json">openapi.json</a> has the same content.</p></noscript>`;

function read(name: string): Buffer {
  return readFileSync(new URL(name, import.meta.url));
}

/** A browser asks each time whether its copy is still right, which costs no more than the response that it is. */
async function sendBundle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { gzipped, etag } = await loadBundle();
  reply.headers({ etag, 'cache-control': 'no-cache', vary: 'accept-encoding' });
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  reply.type('text/javascript; charset=utf-8');
  if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return reply.send(await unzipped(gzipped));
  return reply.header('content-encoding', 'gzip').send(gzipped);
}

const unzipped = promisify(gunzip);

/** A browser script, compressed, and a name that changes with its content. */
type Bundle = { gzipped: Buffer; etag: string };

let loading: Promise<Bundle> | undefined;

/** Scalar's script: loaded at the first request, and kept. Most processes never need it. */
function loadBundle(): Promise<Bundle> {
  loading ??= load().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<Bundle> {
  const worker = new Worker(new URL('bundle-worker.ts', import.meta.url));
  const [message] = await once(worker, 'message');
  const gzipped = Buffer.from(message);
  return { gzipped, etag: `"${hash('sha256', gzipped, 'base64url')}"` };
}
