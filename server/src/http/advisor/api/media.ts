import type { FastifyInstance } from 'fastify';
import { getMedia } from '../../../domain/conversations/conversation-items.ts';
import { problem } from '../../../domain/problems.ts';
import { sendMedia } from '../../browser/media.ts';
import { type Check, callerOf } from '../../door/checks.ts';
import { addPassage } from '../../door/door.ts';
import type { Visits } from '../visits.ts';

/** Pictures that came with replies. Anything that isn't one is a download, and nothing in it runs. */
export function addMedia(app: FastifyInstance, { deps }: Visits, signedIn: Check): void {
  addPassage(app, { method: 'GET', path: '/app/api/media/:replyNumber/:place' }, [signedIn], async (request, reply) => {
    const { replyNumber, place } = request.params as Record<string, string>;
    const bytes = await getMedia(deps, callerOf(request).advisorId, {
      replyNumber: numberIn(replyNumber),
      place: numberIn(place),
    });
    await sendMedia(reply, bytes);
  });
}

function numberIn(text = ''): number {
  if (!/^\d{1,15}$/.test(text)) throw problem('not_found', 'There is no such picture on the advisor’s account.');
  return Number(text);
}
