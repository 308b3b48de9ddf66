import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addScript, brand, type Html, html, sendPage } from '../browser/page.ts';
import { palette } from '../browser/public-pages.ts';
import { loadBundle } from './bundle.ts';

const script = readFileSync(new URL('browser/reference.js', import.meta.url));
const style = Buffer.concat([palette, readFileSync(new URL('browser/reference.css', import.meta.url))]);

/** What the page's header shows besides the links that every environment has. */
export type Bar = (request: FastifyRequest, reply: FastifyReply) => Html;

/** Every endpoint, with calls to try, from openapi.json. Scalar draws it; nothing comes from another server. */
export function addReferencePage(app: FastifyInstance, bar?: Bar): void {
  app.get('/docs', (request, reply) => {
    // The browser will ask for it next.
    loadBundle().catch(() => {});
    return sendPage(reply, {
      title: 'Reference',
      content: content(bar?.(request, reply)),
      script: '/docs/reference.js',
      styles: 'inline',
      sheet: '/docs/reference.css',
    });
  });
  addScript(app, '/docs/reference.js', script);
  app.get('/docs/reference.css', (_request, reply) => reply.type('text/css; charset=utf-8').send(style));
  app.get('/docs/scalar.js', sendBundle);
}

function content(bar: Html | undefined): Html {
  return html`<nav class="bar" aria-label="Assent">${brand}
<a href="/problems">Problems</a>
<a href="/openapi.json">openapi.json</a>
${bar}
</nav>
<div id="reference" data-reference><p class="loading" role="status" data-loading>Loading the reference …</p></div>
<noscript><p class="loading">This page needs JavaScript. <a href="/openapi.json">openapi.json</a> has the same content.</p></noscript>`;
}

/** A browser asks each time whether its copy is still right, which costs no more than the answer that it is. */
async function sendBundle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { gzipped, etag } = await loadBundle();
  reply.headers({ etag, 'cache-control': 'no-cache', vary: 'accept-encoding' });
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  reply.type('text/javascript; charset=utf-8');
  if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return reply.send(await unzipped(gzipped));
  return reply.header('content-encoding', 'gzip').send(gzipped);
}

const unzipped = promisify(gunzip);
