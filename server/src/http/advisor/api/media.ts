import type { FastifyInstance } from 'fastify';
import { getMedia } from '../../../domain/conversations/conversation-items.ts';
import { problem } from '../../../domain/problems.ts';
import { type Check, callerOf } from '../../door/checks.ts';
import { addPassage } from '../../door/door.ts';
import type { Visits } from '../visits.ts';

/** By their first bytes, in hexadecimal: what a stranger's phone called it counts for nothing. */
const pictures: [type: string, begins: RegExp][] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^474946383[79]61/],
  ['image/webp', /^52494646.{8}57454250/],
];

/** Pictures that came with replies. Anything that isn't one is a download, and nothing in it runs. */
export function addMedia(app: FastifyInstance, { deps }: Visits, signedIn: Check): void {
  addPassage(
    app,
    { method: 'GET', path: '/app/api/media/:replyNumber/:place' },
    [signedIn],
    async (request, reply) => {
      const { replyNumber, place } = request.params as Record<string, string>;
      const bytes = await getMedia(deps, callerOf(request).advisorId, {
        replyNumber: numberIn(replyNumber),
        place: numberIn(place),
      });
      const head = bytes.subarray(0, 16).toString('hex');
      const type = pictures.find(([, begins]) => begins.test(head))?.[0];
      reply
        .headers({
          'content-type': type ?? 'application/octet-stream',
          'content-disposition': type ? 'inline' : 'attachment; filename="attachment"',
          'content-security-policy': "default-src 'none'; sandbox",
          'x-content-type-options': 'nosniff',
          'cache-control': 'private, max-age=3600',
        })
        .send(bytes);
    },
    deps.config.publicUrl,
  );
}

function numberIn(text = ''): number {
  if (!/^\d{1,15}$/.test(text)) throw problem('not_found', 'There is no such picture on the advisor’s account.');
  return Number(text);
}
