import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyReply } from 'fastify';

/** By their first bytes, in hexadecimal: what a stranger's phone called it counts for nothing. */
const pictures: [type: string, begins: RegExp][] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^474946383[79]61/],
  ['image/webp', /^52494646.{8}57454250/],
];

/** For what came with a reply: a picture is shown, anything else is a download, and nothing in it runs. */
export async function sendMedia(reply: FastifyReply, bytes: Buffer): Promise<void> {
  const head = bytes.subarray(0, 16).toString('hex');
  const type = pictures.find(([, begins]) => begins.test(head))?.[0];
  const headers = {
    'content-type': type ?? 'application/octet-stream',
    'content-disposition': type ? 'inline' : 'attachment; filename="attachment"',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    // Its address says nothing about who is signed in: a browser would show it to the next who is.
    'cache-control': 'no-store',
  };
  void reply.headers(headers).send(bytes);
}

/** A file in parts. The first is read before anything is sent, so that what goes wrong at first is a Problem. */
export async function sendDownload(
  reply: FastifyReply,
  { name, type, parts }: { name: string; type: string; parts: AsyncIterable<string | Buffer> },
): Promise<void> {
  const iterator = parts[Symbol.asyncIterator]();
  const first = await iterator.next();
  async function* all() {
    if (!first.done) yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  const { raw } = reply.hijack();
  raw.writeHead(200, {
    'content-type': type,
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  // If it breaks off, the connection does: nobody takes a part for the whole.
  await pipeline(Readable.from(all()), raw).catch(() => raw.destroy());
}
