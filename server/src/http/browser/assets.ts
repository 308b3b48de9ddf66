import { hash } from 'node:crypto';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** A file that our pages load. Its path changes with its content, so browsers keep it for good. */
export type Asset = { path: string; content: Buffer };

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};
const hashLength = 10;

export function typeOf(name: string): string {
  return types[extname(name)] ?? 'application/octet-stream';
}

export function asset(name: string, content: Buffer): Asset {
  const extension = extname(name);
  const version = hash('sha256', content, 'hex').slice(0, hashLength);
  return { path: `/assets/${name.slice(0, -extension.length)}.${version}${extension}`, content };
}

export function addAssets(app: FastifyInstance, assets: Asset[]): void {
  for (const { path, content } of assets) {
    const type = typeOf(path);
    let compressed: Promise<Buffer> | undefined;
    app.get(path, async (request, reply) => {
      reply.type(type).headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' });
      // A font is compressed already.
      if (type === types['.woff2'] || !acceptsBrotli(request)) return reply.send(content);
      compressed ??= compress(content);
      return reply.header('content-encoding', 'br').send(await compressed);
    });
  }
}

export function acceptsBrotli({ headers }: FastifyRequest): boolean {
  return /\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(String(headers['accept-encoding'] ?? ''));
}

const compress = promisify(brotliCompress);
