import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptsBrotli, typeOf } from '../browser/assets.ts';
import { html, sendPage } from '../browser/page.ts';
import { noSuchRoute } from '../door/unknown-routes.ts';

/** The packed server brings it along; in a checkout, scripts/build-web.ts makes it, beside the start of a server or before it. */
const brought = new URL('../../web/', import.meta.url);
const dist = existsSync(brought) ? brought : new URL('../../../../web/dist/', import.meta.url);
const pages = { '/app': 'index.html', '/console': 'console.html' };
const buildPollSeconds = 2;

/** The advisor's app and the console: a page each, which shows what its address says, and the files that both load. */
export function addWebPages(app: FastifyInstance): void {
  for (const [place, page] of Object.entries(pages)) {
    const send = (request: FastifyRequest, reply: FastifyReply) => sendWebPage(request, reply, page);
    app.get(place, send);
    app.get(`${place}/*`, send);
  }
  app.get('/app/manifest.webmanifest', (request, reply) =>
    sendFile(request, reply, 'manifest.webmanifest', 'no-cache'),
  );
  app.get('/app/assets/:name', (request, reply) => {
    const { name } = request.params as { name: string };
    // Nothing but the names that Vite gives: no way out of the folder.
    if (!/^[\w-]+(\.[\w-]+)*$/.test(name)) throw noSuchRoute();
    return sendFile(request, reply, `assets/${name}`, 'public, max-age=31536000, immutable');
  });
}

async function sendWebPage(request: FastifyRequest, reply: FastifyReply, name: string): Promise<FastifyReply> {
  if (/^\/\w+\/api\//.test(request.url)) throw noSuchRoute();
  const page = await read(name);
  if (!page) return sendBuilding(reply);
  const nonce = randomBytes(18).toString('base64url');
  return reply
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy(nonce),
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    .send(page.toString().replace('content="NONCE"', `content="${nonce}"`));
}

async function sendFile(request: FastifyRequest, reply: FastifyReply, name: string, caching: string) {
  const compressed = acceptsBrotli(request) ? await read(`${name}.br`) : null;
  const content = compressed ?? (await read(name));
  if (!content) throw noSuchRoute();
  if (compressed) reply.header('content-encoding', 'br');
  return reply
    .headers({
      'content-type': typeOf(name),
      'cache-control': caching,
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
    })
    .send(content);
}

/** Read each time: a build may finish while the server runs, and the system keeps what is read often. */
async function read(name: string): Promise<Buffer | null> {
  try {
    return await readFile(new URL(name, dist));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function sendBuilding(reply: FastifyReply): FastifyReply {
  reply.header('refresh', String(buildPollSeconds)).header('retry-after', String(buildPollSeconds));
  return sendPage(reply, {
    status: 503,
    title: 'Almost there',
    content: html`<main class="card">
<h1>Almost there</h1>
<p role="status">The app is being built, which takes a few seconds after an update. This page reloads by itself.</p>
<p class="facts">If it stays like this, the server’s output says why, and <code>npm ci</code> installs what the build needs.</p>
</main>`,
  });
}

/** Mantine writes style elements, which carry the nonce. Attachments are shown from memory. */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
