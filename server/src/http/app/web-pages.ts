import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';
import { buildCommand, findWebBuild, webFolder } from '../../domain/operations/web-build.ts';
import { acceptsBrotli, typeOf } from '../browser/assets.ts';
import { html, sendPage } from '../browser/page.ts';
import { noSuchRoute } from '../door/unknown-routes.ts';

const pages = { '/app': 'index.html', '/console': 'console.html' };
const buildPollSeconds = 2;

/** The advisor's app and the console: a page each, which shows what its address says, and the files that both load. */
export function addWebPages(app: FastifyInstance, config: Config, folder = webFolder): void {
  for (const [place, page] of Object.entries(pages)) {
    const send = async (request: FastifyRequest, reply: FastifyReply) => {
      if (/^\/\w+\/api\//.test(request.url)) throw noSuchRoute();
      const built = await read(folder, page);
      return built ? sendWebPage(reply, built) : sendMissing(reply, config);
    };
    app.get(place, send);
    app.get(`${place}/*`, send);
  }
  app.get('/app/manifest.webmanifest', (request, reply) =>
    sendFile(request, reply, { folder, name: 'manifest.webmanifest', caching: 'no-cache' }),
  );
  app.get('/app/assets/:name', (request, reply) => {
    const { name } = request.params as { name: string };
    // Nothing but the names that Vite gives: no way out of the folder.
    if (!/^[\w-]+(\.[\w-]+)*$/.test(name)) throw noSuchRoute();
    return sendFile(request, reply, { folder, name: `assets/${name}`, caching: 'public, max-age=31536000, immutable' });
  });
}

function sendWebPage(reply: FastifyReply, built: Buffer): FastifyReply {
  const nonce = randomBytes(18).toString('base64url');
  return reply
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy(nonce),
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    .send(built.toString().replace('content="NONCE"', `content="${nonce}"`));
}

type WebFile = { folder: URL; name: string; caching: string };

async function sendFile(request: FastifyRequest, reply: FastifyReply, { folder, name, caching }: WebFile) {
  const compressed = acceptsBrotli(request) ? await read(folder, `${name}.br`) : null;
  const content = compressed ?? (await read(folder, name));
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
async function read(folder: URL, name: string): Promise<Buffer | null> {
  try {
    return await readFile(new URL(name, folder));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function sendMissing(reply: FastifyReply, config: Config): FastifyReply {
  const build = findWebBuild(config);
  return build && 'isRunning' in build ? sendBuilding(reply) : sendNotBuilt(reply, config, build?.failed);
}

function sendBuilding(reply: FastifyReply): FastifyReply {
  reply.header('refresh', String(buildPollSeconds)).header('retry-after', String(buildPollSeconds));
  return sendPage(reply, {
    status: 503,
    title: 'Almost there',
    content: html`<main class="card">
<h1>Almost there</h1>
<p role="status">This page is being built, as after each update. It opens by itself once it is ready.</p>
</main>`,
  });
}

/** It stays so until somebody does something. */
function sendNotBuilt(reply: FastifyReply, config: Config, why: string | undefined): FastifyReply {
  const others = config.environment === 'production' ? ' and its guides' : ', its guides and the sandbox’s phones';
  return sendPage(reply, {
    status: 503,
    title: 'Not built',
    content: html`<main class="card">
<h1>This page ${why ? 'could not be' : 'is not'} built</h1>
${why && html`<pre>${why}</pre>`}
<p>${why ? 'Fix that, and run' : 'Run'} <code>${buildCommand(config)}</code> in the checkout${why && ' again'}: it builds the page, which then opens here. The API${others} work without it.</p>
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
